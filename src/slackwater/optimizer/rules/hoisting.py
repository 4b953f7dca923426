"""Computes what several aggregates share once, in a projection below them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Project
from slackwater.algebra.rel import Rel
from slackwater.expr.limbs import NUMBER_PARTS
from slackwater.expr.nodes import Call, ColumnRef, Expr, transform, walk
from slackwater.plan.frames import Fresh

_RESULTS = frozenset(("limbs_value", "comoment"))


def hoisted(table: Rel, exprs: tuple[Expr, ...], fresh: Fresh) -> tuple[Rel, tuple[Expr, ...]]:
    """The table with the near and far parts of numbers as columns, and the expressions over it.

    Numbers that are computed become columns first: their parts name them several times.
    """
    table, exprs = _computed_below(table, exprs, _numbers(exprs), fresh)
    return _computed_below(table, exprs, _parts(exprs), fresh)


def finished_once(
    table: Rel, exprs: tuple[Expr, ...], fresh: Fresh
) -> tuple[Rel, tuple[Expr, ...]]:
    """The same for what limbs add up to, which several aggregates of a group may be made of."""
    return _computed_below(table, exprs, _calls(exprs, _RESULTS), fresh)


def _numbers(exprs: Iterable[Expr]) -> list[Expr]:
    args = (arg for part in _parts(exprs) for arg in part.args)
    return [arg for arg in dict.fromkeys(args) if not isinstance(arg, ColumnRef)]


def _parts(exprs: Iterable[Expr]) -> list[Call]:
    return _calls(exprs, NUMBER_PARTS)


def _calls(exprs: Iterable[Expr], functions: frozenset[str]) -> list[Call]:
    nodes = (node for expr in exprs for node in walk(expr))
    calls = (node for node in nodes if isinstance(node, Call) and node.function in functions)
    return list(dict.fromkeys(calls))


def _computed_below(
    table: Rel, exprs: tuple[Expr, ...], shared: Iterable[Expr], fresh: Fresh
) -> tuple[Rel, tuple[Expr, ...]]:
    made = fresh.outputs(shared)
    if not made:
        return table, exprs
    below = Project(table, (*map(pass_through, table.columns), *made))
    columns = {output.expr: output.column.ref() for output in made}
    return below, tuple(_with_columns(expr, columns) for expr in exprs)


def _with_columns(expr: Expr, columns: Mapping[Expr, Expr]) -> Expr:
    return transform(expr, columns.get)
