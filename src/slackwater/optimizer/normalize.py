"""Rewrites a plan into fewer forms before rules are chosen.

The order matters: DISTINCT inside aggregates makes new Distinct operators, which become
aggregates; NOT IN makes a global aggregate of its own. What joins need not see goes last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Limit,
    Project,
    Sort,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import limit_before_projecting
from slackwater.expr.build import cast
from slackwater.expr.nodes import AggregateCall, Expr
from slackwater.optimizer.ids import Ids
from slackwater.optimizer.join_forms import drive_from_left, pad_apart, spell_out_not_in
from slackwater.optimizer.lean import filter_early, keep_needed
from slackwater.types import CALENDAR_INTERVAL, STRING, MapType, parts_of


def normalize(rel: Rel) -> Rel:
    """The same relation in the forms that rules are written for."""
    ids = Ids(max((column.id for each in walk_rel(rel) for column in each.columns), default=0))
    for rewrite in _REWRITES:
        rel = _bottom_up(rel, rewrite, ids)
    return rel


def _bottom_up(rel: Rel, change: Callable[[Rel, Ids], Rel], ids: Ids) -> Rel:
    inputs = tuple(_bottom_up(each, change, ids) for each in rel.inputs)
    return change(rel if inputs == rel.inputs else rel.with_inputs(inputs), ids)


def _group_distinct(rel: Rel, _ids: Ids) -> Rel:
    """DISTINCT is grouping by every column."""
    if not isinstance(rel, Distinct):
        return rel
    return Aggregate(rel.input, tuple(map(pass_through, rel.columns)), ())


def _split_distinct_aggregates(rel: Rel, ids: Ids) -> Rel:
    """f(DISTINCT x) by k becomes f(x) by k over the distinct pairs of k and x."""
    if not isinstance(rel, Aggregate) or not rel.aggregates:
        return rel
    calls = [output.expr for output in rel.aggregates]
    first = calls[0]
    if not isinstance(first, AggregateCall) or not all(
        _same_distinct(each, first) for each in calls
    ):
        return rel
    if any(isinstance(part, MapType) for arg in first.args for part in parts_of(arg.dtype)):
        # Spark sorts the entries of maps that it groups by, but not of those that it counts.
        return rel
    values = tuple(Output(ids.column("value", arg), arg) for arg in first.args)
    pairs = Distinct(Project(rel.input, (*_under_own_ids(rel, ids), *values)))
    keys = tuple(
        Output(key.column, pair.column.ref())
        for key, pair in zip(rel.keys, pairs.input.outputs, strict=False)  # type: ignore[attr-defined]
    )
    args = tuple(value.column.ref() for value in values)
    aggregates = tuple(
        Output(output.column, replace(output.expr, distinct=False, args=args))
        for output in rel.aggregates
        if isinstance(output.expr, AggregateCall)
    )
    return Aggregate(pairs, keys, aggregates)


def _under_own_ids(rel: Aggregate, ids: Ids) -> tuple[Output, ...]:
    return tuple(Output(ids.column(key.column.name, key.expr), key.expr) for key in rel.keys)


def _same_distinct(expr: Expr, first: AggregateCall) -> bool:
    return (
        isinstance(expr, AggregateCall)
        and expr.distinct
        and expr.function in ("count", "sum", "avg")
        and expr.args == first.args
        and expr.where is None
        and not expr.order
    )


def _group_intervals_by_text(rel: Rel, ids: Ids) -> Rel:
    """INTERVAL can be neither compared nor hashed, so its text is the key.

    By the value itself Spark may also find several groups of NULL: it leaves bytes of the row
    before in a NULL of that type, and compares them.
    """
    if not isinstance(rel, Aggregate):
        return rel
    if all(key.column.dtype != CALENDAR_INTERVAL for key in rel.keys):
        return rel
    keys: list[Output] = []
    shown: list[Output] = []
    for key in rel.keys:
        if key.column.dtype == CALENDAR_INTERVAL:
            text = cast(key.expr, STRING)
            keys.append(Output(ids.column(key.column.name, text), text))
            shown.append(Output(key.column, cast(keys[-1].column.ref(), CALENDAR_INTERVAL)))
        else:
            keys.append(key)
            shown.append(pass_through(key.column))
    groups = replace(rel, keys=tuple(keys))
    return Project(groups, (*shown, *(pass_through(each.column) for each in rel.aggregates)))


def _leave_out_last(rel: Rel, _ids: Ids) -> Rel:
    """OFFSET applies to the first rows only, so those are what must be known."""
    if not isinstance(rel, Limit) or rel.count is None or not rel.offset:
        return rel
    order = rel.input
    first = Limit(order, rel.count + rel.offset)
    return replace(rel, input=replace(order, input=first) if isinstance(order, Sort) else first)


_REWRITES: tuple[Callable[[Rel, Ids], Rel], ...] = (
    _split_distinct_aggregates,
    _group_distinct,
    _group_intervals_by_text,
    spell_out_not_in,
    drive_from_left,
    pad_apart,
    lambda rel, _ids: limit_before_projecting(rel),
    _leave_out_last,
    lambda rel, _ids: filter_early(rel),
    lambda rel, _ids: keep_needed(rel),
)
