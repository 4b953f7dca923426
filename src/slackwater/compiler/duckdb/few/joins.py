"""Joins of a few rows by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from slackwater.algebra.operators import Join, JoinKind
from slackwater.compiler.duckdb.few.bindings import Bindings, Evaluator, Row, unknown
from slackwater.compiler.duckdb.few.conditions import condition
from slackwater.compiler.duckdb.few.conversions import together

_KINDS = (JoinKind.INNER, JoinKind.CROSS, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
JoinRows = Callable[[Sequence[Row], Sequence[Row]], list[Row]]


@dataclass(frozen=True, slots=True)
class _Key:
    """One value by which rows meet, of the left and of the right side."""

    left: Evaluator
    right: Evaluator
    null_safe: bool


def compile_join(rel: Join, left: Bindings, right: Bindings, both: Bindings) -> JoinRows:
    """Compile a join to a function of both sides' rows, or raise NotLocalError."""
    if rel.kind not in _KINDS:
        raise unknown(f"a {rel.kind.value} join")
    keys = [_compile_key(rel, number, left, right) for number in range(len(rel.keys))]
    residual = None if rel.residual is None else condition(rel.residual, both)
    nothing = (None,) * right.width

    def joined(ones: Sequence[Row], others: Sequence[Row]) -> list[Row]:
        index = _index(others, keys)
        found: list[Row] = []
        for row in ones:
            matches = _matches(row, index, keys)
            if residual is not None:
                matches = [each for each in matches if residual((*row, *each)) is True]
            found += _rows(rel.kind, row, matches, nothing)
        return found

    return joined


def _compile_key(rel: Join, number: int, left: Bindings, right: Bindings) -> _Key:
    """The key under one type; each side is evaluated over its own rows."""
    key = rel.keys[number]
    ids = {**left.columns, **right.columns}
    # Columns of both sides have ids of their own, so that one set of bindings knows all.
    apart = Bindings(left.compile, ids, max(left.width, right.width))
    one, other = together((key.left, key.right), apart)
    return _Key(one, other, key.null_safe)


def _index(rows: Iterable[Row], keys: Sequence[_Key]) -> dict[Row, list[Row]]:
    index: dict[Row, list[Row]] = {}
    for row in rows:
        index.setdefault(tuple(key.right(row) for key in keys), []).append(row)
    return index


def _matches(row: Row, index: dict[Row, list[Row]], keys: Sequence[_Key]) -> list[Row]:
    values = tuple(key.left(row) for key in keys)
    pairs = zip(values, keys, strict=True)
    if any(value is None and not key.null_safe for value, key in pairs):
        return []
    return index.get(values, [])


def _rows(kind: JoinKind, row: Row, matches: Sequence[Row], nothing: Row) -> list[Row]:
    if kind is JoinKind.SEMI:
        return [row] if matches else []
    if kind is JoinKind.ANTI:
        return [] if matches else [row]
    if kind is JoinKind.LEFT and not matches:
        return [(*row, *nothing)]
    return [(*row, *each) for each in matches]
