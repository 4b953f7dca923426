"""Reference points: the moments of a signal's events between which samples are interpolated.

An event that lives in [a, b) has a point at its start a, one at its end b - 1, and one at each
beat between them. Point events, as samples are, have one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.signals.arrays import (
    Column,
    Ints,
    Mask,
    Ragged,
    counting,
    interleave,
    offsets_of,
)
from slackwater.signals.frame import Frame
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import Part, StoredRows, rows_part
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Times and values by group, in order of time."""

    offsets: Ints
    time: Ints
    columns: tuple[Column, ...]
    new: Mask
    """Which of them were not known in the run before."""

    def last(self, most: int) -> Part:
        """The last points of every group, as state."""
        time = Ragged(self.offsets, self.time).last(most)
        columns = tuple(Ragged(self.offsets, each).last(most).values for each in self.columns)
        return rows_part(time.offsets, (time.values,), columns)


def points_of(frame: Frame, schema: SignalSchema, grid: Grid) -> Points:
    """The reference points of new events, for samples on these beats."""
    long = frame.end > frame.start + 1 if frame.ends is not None else None
    if long is None or not bool(long.any()):
        columns = schema.at(frame.columns, frame.start)
        new = np.ones(len(frame.start), dtype=np.bool_)
        return Points(frame.offsets, frame.start, columns, new)
    first = grid.number(frame.start)
    between = np.where(long, grid.number(frame.end - 2) - first, 0)
    counts = 1 + between + long
    rank = counting(counts)
    event = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    time = grid.time(first[event] + rank)
    time = np.where(rank == 0, frame.start[event], time)
    time = np.where((rank > 0) & (rank > between[event]), frame.end[event] - 1, time)
    columns = schema.at(tuple(column[event] for column in frame.columns), time)
    offsets = offsets_of(counts)[frame.offsets]
    return Points(offsets, time, columns, np.ones(len(time), dtype=np.bool_))


def after_known(known: StoredRows, new: Points) -> Points:
    """The points of the state and then the new ones, in every group."""
    (time,) = known.times

    def both(one: Column, other: Column) -> Column:
        return interleave(Ragged(known.offsets, one), Ragged(new.offsets, other)).values

    return Points(
        known.offsets + new.offsets,
        both(time, new.time),
        tuple(both(*each) for each in zip(known.columns, new.columns, strict=True)),
        both(np.zeros(len(time), dtype=np.bool_), new.new),
    )
