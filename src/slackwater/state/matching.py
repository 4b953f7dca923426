"""Finds the stored rows of many hashes at once, in portions of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.state.columns import (
    MAX_BATCH_BYTES,
    MAX_BATCH_ROWS,
    single_batch,
    stored_schema,
)
from slackwater.state.segments import (
    Hashes,
    Hits,
    SegmentFile,
    find,
    mean_row_bytes,
    open_between,
)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where a worker finds an arrangement: its files below `root` and its rows' columns."""

    root: str
    files: tuple[SegmentFile, ...]
    columns: pa.Schema

    def portion(self) -> int:
        """How many stored rows to hold in memory at once."""
        return max(1, min(MAX_BATCH_ROWS, MAX_BATCH_BYTES // max(1, mean_row_bytes(self.files))))

    def any_order(self, keys: Hashes) -> Iterator[pa.RecordBatch]:
        """The rows stored under the ascending, distinct `keys`, as they are stored.

        The rows of one key may come in several portions.
        """
        schema, limit = stored_schema(self.columns), self.portion()
        waiting: list[pa.RecordBatch] = []
        for hits in self._find(keys):
            waiting.append(hits.rows())
            if sum(batch.num_rows for batch in waiting) >= limit:
                yield single_batch(waiting, schema)
                waiting = []
        if waiting:
            yield single_batch(waiting, schema)

    def whole_keys(self, keys: Hashes) -> Iterator[tuple[int, int, pa.RecordBatch]]:
        """The rows stored under portions of `keys`: the keys numbered first to last, and rows.

        All rows of a key are in one portion; every key is in exactly one, found or not.
        """
        hits = list(self._find(keys))
        schema = stored_schema(self.columns)
        for first, last in _portions(hits, len(keys), self.portion()):
            found = (each.between(first, last) for each in hits)
            rows = single_batch((each.rows() for each in found if len(each.keys)), schema)
            yield first, last, rows

    def _find(self, keys: Hashes) -> Iterator[Hits]:
        if len(keys):
            for segment in open_between(self.root, self.files, int(keys[0]), int(keys[-1])):
                yield from find(segment, keys)


def _portions(hits: Sequence[Hits], keys: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cut the numbers of the keys where about `limit` rows have been found."""
    counts = np.zeros(keys, dtype=np.int64)
    for each in hits:
        counts[each.keys] += each.stops - each.starts
    totals = np.cumsum(counts)
    first = 0
    while first < keys:
        before = int(totals[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(totals, before + limit, "right")))
        yield first, last
        first = last
