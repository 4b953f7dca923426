"""Keeps estimates of distinct counts by the registers of their sketches.

    approx_count_distinct(x) by k
    becomes count_by_registers(digits) by k, over min(digits) by k and register

The digits of the rest of a hash are few, however many values there are: a register's rows are its
different digits, so that neither a group nor its state grows with the number of values. A register
is read again only if its least digits go.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import Aggregate, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import case, is_known, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, Expr
from slackwater.expr.registers import Sketch, sketch_of
from slackwater.optimizer.distinct_aggregates import distinct_args
from slackwater.optimizer.ids import Ids, under_own_ids
from slackwater.optimizer.rules.accumulators import group_state
from slackwater.optimizer.side_by_side import side_by_side
from slackwater.plan.facts import Facts
from slackwater.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    DataType,
    DecimalType,
    IntervalType,
    StructType,
    parts_of,
)

_HASHED = frozenset(
    (
        *(BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT, DOUBLE),
        *(STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ),
    )
)
_HASHED_KINDS = (DecimalType, IntervalType, ArrayType, StructType)


def estimate_by_registers(rel: Rel, ids: Ids) -> Rel:
    """Each estimate becomes an aggregate of registers; other aggregates are joined to it by key."""
    if not isinstance(rel, Aggregate) or not _has_plain_keys(rel):
        return rel
    sketches = {output: _sketch(output.expr) for output in rel.aggregates}
    others = [output for output, sketch in sketches.items() if sketch is None]
    groups = _kept_apart(rel, others)
    if len(others) == len(sketches) or groups is None:
        return rel
    parts: list[Aggregate] = []
    for outputs in groups:
        parts.append(replace(rel, keys=_keys_of_part(rel, parts, ids), aggregates=outputs))
    for output, sketch in sketches.items():
        if sketch is not None:
            keys = _keys_of_part(rel, parts, ids)
            parts.append(_estimate(rel.input, keys, output, sketch, ids))
    return side_by_side(parts, rel.columns)


def _keys_of_part(rel: Aggregate, before: list[Aggregate], ids: Ids) -> tuple[Output, ...]:
    """The first part has the keys that are shown."""
    return under_own_ids(rel.keys, ids) if before else rel.keys


def _kept_apart(rel: Aggregate, outputs: list[Output]) -> list[tuple[Output, ...]] | None:
    """Aggregates that need no rows of their groups, by how they are kept.

    None if one does need them: an estimate may then read them as well.
    """
    groups: dict[object, list[Output]] = {}
    for output in outputs:
        kind = distinct_args(output.expr)
        if kind is None and not _has_running_value(rel, output):
            return None
        groups.setdefault(kind, []).append(output)
    return list(map(tuple, groups.values()))


def _has_plain_keys(rel: Aggregate) -> bool:
    """Tell if groups can be told by their keys alone, and show no other value than all rows do."""
    return all(_is_hashed(part) for key in rel.keys for part in parts_of(key.column.dtype))


def _has_running_value(rel: Aggregate, output: Output) -> bool:
    state = group_state(replace(rel, aggregates=(output,)), grows=True, facts=Facts())
    return not isinstance(state, str)


def _sketch(expr: Expr) -> Sketch | None:
    """The sketch of an estimate whose values both engines hash alike."""
    if not isinstance(expr, AggregateCall) or expr.function != "approx_count_distinct":
        return None
    (value,) = expr.args
    return sketch_of(expr) if all(map(_is_hashed, parts_of(value.dtype))) else None


def _is_hashed(dtype: DataType) -> bool:
    """Tell if values of a type can be hashed, and look alike where they are equal."""
    return dtype in _HASHED or isinstance(dtype, _HASHED_KINDS)


def _estimate(
    rows: Rel, keys: tuple[Output, ...], wanted: Output, sketch: Sketch, ids: Ids
) -> Aggregate:
    """The estimate of each group, from its registers."""
    registers = _registers(rows, keys, wanted.expr, sketch, ids)
    inner, (*_, digits) = registers.keys[: len(keys)], registers.columns
    outer = (Output(key.column, part.column.ref()) for key, part in zip(keys, inner, strict=True))
    estimate = aggregate("count_by_registers", digits.ref(), params=sketch.params)
    return Aggregate(registers, tuple(outer), (Output(wanted.column, estimate),))


def _registers(
    rows: Rel, keys: tuple[Output, ...], wanted: Expr, sketch: Sketch, ids: Ids
) -> Aggregate:
    """The least digits of each register; groups without a value have one register, of NULL."""
    hashed = Project(rows, (*under_own_ids(keys, ids), _named("hash", _hash(wanted), ids)))
    *parts, value = hashed.columns
    outputs = (*map(pass_through, parts), *_places(value.ref(), sketch, ids))
    placed = Project(hashed, outputs)
    *parts, register, digits = placed.columns
    least = aggregate("min", digits.ref())
    by = tuple(map(pass_through, (*parts, register)))
    return Aggregate(placed, by, (_named("digits", least, ids),))


def _hash(wanted: Expr) -> Expr:
    """The hash of the value that is counted; NULL if it is not."""
    if not isinstance(wanted, AggregateCall):
        raise TypeError(f"{wanted} is no aggregate")
    (value,) = wanted.args
    found: Expr = call("xxhash64", value)
    conditions = [is_known(value)] if value.nullable else []
    if wanted.where is not None:
        conditions.append(wanted.where)
    for each in conditions:
        found = case(each, found)
    return found


def _places(value: Expr, sketch: Sketch, ids: Ids) -> tuple[Output, ...]:
    """The register that a hash names, and the binary digits of the rest."""
    rest = call("&", value, number(sketch.rest_mask))
    none = call("=", rest, number(0))
    digits = case(none, number(0, INTEGER), call("length", call("bin", rest)))
    register = call("shiftright", value, number(sketch.address_shift, INTEGER))
    return _named("register", register, ids), _named("digits", digits, ids)


def _named(name: str, expr: Expr, ids: Ids) -> Output:
    return Output(ids.column(name, expr), expr)
