"""Unwindow: arrays of overlapping windows laid back on the beats, merged where they overlap.

An array that a window gives at beat e covers the beats up to e. Beats are kept in slots of one hop:
window number j ends with slot j and covers the slots from j - reach + 1 on. In a slot the arrays of
windows are merged in the order of the windows, so that a sum has the same bits however the windows
came. A slot is final once no later window reaches back to it; the others are the state.

    size 4, hop 2     window 1  [a b c d]           slot 0  a b        final
                      window 2      [e f g h]       slot 1  c+e d+f    final
                                                    slot 2  g h        waits for window 3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import (
    END,
    START,
    Column,
    Ints,
    counting,
    offsets_kept,
    offsets_of,
    owners,
    previous_in_group,
)
from slackwater.signals.formulas import Number
from slackwater.signals.frame import Frame, samples
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import Part, StoredRows, read_rows, rows_part
from slackwater.signals.schema import Field
from slackwater.signals.stretches import Windows


class Merge(Enum):
    """How numbers of several windows at one beat become one."""

    SUM = "sum"
    MEAN = "mean"
    MIN = "min"
    MAX = "max"


_UFUNCS: Mapping[Merge, np.ufunc] = {
    Merge.SUM: np.add,
    Merge.MEAN: np.add,
    Merge.MIN: np.minimum,
    Merge.MAX: np.maximum,
}
_NEUTRAL = {Merge.SUM: 0.0, Merge.MEAN: 0.0, Merge.MIN: np.inf, Merge.MAX: -np.inf}


def check_merge(merge: Merge, fields: tuple[Field, ...]) -> None:
    """Refuse windows that end in single numbers, and an order of complex ones."""
    for field in fields:
        if field.size is None:
            raise SignalError(
                f"{field.name!r} is one number for each window, with nothing to merge",
                hint="Leave the merge out.",
            )
        if merge in (Merge.MIN, Merge.MAX) and field.kind is Number.COMPLEX:
            raise SignalError(
                f"complex numbers have no {merge.value}",
                hint="End with a stage that gives real ones.",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slots that a run touches, by group; filled window after window."""

    offsets: Ints
    number: Ints
    columns: tuple[Column, ...]
    """By slot, the numbers merged so far at each of its beats."""
    counts: Column
    """By slot, how many windows cover it, and how many cover only its later beats."""
    last: Ints
    """By window, the slot it ends with."""

    def add(self, merge: Merge, part: slice, columns: tuple[Column, ...]) -> None:
        """Merge the arrays of the next windows into their slots."""
        for slots, arrays in zip(self.columns, columns, strict=True):
            pieces = _pieces(arrays, slots.shape[1], _NEUTRAL[merge])
            reach = pieces.shape[1]
            if reach == 1:
                # No other window ever reaches these slots.
                slots[_as_slice(self.last[part])] = pieces[:, 0]
                continue
            for back in range(reach):
                at = _as_slice(self.last[part] - back)
                slots[at] = _UFUNCS[merge](slots[at], pieces[:, reach - 1 - back])

    def count(self, size: int, hop: int) -> None:
        """Count the windows over every slot."""
        reach = -(-size // hop)
        for back in range(reach):
            partly = back == reach - 1 and size % hop != 0
            self.counts[_as_slice(self.last - back), int(partly)] += 1


def _pieces(arrays: Column, hop: int, neutral: float) -> Column:
    """The arrays cut into slots; the first is filled up with numbers that change nothing."""
    reach = -(-arrays.shape[1] // hop)
    missing = reach * hop - arrays.shape[1]
    if missing:
        filler = np.full((len(arrays), missing), neutral, dtype=arrays.dtype)
        arrays = np.concatenate([filler, arrays], axis=1)
    return arrays.reshape(len(arrays), reach, hop)


def _as_slice(places: Ints) -> slice | Ints:
    """Neighbours as a range, which needs no copy."""
    if len(places) and places[-1] - places[0] == len(places) - 1:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


@dataclass(frozen=True, slots=True)
class Unwindow:
    """The parameters of laying arrays of `size` numbers back, every `hop` beats."""

    merge: Merge
    fields: tuple[Field, ...]
    hop: int
    grid: Grid

    @property
    def size(self) -> int:
        """The length of the arrays."""
        return self.fields[0].size or 1

    @property
    def reach(self) -> int:
        """How many slots an array covers."""
        return -(-self.size // self.hop)

    @property
    def _blanks(self) -> tuple[Column, ...]:
        columns = (np.empty((0, self.hop), dtype=field.blank().dtype) for field in self.fields)
        return (*columns, np.empty((0, 2)))

    def open(self, windows: Windows, state: Part) -> Slots:
        """The slots of the state and of new windows, with what the state holds of them."""
        known = read_rows(state, 1, self._blanks)
        offsets, last = self._places(windows, known)
        kept = np.diff(known.offsets)
        old = np.repeat(offsets[:-1], kept) + counting(kept)
        numbers = np.empty(offsets[-1], dtype=np.int64)
        numbers[old] = known.times[0]
        for back in range(self.reach):
            numbers[last - back] = self._numbers(windows) - back
        shape = (len(numbers), self.hop)
        columns = tuple(np.empty(shape, dtype=blank.dtype) for blank in known.columns[:-1])
        if self.reach > 1 or self.size < self.hop:
            for each in columns:
                each.fill(_NEUTRAL[self.merge])
        counts = np.zeros((len(numbers), 2))
        for target, values in zip((*columns, counts), known.columns, strict=True):
            target[old] = values
        slots = Slots(offsets, numbers, columns, counts, last)
        slots.count(self.size, self.hop)
        return slots

    def _numbers(self, windows: Windows) -> Ints:
        """The number of each window: that of the slot it ends with."""
        numbers: Ints = (windows.beat + 1) // self.hop - 1
        return numbers

    def _places(self, windows: Windows, known: StoredRows) -> tuple[Ints, Ints]:
        """Where the slots of each group begin, and by window the place of the slot it ends with.

        Slots that are open end with the newest window's. Each window adds those it reaches beyond
        the slots of the one before it.
        """
        kept = np.diff(known.offsets)
        newest = np.full(len(kept), START, dtype=np.int64)
        newest[kept > 0] = known.times[0][known.offsets[1:][kept > 0] - 1]
        number = self._numbers(windows)
        before = previous_in_group(windows.offsets, number, newest)
        first = before == START
        moved = number - np.where(first, 0, before)
        added = np.where(first, self.reach, np.minimum(moved, self.reach))
        group = owners(windows.offsets)
        total = kept + np.bincount(group, weights=added, minlength=len(kept)).astype(np.int64)
        return offsets_of(total), np.cumsum(added) + np.cumsum(kept)[group] - 1

    def close(self, slots: Slots, bound: Ints) -> tuple[Frame, Part]:
        """The samples of slots that no window after the bound reaches, and the other slots."""
        first = self.first_open(bound)
        final = slots.number < first[owners(slots.offsets)]
        rest = rows_part(
            offsets_kept(slots.offsets, ~final),
            (slots.number[~final],),
            tuple(each[~final] for each in (*slots.columns, slots.counts)),
        )
        open_time = self.grid.time(np.where(bound == END, 0, first) * self.hop)
        after = np.where(bound == END, END, np.where(bound == START, START, open_time))
        return self._samples(slots, final, np.minimum(after, bound)), rest

    def first_open(self, bound: Ints) -> Ints:
        """By group the first slot that a window at or after the bound could reach."""
        known = (bound != END) & (bound != START)
        beat = self.grid.number(np.where(known, bound, 1) - 1) + 1
        window = -(-(beat + 1) // self.hop) - 1
        return np.where(known, window - self.reach + 1, bound)

    def _samples(self, slots: Slots, final: Column, bound: Ints) -> Frame:
        beats = slots.number[final][:, None] * self.hop + np.arange(self.hop)
        offsets = offsets_kept(slots.offsets, final) * self.hop
        chosen = _as_slice(np.flatnonzero(final))
        columns = tuple(column[chosen] for column in slots.columns)
        if self.merge is Merge.MEAN:
            counts = np.maximum(self._counts(slots.counts[chosen]), 1)
            columns = tuple(column / counts for column in columns)
        flat = tuple(column.reshape(-1) for column in columns)
        found = samples(offsets, self.grid.time(beats.reshape(-1)), flat, bound)
        if not self.size % self.hop:
            return found
        return found.keep(self._counts(slots.counts[chosen]).reshape(-1) > 0)

    def _counts(self, counts: Column) -> Column:
        """By slot and beat, how many windows gave a number."""
        missing = self.reach * self.hop - self.size
        later = np.arange(self.hop) >= missing
        both: Column = counts[:, :1] + counts[:, 1:] * later
        return both
