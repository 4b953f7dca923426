"""Stretches: the samples of a uniform signal as arrays without holes, and the windows in them.

A stretch is a run of beats without a gap that counts as one (`missing_samples.py`). Windows of
`size` samples end at the beats whose number is one less than a multiple of `hop`, so that the
results of all groups lie on one grid. A window counts if all its beats lie in one stretch. The
state of a group is the number of its last beat and the last samples of its stretch: at most
`size - 1`, and `hop` more if operators ask for the samples that a window has lost since the one
before.

    size 4, hop 2     beats  0 1 2 3 4 5 6      windows  [0..3] [2..5]      state  beat 6, [4 5 6]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import (
    END,
    START,
    Column,
    Ints,
    Mask,
    Ragged,
    counting,
    last_in_group,
    offsets_of,
    owners,
    replace_rows,
)
from slackwater.signals.frame import Frame
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import (
    OperatorState,
    StoredRows,
    header_part,
    read_header,
    read_rows,
    rows_part,
)
from slackwater.signals.missing_samples import MissingSamples

STRETCH_PARTS = 2


@dataclass(frozen=True, slots=True)
class WindowShape:
    """How many samples a window has, by how many it moves, and how missing ones are read."""

    size: int
    hop: int
    missing: MissingSamples
    history: int = 0
    """How many samples before a window are kept besides."""

    def __post_init__(self) -> None:
        """Windows hold something and move on."""
        if self.size < 1 or self.hop < 1:
            raise SignalError(
                f"windows of {self.size} samples that move by {self.hop}",
                hint="Give a size and a hop of at least one sample.",
            )

    @property
    def tail(self) -> int:
        """How many samples are remembered."""
        return self.size - 1 + self.history

    def __str__(self) -> str:
        """For a page."""
        hop = "" if self.hop == 1 else f" every {self.hop}"
        return f"{self.size}{hop}, {self.missing}"


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Samples without holes: those remembered, zeros where they are due, and the new ones."""

    offsets: Ints
    """By stretch."""
    columns: tuple[Column, ...]
    group: Ints
    """By stretch, in order."""
    first: Ints
    """By stretch, the number of its first beat here."""
    known: Ints
    """By stretch, the number of the last beat that was there in the run before, or START."""

    @property
    def goes_on(self) -> Mask:
        """By stretch, whether it began in a run before."""
        before: Mask = self.known != START
        return before

    @property
    def final(self) -> Ints:
        """The last stretch of every group that has one."""
        if not len(self.group):
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(np.append(self.group[1:] > self.group[:-1], True))

    def keep_last(self, old: Ragged, rows: Column) -> Ragged:
        """By group the row of its last stretch, and where it has none here the old one."""
        return replace_rows(old, self.group[self.final], rows[self.final])

    @property
    def last(self) -> Ints:
        """By stretch, the number of its last beat."""
        return self.first + np.diff(self.offsets) - 1


def lay_out(
    frame: Frame, grid: Grid, shape: WindowShape, state: OperatorState
) -> tuple[Stretches, OperatorState]:
    """The stretches of new samples, each with what is remembered of it, and the state after."""
    (last,) = read_header(state[0], (START,))
    tail = read_rows(state[1], 0, frame.columns)
    beats = grid.number(frame.start)
    lead = _leads(frame, beats, last, shape, np.diff(tail.offsets))
    stretches = _fill(frame, beats, lead, tail, last)
    after = _tails(stretches, frame, shape, Ragged(tail.offsets, np.arange(tail.offsets[-1])))
    columns = tuple(
        _picked(old, new, after.values)
        for old, new in zip(tail.columns, stretches.columns, strict=True)
    )
    header = header_part((last_in_group(frame.offsets, beats, last),))
    return stretches, (header, rows_part(after.offsets, (), columns))


@dataclass(frozen=True, slots=True, eq=False)
class _Leads:
    """The samples before which something else stands, or with which a stretch begins here.

    They are few where samples follow one another, and all work here is on them.
    """

    at: Ints
    """Their rows."""
    group: Ints
    opens: Mask
    """Whether it is the first of its stretch in this run."""
    breaks: Mask
    """Whether it is the first of its stretch at all."""
    remembered: Ints
    """Samples of the state that stand before it."""
    zeros: Ints
    """Zeros that stand before it."""


def _leads(frame: Frame, beats: Ints, last: Ints, shape: WindowShape, tails: Ints) -> _Leads:
    heads = frame.offsets[:-1][frame.offsets[:-1] < frame.offsets[1:]]
    at = _uneven(beats, heads)
    group = np.searchsorted(frame.offsets, at, side="right") - 1
    opens = np.zeros(len(at), dtype=np.bool_)
    opens[np.searchsorted(at, heads)] = True
    previous = np.where(opens, last[group], beats[np.maximum(at - 1, 0)])
    unknown = previous == START
    gap = np.where(unknown, 0, beats[at] - np.where(unknown, 0, previous) - 1)
    breaks = unknown | (gap > shape.missing.longest)
    padding = shape.size - 1 if shape.missing.padded else 0
    remembered = np.where(opens & ~breaks, tails[group], 0)
    return _Leads(at, group, opens | breaks, breaks, remembered, np.where(breaks, padding, gap))


def _uneven(beats: Ints, heads: Ints) -> Ints:
    """The first sample of each group, and every one that does not follow on the one before it."""
    if not len(heads):
        return heads
    last = np.append(heads[1:], len(beats)) - 1
    # Beats of a group only rise: if they are as many as they span, none is missing.
    if bool(np.all(beats[last] - beats[heads] == last - heads)):
        return heads
    uneven = np.zeros(len(beats), dtype=np.bool_)
    np.not_equal(beats[1:] - beats[:-1], 1, out=uneven[1:])
    uneven[heads] = True
    return np.flatnonzero(uneven)


def _fill(frame: Frame, beats: Ints, lead: _Leads, tails: StoredRows, last: Ints) -> Stretches:
    before = lead.remembered + lead.zeros
    shift = np.cumsum(before)
    begins = lead.at[lead.opens] + shift[lead.opens] - before[lead.opens]
    group, kept = lead.group[lead.opens], lead.remembered[lead.opens]
    total = len(beats) + int(before.sum())
    columns = frame.columns
    if total != len(beats):
        runs = np.diff(np.append(lead.at, len(beats)))
        place = np.arange(len(beats), dtype=np.int64) + np.repeat(shift, runs)
        target = np.repeat(begins, kept) + counting(kept)
        source = np.repeat(tails.offsets[group], kept) + counting(kept)
        columns = tuple(
            _scattered(total, (place, column), (target, tail[source]))
            for column, tail in zip(frame.columns, tails.columns, strict=True)
        )
    first = beats[lead.at[lead.opens]] - before[lead.opens]
    known = np.where(lead.breaks[lead.opens], START, last[group])
    return Stretches(np.append(begins, total), columns, group, first, known)


def _scattered(total: int, *parts: tuple[Ints, Column]) -> Column:
    """Zeros, with values at the given places."""
    dense = np.zeros(total, dtype=parts[0][1].dtype)
    for place, values in parts:
        dense[place] = values
    return dense


def _tails(stretches: Stretches, frame: Frame, shape: WindowShape, old: Ragged) -> Ragged:
    """By group the rows to remember, counted through the old tails and then the new samples."""
    touched = np.diff(frame.offsets) > 0
    final = stretches.final
    counts = old.counts.copy()
    begin = old.offsets[:-1].copy()
    lengths = np.minimum(np.diff(stretches.offsets)[final], shape.tail)
    counts[touched] = lengths
    begin[touched] = len(old.values) + stretches.offsets[1:][final] - lengths
    rows = np.repeat(begin, counts) + counting(counts)
    return Ragged(offsets_of(counts), rows)


def _picked(old: Column, new: Column, rows: Ints) -> Column:
    """Rows counted through the old ones and then the new ones."""
    found = np.empty(len(rows), dtype=new.dtype)
    before = rows < len(old)
    found[before] = old[rows[before]]
    found[~before] = new[rows[~before] - len(old)]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """All new windows, in order of group and time."""

    counts: Ints
    """By stretch."""
    start: Ints
    """The row of the stretches' columns at which each window begins."""
    beat: Ints
    """The number of the beat at which each ends."""
    offsets: Ints
    """By group."""

    @property
    def stretch(self) -> Ints:
        """By window."""
        return owners(offsets_of(self.counts))


def windows_in(stretches: Stretches, shape: WindowShape, groups: int) -> Windows:
    """The windows that end at a beat of the hop and after what was known before."""
    full = stretches.first + shape.size - 1
    earliest = np.maximum(full, stretches.known + 1)
    beat = -(-(earliest + 1) // shape.hop) * shape.hop - 1
    counts = np.maximum((stretches.last - beat) // shape.hop + 1, 0)
    offsets = offsets_of(counts)
    # The n-th window of all ends n hops after where its stretch's first would, had it come first.
    ends = np.arange(offsets[-1], dtype=np.int64) * shape.hop
    ends += np.repeat(beat - offsets[:-1] * shape.hop, counts)
    start = ends + np.repeat(stretches.offsets[:-1] - stretches.first - shape.size + 1, counts)
    per_group = np.bincount(stretches.group, weights=counts, minlength=groups)
    return Windows(counts, start, ends, offsets_of(per_group.astype(np.int64)))


def stretch_bound(frame: Frame, grid: Grid, missing: MissingSamples, state: OperatorState) -> Ints:
    """The bound of what is computed by beat: a gap that waits for its end may become zeros.

    `state` is the one after the run.
    """
    if not missing.longest:
        return frame.bound
    (last,) = read_header(state[0], (START,))
    safe = np.where(last == START, 0, last)
    waiting = np.where(last == START, frame.bound, grid.time(safe + 1))
    return np.where(frame.bound == END, END, np.minimum(frame.bound, waiting))
