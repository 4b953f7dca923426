"""Aggregates, also filtered ones and those over windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from slackwater.compiler.duckdb.functions import Division
from slackwater.runtime.local.forms.base import (
    MAX_DIGITS,
    Forms,
    Scope,
    Typed,
    comparable,
    condition,
    require_only,
    translate,
    translated,
)
from slackwater.runtime.local.types import NotLocalError, duckdb_type
from slackwater.types import BIGINT, INTEGER, DecimalType, is_integral

AggregateForm = Callable[..., Typed]
"""Also takes what follows the call: FILTER or OVER."""


def _sum(node: exp.Sum, scope: Scope, only: str = "") -> Typed:
    value = translate(_not_distinct(node), scope)
    if is_integral(value.dtype):
        return Typed(f"CAST(sum({value.sql}){only} AS BIGINT)", BIGINT)
    if not isinstance(value.dtype, DecimalType):
        raise NotLocalError(f"a sum of {value.dtype}")
    digits = value.dtype.precision + _MORE_DIGITS
    result = DecimalType(min(digits, MAX_DIGITS), value.dtype.scale)
    total = _total(value, value.dtype, only)
    if digits < MAX_DIGITS:
        total = f"CAST({total} AS {duckdb_type(result)})"
    return Typed(total, result)


_MORE_DIGITS = 10
"""A sum has so many digits more than what is summed."""


def _total(value: Typed, dtype: DecimalType, only: str) -> str:
    """The sum, as a decimal of 38 digits; DuckDB counts them when it adds, not when it sums."""
    total = f"sum({value.sql}){only}"
    if dtype.precision + _MORE_DIGITS < MAX_DIGITS:
        return total
    return f"({total} + CAST(0 AS DECIMAL({MAX_DIGITS},{dtype.scale})))"


def _count(node: exp.Count, scope: Scope, only: str = "") -> Typed:
    if isinstance(node.this, exp.Star):
        return Typed(f"count(*){only}", BIGINT)
    distinct = isinstance(node.this, exp.Distinct)
    values = translated(
        node.this.expressions if distinct else (node.this, *node.expressions), scope
    )
    if len(values) != 1:
        raise NotLocalError("a count of several values")
    [value] = comparable(values)
    return Typed(f"count({'DISTINCT ' if distinct else ''}{value.sql}){only}", BIGINT)


def _average(node: exp.Avg, scope: Scope, only: str = "") -> Typed:
    value = translate(_not_distinct(node), scope)
    if not isinstance(value.dtype, DecimalType):
        raise NotLocalError(f"the average of {value.dtype}")
    total = f"({_total(value, value.dtype, only)})"
    count = f"CAST(nullif(count({value.sql}){only}, 0) AS DECIMAL(20, 0))"
    digits, scale = value.dtype.precision + 4, value.dtype.scale + 4
    result = DecimalType(min(digits, MAX_DIGITS), min(scale, MAX_DIGITS))
    division = Division(MAX_DIGITS, value.dtype.scale, 20, 0, result.scale)
    return Typed(f"CAST({division.name}({total}, {count}) AS {duckdb_type(result)})", result)


def _aggregate(function: str) -> AggregateForm:
    def form(node: exp.Func, scope: Scope, only: str = "") -> Typed:
        [value] = comparable([translate(_not_distinct(node), scope)])
        return Typed(f"{function}({value.sql}){only}", value.dtype)

    return form


def _not_distinct(node: exp.Func) -> exp.Expression:
    inner: exp.Expression = node.this
    if isinstance(inner, exp.Distinct) or node.expressions:
        raise NotLocalError("such an aggregate")
    return inner


def _filtered(node: exp.Filter, scope: Scope) -> Typed:
    aggregate = AGGREGATES.get(type(node.this))
    if aggregate is None:
        raise NotLocalError("FILTER after something else than an aggregate")
    only = condition(node.expression.this, scope)
    return aggregate(node.this, scope, f" FILTER (WHERE {only})")


AGGREGATES: Mapping[type[exp.Expression], AggregateForm] = {
    exp.Sum: _sum,
    exp.Avg: _average,
    exp.Count: _count,
    exp.Min: _aggregate("min"),
    exp.Max: _aggregate("max"),
    exp.AnyValue: _aggregate("any_value"),
}


_RANKS: Mapping[type[exp.Expression], str] = {
    exp.RowNumber: "row_number()",
    exp.Rank: "rank()",
    exp.DenseRank: "dense_rank()",
}


def _window(node: exp.Window, scope: Scope) -> Typed:
    require_only(node, "this", "partition_by", "order", "spec", "over")
    kind = type(node.this)
    if kind in _RANKS:
        text, dtype = _RANKS[kind], INTEGER
        return Typed(f"CAST({text} OVER ({_over(node, scope)}) AS INTEGER)", dtype)
    if kind in AGGREGATES and kind is not exp.AnyValue:
        return AGGREGATES[kind](node.this, scope, f" OVER ({_over(node, scope)})")
    raise NotLocalError(f"{kind.__name__.lower()} over a window")


def _over(node: exp.Window, scope: Scope) -> str:
    parts = []
    keys = translated(node.args.get("partition_by") or (), scope)
    if keys:
        parts.append(f"PARTITION BY {', '.join(key.sql for key in keys)}")
    order = node.args.get("order")
    ordered = order.expressions if order is not None else ()
    sorted_by = [translate(each.this, scope) for each in ordered]
    comparable([*keys, *sorted_by])
    if sorted_by:
        pairs = zip(ordered, sorted_by, strict=True)
        parts.append("ORDER BY " + ", ".join(_sort_key(each, key) for each, key in pairs))
    if node.args.get("spec") is not None:
        parts.append(_frame(node.args["spec"]))
    return " ".join(parts)


def _sort_key(node: exp.Ordered, key: Typed) -> str:
    require_only(node, "this", "desc", "nulls_first")
    direction = "DESC" if node.args.get("desc") else "ASC"
    return f"{key.sql} {direction} NULLS {'FIRST' if node.args.get('nulls_first') else 'LAST'}"


def _frame(spec: exp.WindowSpec) -> str:
    """A frame between ends that name no distance."""
    require_only(spec, "kind", "start", "start_side", "end", "end_side")
    edges = []
    for edge in ("start", "end"):
        value, side = spec.args.get(edge), spec.args.get(f"{edge}_side") or ""
        if value not in ("UNBOUNDED", "CURRENT ROW"):
            raise NotLocalError("such a window frame")
        edges.append(f"{value} {side}".strip())
    if spec.args["kind"] not in ("ROWS", "RANGE"):
        raise NotLocalError("such a window frame")
    return f"{spec.args['kind']} BETWEEN {edges[0]} AND {edges[1]}"


FORMS: Forms = {
    **AGGREGATES,
    exp.Filter: _filtered,
    exp.Window: _window,
}
