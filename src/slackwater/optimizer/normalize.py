"""Rewrites a plan into fewer forms before rules are chosen.

The order matters: estimates are parted from aggregates of distinct values, which make new
Distinct operators, which become aggregates; NOT IN makes a global aggregate of its own. What
joins need not see goes last but one: a filter that it moves may be the one that bounds a window's
ranks.
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
from slackwater.optimizer.distinct_aggregates import split_distinct_aggregates
from slackwater.optimizer.distinct_estimates import estimate_by_registers
from slackwater.optimizer.group_limits import limit_groups
from slackwater.optimizer.ids import Ids
from slackwater.optimizer.join_forms import drive_from_left, pad_apart, spell_out_not_in
from slackwater.optimizer.percentile_parts import split_percentiles
from slackwater.optimizer.push_down import filter_early, keep_needed
from slackwater.types import CALENDAR_INTERVAL, STRING


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
    estimate_by_registers,
    split_distinct_aggregates,
    _group_distinct,
    _group_intervals_by_text,
    split_percentiles,
    spell_out_not_in,
    drive_from_left,
    pad_apart,
    lambda rel, _ids: limit_before_projecting(rel),
    _leave_out_last,
    lambda rel, _ids: filter_early(rel),
    lambda rel, _ids: keep_needed(rel),
    lambda rel, _ids: limit_groups(rel),
)
