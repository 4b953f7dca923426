"""Temporal join: pairs of events of two signals, for as long as both live.

Events of one signal do not overlap, so neither do the pairs: the result is a signal. An event
is remembered while events of the other side may still come that start before it ends.

    left    [0 ---- 10)  [10 ---- 20)
    right        [5 -------- 15)
    pairs        [5 10)  [10 15)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import (
    END,
    START,
    Column,
    Ints,
    Ragged,
    counting,
    interleave,
    owners,
)
from slackwater.signals.formulas import FieldRef, Formula
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState, Part, read_rows, rows_part
from slackwater.signals.operator import Operator, require_scalars
from slackwater.signals.schema import SignalSchema, renaming, rewritten

LEFT, RIGHT = "left_", "right_"


@dataclass(frozen=True, slots=True)
class TemporalJoin(Operator):
    """Fields of both sides, with `left_` and `right_` before their names."""

    left: Operator
    right: Operator

    parts: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Both sides have the same groups and the same clock."""
        left, right = self.left.schema, self.right.schema
        for schema in (left, right):
            require_scalars(schema, "a temporal join")
        if left.keys != right.keys:
            raise SignalError(
                f"signals by {_listed(left.keys)} and by {_listed(right.keys)} have no groups "
                "in common",
                hint="Name the columns of the groups alike, in the same order.",
            )
        if left.unit is not right.unit:
            raise SignalError(f"one signal counts {left.unit.value}, the other {right.unit.value}")
        sampled = left.grid or right.grid
        if sampled and (left.functions or right.functions):
            raise SignalError(
                "one signal has samples, the other functions of time",
                hint=f"Sample the other {sampled}.",
            )
        if left.grid is not None and right.grid is not None and left.grid != right.grid:
            raise SignalError(
                f"samples {left.grid} and samples {right.grid} never meet",
                hint="Resample one of them.",
            )

    @property
    def schema(self) -> SignalSchema:
        """Fields of both; samples where one side is sampled, as pairs live when both do."""
        left, right = (_prefixed(each.schema, by) for each, by in _sides(self))
        functions = (*left.functions, *right.functions)
        if functions and not left.functions:
            functions = (
                *((each.name, left.formula(each.name)) for each in left.fields),
                *functions,
            )
        elif functions and not right.functions:
            functions = (*functions, *_constant(right))
        return replace(
            left,
            fields=(*left.fields, *right.fields),
            functions=functions,
            grid=left.grid or right.grid,
        )

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """Left, then right."""
        return (self.left, self.right)

    def describe(self) -> str:
        """The operator has no parameters."""
        return "TemporalJoin"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Pair new events with those remembered and with each other."""
        left, right = frames
        old_left, old_right = (
            _remembered(part, each.schema, frame)
            for part, each, frame in zip(state, self.inputs, frames, strict=True)
        )
        all_left, all_right = _joined(old_left, left), _joined(old_right, right)
        pairs = find_pairs(all_left, all_right)
        if len(old_left.start) and len(old_right.start):
            new = _is_new(old_left, left)[pairs.left] | _is_new(old_right, right)[pairs.right]
            pairs = Pairs(pairs.left[new], pairs.right[new])
        after = (
            _rest(all_left, right.bound, self.left.schema),
            _rest(all_right, left.bound, self.right.schema),
        )
        return pair_events(all_left, all_right, pairs, np.minimum(left.bound, right.bound)), after


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(keys) or "nothing"


def _sides(join: TemporalJoin) -> tuple[tuple[Operator, str], tuple[Operator, str]]:
    return (join.left, LEFT), (join.right, RIGHT)


def _constant(schema: SignalSchema) -> tuple[tuple[str, Formula], ...]:
    """The fields as functions that do not change."""
    return tuple((field.name, FieldRef(field.name)) for field in schema.fields)


def _prefixed(schema: SignalSchema, prefix: str) -> SignalSchema:
    names = {field.name: prefix + field.name for field in schema.fields}
    return replace(
        schema,
        fields=tuple(replace(field, name=prefix + field.name) for field in schema.fields),
        functions=tuple(
            (prefix + name, formula)
            for name, formula in rewritten(schema.functions, renaming(names))
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows of the left with the rows of the right they meet, in order of group and time."""

    left: Ints
    right: Ints


def find_pairs(left: Frame, right: Frame) -> Pairs:
    """All pairs of events of a group that live at the same time.

    For a left event these are neighbours on the right: from the first that ends after the left
    one starts to the last that starts before the left one ends.
    """
    if left.ends is None and right.ends is None:
        return _meeting_points(*_ranked(left, right, left.start, right.start))
    times = (left.start, left.end, right.start, right.end)
    left_start, left_end, right_start, right_end = _ranked(left, right, *times)
    first = np.searchsorted(right_end, left_start, side="right")
    stop = np.searchsorted(right_start, left_end, side="left")
    counts = np.maximum(stop - first, 0)
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return Pairs(rows, np.repeat(first, counts) + counting(counts))


def _meeting_points(left: Ints, right: Ints) -> Pairs:
    """Pairs of point events: those at the same time."""
    if np.array_equal(left, right):
        every = np.arange(len(left), dtype=np.int64)
        return Pairs(every, every)
    place = np.searchsorted(right, left)
    found = np.append(right, END).take(place) == left
    return Pairs(np.flatnonzero(found), place[found])


def _ranked(left: Frame, right: Frame, *times: Ints) -> list[Ints]:
    """Times as numbers that order events by group first: half are the left's, half the right's."""
    filled = [each for each in times if len(each)]
    low = min((int(each.min()) for each in filled), default=0)
    span = max((int(each.max()) for each in filled), default=0) - low + 1
    ranks = [each - low for each in times]
    if span * max(left.groups, 1) >= 1 << 62:
        distinct = np.unique(np.concatenate(times))
        ranks = [np.searchsorted(distinct, each) for each in times]
        span = len(distinct) + 1
    half = len(times) // 2
    groups = [left.group * span] * half + [right.group * span] * half
    return [rank + group for rank, group in zip(ranks, groups, strict=True)]


def pair_events(left: Frame, right: Frame, pairs: Pairs, bound: Ints) -> Frame:
    """The pairs as events that live while both do."""
    start = np.maximum(left.start.take(pairs.left), right.start.take(pairs.right))
    ends = None
    if left.ends is not None and right.ends is not None:
        ends = np.minimum(left.ends[pairs.left], right.ends[pairs.right])
    columns = (
        *(column.take(pairs.left) for column in left.columns),
        *(column.take(pairs.right) for column in right.columns),
    )
    offsets = np.searchsorted(pairs.left, left.offsets)
    return Frame(offsets, start, ends, columns, bound)


def _remembered(part: Part, schema: SignalSchema, frame: Frame) -> Frame:
    stored = read_rows(part, 2, schema.blanks)
    start, end = stored.times
    return Frame(stored.offsets, start, end, stored.columns, frame.bound)


def _joined(old: Frame, new: Frame) -> Frame:
    def both(one: Column, other: Column) -> Column:
        return interleave(Ragged(old.offsets, one), Ragged(new.offsets, other)).values

    return Frame(
        old.offsets + new.offsets,
        both(old.start, new.start),
        None if new.ends is None else both(old.end, new.ends),
        tuple(both(*each) for each in zip(old.columns, new.columns, strict=True)),
        new.bound,
    )


def _is_new(old: Frame, new: Frame) -> Column:
    """Which of the events of `_joined` came in this run."""
    return interleave(
        Ragged(old.offsets, np.zeros(len(old.start), dtype=np.bool_)),
        Ragged(new.offsets, np.ones(len(new.start), dtype=np.bool_)),
    ).values


def _rest(side: Frame, other_bound: Ints, schema: SignalSchema) -> Part:
    """The events that may still meet one of the other side."""
    newest = side.last_end(np.full_like(other_bound, START))
    kept = side.without_events()
    if bool((newest > other_bound).any()):
        kept = side.keep(side.end > other_bound[owners(side.offsets)])
    return rows_part(kept.offsets, (kept.start, kept.end), kept.columns or schema.blanks)
