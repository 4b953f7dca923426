"""Reads an arrangement, or a range of its hashes, in portions of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from slackwater.state.columns import WEIGHT, join_batches, slices, widened
from slackwater.state.consolidation import consolidate
from slackwater.state.counters import Ledger, ReadCounters
from slackwater.state.disk_blocks import Hashes, Places
from slackwater.state.mapped_files import read_ahead
from slackwater.state.matching import Arrangement
from slackwater.state.segments import (
    Segment,
    cut,
    expand,
    hash_column,
    open_between,
)
from slackwater.state.worker import Batches, metered

FIRST_HASH = -(2**63)

HASH_COLUMN = -1
"""The number of the hash among a row's columns."""

Range = tuple[int, int]
_PORTIONS_AT_ONCE = 16
"""Of rows that are read in place, only those that may be twice are held in memory."""


@dataclass(frozen=True, slots=True)
class ReadSegments:
    """The rows of hash ranges; the input's one column says which of `ranges` to read.

    Output: the row's columns, or the numbered ones, and `_w`; with `net`, equal rows are added
    up and zeros dropped. What needs no adding up is not copied if the rows may be `compact`, as
    they are in files.
    """

    arrangement: Arrangement
    ranges: tuple[Range, ...]
    net: bool
    ledger: Ledger | None = None
    columns: tuple[int, ...] | None = None
    compact: bool = False

    def __call__(self, batches: Batches) -> Batches:
        """Read range after range."""
        return metered(self._rows, batches, self.ledger)

    def _rows(self, batches: Batches, counters: ReadCounters) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for rows in self._range(self.ranges[number], counters):
                    yield from slices(rows if self.compact else widened(rows))

    def _range(self, hashes: Range, counters: ReadCounters) -> Batches:
        stored = self.arrangement
        width = len(stored.columns)
        numbers = range(width) if self.columns is None else self.columns
        wanted = [number + 1 for number in (*numbers, width)]
        with counters.while_reading():
            segments = open_between(stored.root, stored.files, *hashes)
            # Hashes are compared only where a row may be in two places.
            compared = {0} if self.net and len(segments) > 1 else set()
            _ask_for(segments, hashes, sorted({*compared, *wanted}), counters)
        if not self.net:
            found = (extent for segment in segments for extent in cut(segment, *hashes))
            return (extent.select(wanted).rows for extent in found)
        limit = _PORTIONS_AT_ONCE * stored.portion()
        return counters.read(_added_up_in_any_order(segments, hashes, limit, wanted))


def _ask_for(
    segments: Sequence[Segment], hashes: Range, columns: list[int], counters: ReadCounters
) -> None:
    """Let the disk be read ahead for rows that are going to be read, and count them."""
    wanted = [
        (segment.file, extent.select(columns))
        for segment in segments
        for extent in cut(segment, *hashes)
    ]
    for _, extent in wanted:
        counters.count(extent.rows)
    read_ahead(wanted)


def _added_up_in_any_order(
    segments: Sequence[Segment], hashes: Range, limit: int, wanted: list[int]
) -> Iterator[pa.RecordBatch]:
    """The wanted columns of the rows of a range, equal rows added up."""
    for low, high in _portions(segments, hashes, limit):
        cuts = (_Cut.of(segment, low, high) for segment in segments)
        found = sorted((each for each in cuts if each.batches), key=_Cut.rows, reverse=True)
        if not found:
            continue
        largest, others = found[0], found[1:]
        shared = [batch for each in others for batch in each.batches]
        if not largest.segment.consolidated:
            shared += largest.batches
        elif not shared:
            yield from (batch.select(wanted) for batch in largest.batches)
        else:
            suspects = _hashes_of(shared)
            for batch in largest.batches:
                twins = _rows_of(suspects, batch)
                shared.append(batch.take(pa.array(twins)))
                yield _without(batch.select(wanted), twins)
        if any(batch.num_rows for batch in shared):
            yield consolidate(join_batches(shared), (WEIGHT,)).select(wanted)


def add_up(segments: Sequence[Segment], hashes: Range, limit: int) -> Iterator[pa.RecordBatch]:
    """The rows of a range in order of hash, equal ones added up, about `limit` at a time."""
    for low, high in _portions(segments, hashes, limit):
        found = [_Cut.of(segment, low, high) for segment in segments]
        yield from _net([each for each in found if each.batches])


@dataclass(frozen=True, slots=True)
class _Cut:
    """The rows of a segment in a range."""

    segment: Segment
    batches: list[pa.RecordBatch]

    @staticmethod
    def of(segment: Segment, low: int, high: int) -> _Cut:
        """The rows with hashes from `low` to `high`, both included."""
        return _Cut(segment, [extent.rows for extent in cut(segment, low, high)])

    def rows(self) -> int:
        """The number of these rows."""
        return sum(batch.num_rows for batch in self.batches)


def _net(found: list[_Cut]) -> Iterator[pa.RecordBatch]:
    """The rows of all, equal ones added up. What one merged segment holds alone is final."""
    found.sort(key=_Cut.rows, reverse=True)
    if len(found) == 1 and found[0].segment.consolidated:
        yield from found[0].batches
    elif found:
        rows = join_batches([batch for each in found for batch in each.batches])
        yield consolidate(rows, (WEIGHT,), _suspects(found))


def _rows_of(hashes: Hashes, batch: pa.RecordBatch) -> Places:
    """The numbers of the rows with one of the ascending `hashes`."""
    stored = hash_column(batch)
    first, last = (
        np.searchsorted(hashes, stored[0], "left"),
        np.searchsorted(hashes, stored[-1], "right"),
    )
    near = hashes[first:last]
    return expand(np.searchsorted(stored, near, "left"), np.searchsorted(stored, near, "right"))


def _without(batch: pa.RecordBatch, rows: Places) -> pa.RecordBatch:
    """The batch without some of its rows; as it is if there are none."""
    if not len(rows):
        return batch
    kept = np.ones(batch.num_rows, dtype=bool)
    kept[rows] = False
    return batch.filter(pa.array(kept))


def _suspects(found: list[_Cut]) -> Hashes | None:
    """The hashes under which a row may be twice: those of all segments but the largest."""
    if not found[0].segment.consolidated:
        return None
    return _hashes_of([batch for each in found[1:] for batch in each.batches])


def _hashes_of(batches: list[pa.RecordBatch]) -> Hashes:
    """All their hashes, ascending, each once."""
    if not batches:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.concatenate([hash_column(batch) for batch in batches]))


def _portions(segments: Sequence[Segment], hashes: Range, limit: int) -> Iterator[Range]:
    """Cut the range at first hashes of blocks, so that about `limit` rows lie between cuts."""
    low, high = hashes
    edges = sorted(
        (first, count)
        for blocks in (segment.blocks for segment in segments)
        for first, count in zip(
            blocks.firsts.tolist(), (blocks.stops - blocks.starts).tolist(), strict=True
        )
        if low < first <= high
    )
    rows = 0
    for first, count in edges:
        if rows and rows + count > limit and first > low:
            yield low, first - 1
            low, rows = first, 0
        rows += count
    yield low, high


def even_ranges(count: int) -> tuple[Range, ...]:
    """All hashes, cut into `count` ranges of one size.

    >>> even_ranges(2)
    ((-9223372036854775808, -1), (0, 9223372036854775807))
    """
    edges = [FIRST_HASH + (index << 64) // count for index in range(count + 1)]
    return tuple((low, high - 1) for low, high in pairwise(edges))
