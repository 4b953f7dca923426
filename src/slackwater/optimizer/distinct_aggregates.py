"""Counts distinct values by grouping them first."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Output
from slackwater.algebra.operators import Aggregate, Distinct, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import AggregateCall, Expr
from slackwater.optimizer.ids import Ids, under_own_ids
from slackwater.types import MapType, parts_of


def split_distinct_aggregates(rel: Rel, ids: Ids) -> Rel:
    """f(DISTINCT x) by k becomes f(x) by k over the distinct pairs of k and x."""
    if not isinstance(rel, Aggregate) or not rel.aggregates:
        return rel
    first = distinct_args(rel.aggregates[0].expr)
    if first is None or any(distinct_args(output.expr) != first for output in rel.aggregates):
        return rel
    values = tuple(Output(ids.column("value", arg), arg) for arg in first)
    pairs = Distinct(Project(rel.input, (*under_own_ids(rel.keys, ids), *values)))
    keys = tuple(
        Output(key.column, pair.ref()) for key, pair in zip(rel.keys, pairs.columns, strict=False)
    )
    args = tuple(value.column.ref() for value in values)
    aggregates = tuple(
        Output(output.column, replace(output.expr, distinct=False, args=args))
        for output in rel.aggregates
        if isinstance(output.expr, AggregateCall)
    )
    return Aggregate(pairs, keys, aggregates)


def distinct_args(expr: Expr) -> tuple[Expr, ...] | None:
    """The arguments of a DISTINCT aggregate, if their values can be grouped before it."""
    if not isinstance(expr, AggregateCall) or not expr.distinct:
        return None
    if expr.function not in ("count", "sum", "avg") or expr.where is not None or expr.order:
        return None
    if any(isinstance(part, MapType) for arg in expr.args for part in parts_of(arg.dtype)):
        # Spark sorts the entries of maps that it groups by, but not of those that it counts.
        return None
    return expr.args
