"""Finds the buckets that see a change, and those that they see, by counting over an index.

All of it is running sums and extremes over the buckets of each partition. The proof is in
`window_ranges.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Filter, Project, Window
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import FALSE, any_of, case, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    SortKey,
    WindowCall,
)
from slackwater.optimizer.rules.ranged import Ranged
from slackwater.plan.frames import Fresh

_HERE = FrameBound(BoundKind.CURRENT_ROW)
_UP_TO_HERE = Frame(FrameUnit.ROWS, FrameBound(BoundKind.UNBOUNDED_PRECEDING), _HERE)
_FROM_HERE = Frame(FrameUnit.ROWS, _HERE, FrameBound(BoundKind.UNBOUNDED_FOLLOWING))


@dataclass(frozen=True, slots=True)
class _Near:
    """The neighbourhood of a marked bucket: fewer rows in between, or so many buckets away."""

    rows: int
    buckets: int


@dataclass(frozen=True, slots=True)
class _Buckets:
    """Buckets of which some are marked: where each is, its rows, and those up to its end."""

    rel: Rel
    place: tuple[Column, ...]
    rows: Expr
    through: Expr
    mark: Expr


def place_ranges(buckets: Rel, ranged: Ranged, fresh: Fresh) -> Rel:
    """The buckets whose rows are needed, and whether their answers may change.

    The columns given are the place of a bucket, its rows, and 1 if it is touched.
    """
    *place, rows, touched = buckets.columns
    where, reach, shift = tuple(place), ranged.reach, ranged.shift
    back = _Near(reach.rows_back, reach.buckets_back(shift))
    ahead = _Near(reach.rows_ahead, reach.buckets_ahead(shift))
    is_touched = call("=", touched.ref(), number(1))
    still = case(is_touched, number(0), rows.ref())
    sums = [WindowCall(aggregate("sum", each), _UP_TO_HERE) for each in (still, rows.ref())]
    summed, (quiet, total) = _over(buckets, where, sums, fresh)
    changed = _Buckets(summed, where, still, quiet.ref(), is_touched)
    seeing, sees = _with_near(changed, back, ahead, fresh)
    affected = fresh.outputs((call("or", is_touched, sees),))
    mark = affected[0].column
    marked = Project(seeing, (*map(pass_through, (*where, rows, total)), *affected))
    given = _Buckets(marked, where, rows.ref(), total.ref(), mark.ref())
    seen, is_seen = _with_near(given, ahead, back, fresh)
    needed = Filter(seen, call("or", mark.ref(), is_seen))
    return Project(needed, tuple(map(pass_through, (*where, mark))))


def _with_near(buckets: _Buckets, behind: _Near, before: _Near, fresh: Fresh) -> tuple[Rel, Expr]:
    """Buckets, and the condition that one is near behind a marked one, or near before one."""
    bucket = buckets.place[-1].ref()
    start = call("-", buckets.through, buckets.rows)
    wanted = (
        (behind.rows, "max", buckets.through, _UP_TO_HERE),
        (behind.buckets, "max", bucket, _UP_TO_HERE),
        (before.rows, "min", start, _FROM_HERE),
        (before.buckets, "min", bucket, _FROM_HERE),
    )
    calls = [
        WindowCall(aggregate(function, case(buckets.mark, value)), frame)
        for distance, function, value, frame in wanted
        if distance
    ]
    if not calls:
        return buckets.rel, FALSE
    rel, found = _over(buckets.rel, buckets.place, calls, fresh)
    marks = iter(found)
    conditions = []
    if behind.rows:
        between = call("-", start, next(marks).ref())
        conditions.append(call("<", between, number(behind.rows)))
    if behind.buckets:
        away = call("-", bucket, next(marks).ref())
        conditions.append(call("<=", away, number(behind.buckets)))
    if before.rows:
        between = call("-", next(marks).ref(), buckets.through)
        conditions.append(call("<", between, number(before.rows)))
    if before.buckets:
        away = call("-", next(marks).ref(), bucket)
        conditions.append(call("<=", away, number(before.buckets)))
    return rel, any_of(call("coalesce", each, FALSE) for each in conditions)


def _over(
    rel: Rel, place: tuple[Column, ...], calls: Sequence[WindowCall], fresh: Fresh
) -> tuple[Rel, tuple[Column, ...]]:
    """Buckets with functions over those of their partition, and the columns of these."""
    partition = tuple(each.ref() for each in place[:-1])
    outputs = fresh.outputs(calls)
    window = Window(rel, partition, (SortKey(place[-1].ref()),), outputs)
    return window, tuple(each.column for each in outputs)
