"""Finds the stored rows of many hashes at once, in portions of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.state.columns import (
    WEIGHT,
    bounded_rows,
    compact_stored,
    regroup,
    single_batch,
    stored_schema,
    widened,
)
from slackwater.state.consolidation import Codes, consolidate
from slackwater.state.counters import ReadCounters
from slackwater.state.disk_blocks import Hashes
from slackwater.state.segments import (
    Hits,
    SegmentFile,
    find,
    mean_row_bytes,
    open_between,
)


@dataclass(frozen=True, slots=True)
class Portion:
    """The rows stored under `keys`; only under `suspects` may one row be there twice."""

    keys: Hashes
    rows: pa.RecordBatch
    suspects: Hashes

    def net(self) -> pa.RecordBatch:
        """The rows in order of hash, equal ones added up."""
        return consolidate(self.rows, (WEIGHT,), self.suspects)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The place of an arrangement for a worker: its files below `root` and its rows' columns."""

    root: str
    files: tuple[SegmentFile, ...]
    columns: pa.Schema
    compact: bool = False
    """True if rows come as files hold them, not as Spark knows them."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of its rows."""
        return (compact_stored if self.compact else stored_schema)(self.columns)

    def portion(self) -> int:
        """The number of stored rows to hold in memory at once."""
        return bounded_rows(1, mean_row_bytes(self.files))

    def any_order(self, keys: Hashes, counters: ReadCounters) -> Iterator[pa.RecordBatch]:
        """The rows stored under the ascending, distinct `keys`, as they are stored.

        The rows of one key may come in several portions.
        """
        return regroup(
            self._rows(each, counters) for each in self._bunches(self._hits(keys, counters))
        )

    def whole_keys(self, keys: Hashes, counters: ReadCounters) -> Iterator[Portion]:
        """The rows stored under the ascending, distinct `keys`, a portion of keys at a time.

        All rows of a key are in one portion; every key is in exactly one, found or not.
        """
        hits = self._hits(keys, counters)
        counts, sources = _count(hits, len(keys))
        for first, last in _portions(counts, self.portion()):
            found = (each.between(first, last) for each in hits)
            rows = self._rows([each for each in found if len(each.keys)], counters)
            part = keys[first:last]
            yield Portion(part, rows, part[sources[first:last] > 1])

    def _hits(self, keys: Hashes, counters: ReadCounters) -> list[Hits]:
        with counters.while_reading():
            return list(self._find(keys))

    def _bunches(self, hits: Iterable[Hits]) -> Iterator[list[Hits]]:
        """Hits with about as many rows together as should be in memory at once."""
        bunch: list[Hits] = []
        rows, limit = 0, self.portion()
        for each in hits:
            bunch.append(each)
            rows += each.rows
            if rows >= limit:
                yield bunch
                bunch, rows = [], 0
        if bunch:
            yield bunch

    def _find(self, keys: Hashes) -> Iterator[Hits]:
        if len(keys):
            for segment in open_between(self.root, self.files, int(keys[0]), int(keys[-1])):
                yield from find(segment, keys)

    def _rows(self, hits: Iterable[Hits], counters: ReadCounters) -> pa.RecordBatch:
        # Many hits are of a few rows. What is done once for all of them is not done for each.
        with counters.while_reading():
            parts = (each.take() for each in hits)
            found = counters.count(single_batch(parts, compact_stored(self.columns)))
            return found if self.compact else widened(found)


def _count(hits: Sequence[Hits], keys: int) -> tuple[Codes, Codes]:
    """The number of rows found under each key, and of places in which they may overlap."""
    rows, sources = np.zeros(keys, dtype=np.int64), np.zeros(keys, dtype=np.int64)
    for each in hits:
        rows[each.keys] += each.counts
        sources[each.keys] += 1 if each.consolidated else 2
    return rows, sources


def _portions(counts: Codes, limit: int) -> Iterator[tuple[int, int]]:
    """Cut the numbers of the keys where about `limit` rows have been found."""
    totals = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = int(totals[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(totals, before + limit, "right")))
        yield first, last
        first = last
