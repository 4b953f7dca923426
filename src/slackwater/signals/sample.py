"""Sample: the values of a signal at equally spaced beats, with missing ones interpolated.

A beat at which an event lives has that event's value. A beat in a gap has the value that the
interpolation gives it, if it can. The state is the last points of every group, and for policies
that look only back, how far the gap after them was filled.

    beats every 10, linear    events: 3 -> 1.0, 17 -> 15.0    sample: 10 -> 8.0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slackwater.signals.arrays import (
    END,
    START,
    Column,
    Ints,
    Ragged,
    counting,
    interleave,
    last_in_group,
    offsets_of,
    owners,
)
from slackwater.signals.frame import Frame, samples
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import OperatorState, header_part, read_header, read_rows
from slackwater.signals.interpolation import Gaps, Interpolation
from slackwater.signals.operator import Operator, require_scalars
from slackwater.signals.points import Points, after_known, points_of
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Sample(Operator):
    """A uniform signal of the values at the beats of a grid."""

    input: Operator
    grid: Grid
    interpolation: Interpolation | None = None

    parts: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Arrays have no values between them."""
        require_scalars(self.input.schema, "sampling")

    @property
    def schema(self) -> SignalSchema:
        """The values, on the beats."""
        before = self.input.schema
        return replace(before, fields=before.values, functions=(), grid=self.grid)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal sampled."""
        return (self.input,)

    def describe(self) -> str:
        """The beats and the interpolation."""
        policy = self.interpolation
        return f"Sample {self.grid}" + ("" if policy is None else f", {policy.describe()}")

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Sample new events, and the gaps before them."""
        (frame,) = frames
        new = points_of(frame, self.input.schema, self.grid)
        policy = self.interpolation
        if policy is None:
            found = samples(new.offsets, new.time, new.columns, frame.bound)
            found = found.keep(self.grid.holds(new.time))
            return found, state
        known = read_rows(state[0], 1, self.schema.blanks)
        points = after_known(known, new)
        (filled,) = read_header(state[1], (START,))
        filling = _Filling(self.grid, policy, points, filled, frame.bound)
        found = filling.samples(filling.bound_after())
        last = points.last(max(policy.points - 1, 1))
        return found, (last, header_part((filling.filled_after(),)))


@dataclass(frozen=True, slots=True, eq=False)
class _Filling:
    """The beats to give values to: for every point those in the gap before it, then its own.

    Policies that look only back have one more gap in each group, after its last point.
    """

    grid: Grid
    policy: Interpolation
    points: Points
    filled: Ints
    """By group the number of the last beat that was filled, or START."""
    bound: Ints

    def samples(self, bound: Ints) -> Frame:
        """All samples that are final now."""
        blocks = self._blocks()
        counts = blocks.gap + blocks.own
        block = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        rank = counting(counts)
        inside = rank < blocks.gap.take(block)
        beats = np.where(inside, blocks.first.take(block) + rank, blocks.beat.take(block))
        times = self.grid.time(beats)
        columns = tuple(self._values(each, blocks, block, inside, times) for each in self.columns)
        return samples(offsets_of(counts)[blocks.offsets], times, columns, bound)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values of the points."""
        return self.points.columns

    def _blocks(self) -> _Blocks:
        points, grid = self.points, self.grid
        beat = grid.number(points.time)
        own = points.new & (grid.time(beat) == points.time)
        place = np.arange(len(points.time), dtype=np.int64)
        group = owners(points.offsets)
        before = np.maximum(place - 1, 0)
        first = beat[before] + 1
        reached = points.time - 1
        usable = points.new & self._reaches(place, points.offsets[group])
        if self.policy.forward:
            first = np.maximum(first, self.filled[group] + 1)
            reached = np.minimum(reached, points.time[before] + (self.policy.window or 0))
        gap = np.where(usable, np.maximum(grid.number(reached) - first + 1, 0), 0)
        blocks = _Blocks(points.offsets, first, gap, own, beat, place)
        return blocks.with_tails(self._tails(beat)) if self.policy.forward else blocks

    def _reaches(self, place: Ints, first_of_group: Ints) -> Column:
        """Which points end a gap that the policy can fill: it finds all it reads."""
        back = max(self.policy.points - 1, 1)
        known = place - back >= first_of_group
        window = self.policy.window
        if window is None or self.policy.forward:
            return known
        time = self.points.time
        near: Column = time - time[np.maximum(place - back, 0)] <= window
        return known & near

    def _tails(self, beat: Ints) -> _Blocks:
        """The gap after the last point of each group that has one."""
        offsets = self.points.offsets
        has = np.diff(offsets) > 0
        last = offsets[1:][has] - 1
        first = np.maximum(beat[last] + 1, self.filled[has] + 1)
        gap = np.maximum(self.filled_after()[has] - first + 1, 0)
        nothing = np.zeros(len(last), dtype=np.int64)
        # The gap after a point is read as the gap before the one that would follow it.
        return _Blocks(
            offsets_of(has.astype(np.int64)),
            first,
            gap,
            nothing.astype(np.bool_),
            nothing,
            last + 1,
        )

    def filled_after(self) -> Ints:
        """By group the last beat of the gap behind its last point that is final."""
        if not self.policy.forward:
            return self.filled
        points, groups = self.points, len(self.bound)
        last = last_in_group(points.offsets, points.time, np.zeros(groups, dtype=np.int64))
        final = np.minimum(last + (self.policy.window or 0), np.maximum(self.bound, START + 1) - 1)
        reached = np.maximum(self.filled, self.grid.number(np.maximum(final, last)))
        return np.where(np.diff(points.offsets) > 0, reached, START)

    def bound_after(self) -> Ints:
        """The bound of the samples: a gap that waits for its end may be filled from its start."""
        if self.policy.forward:
            return self.bound
        points = self.points
        waiting = last_in_group(points.offsets, points.time + 1, self.bound)
        return np.where(self.bound == END, END, np.minimum(self.bound, waiting))

    def _values(
        self, column: Column, blocks: _Blocks, block: Ints, inside: Column, times: Ints
    ) -> Column:
        """The values of a column at the beats: those of points, and interpolated ones."""
        at = blocks.place.take(block)
        found = column.take(np.minimum(at, len(column) - 1)) if len(column) else column[:0]
        if not bool(inside.any()):
            return found
        after = at[inside]
        first = 1 if self.policy.forward else self.policy.points - 1
        last = 0 if self.policy.forward else -1
        read = [after - back for back in range(first, last, -1)]
        time = self.points.time
        origin = time.take(after - 1)
        # One row a point in memory, as policies read the same point of all gaps at a time.
        distances = np.stack([(time.take(each) - origin).astype(np.float64) for each in read])
        values = np.stack([column.take(each) for each in read])
        ticks = (times[inside] - origin).astype(np.float64)
        found[inside] = self.policy.compute(Gaps(ticks, distances.T, values.T))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """By point: the first beat and the length of the gap before it, and whether it is sampled."""

    offsets: Ints
    first: Ints
    gap: Ints
    own: Column
    beat: Ints
    place: Ints

    def with_tails(self, tails: _Blocks) -> _Blocks:
        """These blocks with one more at the end of each group."""

        def both(one: Column, other: Column) -> Column:
            return interleave(Ragged(self.offsets, one), Ragged(tails.offsets, other)).values

        return _Blocks(
            self.offsets + tails.offsets,
            both(self.first, tails.first),
            both(self.gap, tails.gap),
            both(self.own, tails.own),
            both(self.beat, tails.beat),
            both(self.place, tails.place),
        )
