"""Moves filters and projections below joins that Spark did not see: those of scalar subqueries.

Spark plans a scalar subquery as a value inside an expression; here it is a join with one row. What
Spark would have moved below a join of its own is moved here, so that the join keeps as state only
the rows and columns that something above it needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Filter, Join, JoinKind, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, Expr
from slackwater.expr.properties import conjuncts, may_raise, referenced_columns

_PAIRS = (JoinKind.INNER, JoinKind.CROSS)


def filter_early(rel: Rel) -> Rel:
    """A filter over a join: what concerns one side, and never fails, is asked of that side."""
    if not isinstance(rel, Filter) or not isinstance(rel.input, Join):
        return rel
    join = rel.input
    if join.kind not in _PAIRS:
        return rel
    above: list[Expr] = []
    sides: tuple[list[Expr], list[Expr]] = ([], [])
    for part in conjuncts(rel.condition):
        _home_of(part, join, sides, above).append(part)
    if not any(sides):
        return rel
    left, right = (_filtered(each, parts) for each, parts in zip(join.inputs, sides, strict=True))
    return _filtered(replace(join, left=left, right=right), above)


def _home_of(
    part: Expr, join: Join, sides: tuple[list[Expr], list[Expr]], above: list[Expr]
) -> list[Expr]:
    used = referenced_columns(part)
    if used and not may_raise(part):
        for each, parts in zip(join.inputs, sides, strict=True):
            if used <= _ids(each):
                return parts
    return above


def _filtered(rel: Rel, parts: list[Expr]) -> Rel:
    if not parts:
        return rel
    return filter_early(Filter(rel, reduce(lambda one, other: call("and", one, other), parts)))


def keep_needed(rel: Rel) -> Rel:
    """A projection over a join: the sides give only the columns it needs."""
    if not isinstance(rel, Project):
        return rel
    return replace(rel, input=_narrow(rel.input, _used(out.expr for out in rel.outputs)))


def _narrow(rel: Rel, needed: frozenset[ColumnId]) -> Rel:
    """The relation without unused columns, as far as that makes a join smaller."""
    match rel:
        case Filter(condition=condition):
            return replace(rel, input=_narrow(rel.input, needed | referenced_columns(condition)))
        case Project(outputs=outputs):
            kept = tuple(out for out in outputs if out.column.id in needed) or outputs
            inside = _narrow(rel.input, _used(out.expr for out in kept))
            return replace(rel, input=inside, outputs=kept)
        case Join(kind=kind) if kind in _PAIRS:
            keys = _used(side for key in rel.keys for side in (key.left, key.right))
            residual = _used(() if rel.residual is None else (rel.residual,))
            wanted = needed | keys | residual
            return replace(rel, left=_cut(rel.left, wanted), right=_cut(rel.right, wanted))
        case _:
            return rel


def _cut(rel: Rel, wanted: frozenset[ColumnId]) -> Rel:
    narrow = _narrow(rel, wanted)
    kept = tuple(column for column in narrow.columns if column.id in wanted)
    if not kept or len(kept) == len(narrow.columns):
        return narrow
    return Project(narrow, tuple(map(pass_through, kept)))


def _used(exprs: Iterable[Expr]) -> frozenset[ColumnId]:
    return frozenset(column for expr in exprs for column in referenced_columns(expr))


def _ids(rel: Rel) -> frozenset[ColumnId]:
    return frozenset(column.id for column in rel.columns)
