"""Flat arrays of many groups: the rows of a group lie together and are found by offsets.

No function here loops over groups. Rows of three groups with 2, 0 and 1 events:

    offsets  [0, 2, 2, 3]
    values   [a0, a1, c0]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]
"""Real or complex numbers, one row an event; a second dimension holds arrays of one length."""

START = int(np.iinfo(np.int64).min)
"""The time before all times: nothing is known yet."""
END = int(np.iinfo(np.int64).max)
"""The time after all times: nothing more will come."""

_DIGIT_BITS = 16


def offsets_of(counts: npt.NDArray[np.integer[Any]]) -> Ints:
    """Where each group begins, and where the last one ends.

    >>> offsets_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def owners(offsets: Ints) -> Ints:
    """The group of every row.

    >>> owners(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def counting(counts: Ints) -> Ints:
    """Every group's own 0, 1, 2 and so on.

    >>> counting(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    offsets = offsets_of(counts)
    return np.arange(offsets[-1], dtype=np.int64) - np.repeat(offsets[:-1], counts)


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of many groups, with as many rows in each group as it has."""

    offsets: Ints
    values: Column

    def __post_init__(self) -> None:
        """Offsets end where the values do."""
        if self.offsets[-1] != len(self.values):
            raise ValueError(f"offsets end at {self.offsets[-1]} of {len(self.values)} rows")

    @property
    def counts(self) -> Ints:
        """How many rows each group has."""
        return np.diff(self.offsets)

    def last(self, most: int) -> Ragged:
        """The last rows of every group, at most so many."""
        counts = np.minimum(self.counts, most)
        if np.array_equal(counts, self.counts):
            return self
        rows = np.repeat(self.offsets[1:] - counts, counts) + counting(counts)
        return Ragged(offsets_of(counts), self.values[rows])

    def keep(self, mask: Mask) -> Ragged:
        """The rows the mask chooses."""
        return Ragged(offsets_kept(self.offsets, mask), self.values[mask])


def offsets_kept(offsets: Ints, mask: Mask) -> Ints:
    """The offsets after only the rows of the mask are kept."""
    kept = np.zeros(len(mask) + 1, dtype=np.int64)
    np.cumsum(mask, out=kept[1:])
    return kept[offsets]


def interleave(first: Ragged, second: Ragged) -> Ragged:
    """In every group, the rows of the first and then those of the second.

    >>> one = Ragged(np.array([0, 1, 2]), np.array([1.0, 2.0]))
    >>> two = Ragged(np.array([0, 0, 2]), np.array([8.0, 9.0]))
    >>> interleave(one, two).values.tolist()
    [1.0, 2.0, 8.0, 9.0]
    """
    if not len(first.values):
        return second
    if not len(second.values):
        return first
    dtype = np.result_type(first.values, second.values)
    rows = len(first.values) + len(second.values)
    values = np.empty((rows, *first.values.shape[1:]), dtype=dtype)
    values[_places(first, second.offsets[:-1])] = first.values
    values[_places(second, first.offsets[1:])] = second.values
    return Ragged(first.offsets + second.offsets, values)


def _places(rows: Ragged, moved: Ints) -> Ints:
    """Where rows go if so many others stand before each group's."""
    return np.arange(len(rows.values), dtype=np.int64) + np.repeat(moved, rows.counts)


def replace_rows(old: Ragged, groups: Ints, rows: Column) -> Ragged:
    """At most one row a group: these for the given groups, for others what they had."""
    counts = old.counts.copy()
    counts[groups] = 1
    offsets = offsets_of(counts)
    values = np.empty((int(offsets[-1]), *rows.shape[1:]), dtype=rows.dtype)
    values[offsets[:-1][old.counts > 0]] = old.values
    values[offsets[groups]] = rows
    return Ragged(offsets, values)


def stable_order(codes: Ints, groups: int) -> Ints:
    """The order that sorts small numbers and leaves equal ones as they are.

    Digits of 16 bits are sorted by NumPy's radix sort, some seven times as fast as its merge sort
    of 64 bits.
    """
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    shift = _DIGIT_BITS
    while groups >> shift:
        digit = ((codes[order] >> shift) & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
        shift += _DIGIT_BITS
    return order


def order_events(codes: Ints, times: Ints, groups: int) -> Ints | None:
    """The order of events by group and time; None if they are in it already."""
    if len(codes) < 2:
        return None
    later = times[1:] >= times[:-1]
    if groups == 1:
        return None if bool(later.all()) else np.argsort(times, kind="stable")
    if bool(np.all((codes[1:] > codes[:-1]) | ((codes[1:] == codes[:-1]) & later))):
        return None
    if bool(later.all()):
        return stable_order(codes, groups)
    by_time = np.argsort(times, kind="stable")
    return by_time[stable_order(codes[by_time], groups)]


def previous_in_group(offsets: Ints, values: Ints, before: Ints) -> Ints:
    """The value of the row before, and for a group's first row what stood `before` the group."""
    previous = np.empty_like(values)
    previous[1:] = values[:-1]
    filled = offsets[:-1] < offsets[1:]
    previous[offsets[:-1][filled]] = before[filled]
    return previous


def last_in_group(offsets: Ints, values: Ints, otherwise: Ints) -> Ints:
    """The value of each group's last row, and of a group without rows the other one."""
    found = otherwise.copy()
    filled = offsets[:-1] < offsets[1:]
    found[filled] = values[offsets[1:][filled] - 1]
    return found


def move_bounds(bounds: Ints, by: int) -> Ints:
    """Bounds moved in time; the beginning and the end of time stay where they are."""
    fixed = (bounds == START) | (bounds == END)
    return np.where(fixed, bounds, np.where(fixed, 0, bounds) + by)
