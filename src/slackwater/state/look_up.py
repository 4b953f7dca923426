"""Looks rows up in an arrangement by hash: a join of a few rows with much state, by index.

Only hashes are compared here. Two keys may share a hash, so whoever uses the matches compares
the real keys afterwards, in Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.state.columns import HASH, bounded_rows, column_names, regroup
from slackwater.state.counters import Ledger, ReadCounters
from slackwater.state.disk_blocks import Hashes, Places
from slackwater.state.matching import Arrangement
from slackwater.state.segments import expand, hash_column
from slackwater.state.sorting import sort_by_hash
from slackwater.state.worker import Batches, metered

MATCHES = "_matches"
MATCH_WEIGHT = "_sw"


@dataclass(frozen=True, slots=True)
class LookUp:
    """One output row for each input row and each stored row with the same `_h`.

    Output: the input's columns without `_h`, then the stored columns as s0, s1, ... and `_sw`.
    With `net`, equal rows of several segments are added up first and zeros dropped.

        segments hold for hash 7     (7, "a") +1, (7, "a") -1, (7, "b") +1
        input row                    _h 7, k0 "x"
        output                       ("x", 7, "a", +1), ("x", 7, "a", -1), ("x", 7, "b", +1)
        output with `net`            ("x", 7, "b", +1)
    """

    arrangement: Arrangement
    net: bool
    ledger: Ledger | None = None

    def __call__(self, batches: Batches) -> Batches:
        """Match batch after batch."""
        return metered(self._matches, batches, self.ledger)

    def _matches(self, batches: Batches, counters: ReadCounters) -> Batches:
        for batch in regroup(batches):
            probe = Probe.of(batch)
            for rows in self._stored(probe.keys, counters):
                starts, stops = probe.ranges(hash_column(rows))
                yield from self._pairs(probe, rows, starts, stops)

    def _stored(self, keys: Hashes, counters: ReadCounters) -> Iterator[pa.RecordBatch]:
        if self.net:
            for portion in self.arrangement.whole_keys(keys, counters):
                yield portion.net()
        else:
            for rows in self.arrangement.any_order(keys, counters):
                yield sort_by_hash(rows)

    def _pairs(self, probe: Probe, rows: pa.RecordBatch, starts: Places, stops: Places) -> Batches:
        step = _pair_step(probe.others, rows)
        ends: Places = np.cumsum(stops - starts)
        total = int(ends[-1]) if len(ends) else 0
        for low in range(0, total, step):
            places = np.arange(low, min(low + step, total))
            left = np.searchsorted(ends, places, "right")
            right = stops[left] - (ends[left] - places)
            yield _beside(_take(probe.others, left), _take(rows, right))


@dataclass(frozen=True, slots=True)
class LookUpNested:
    """One output row for each input row, with its matches, added up, in the array `_matches`."""

    arrangement: Arrangement
    ledger: Ledger | None = None

    def __call__(self, batches: Batches) -> Batches:
        """Match batch after batch."""
        return metered(self._matches, batches, self.ledger)

    def _matches(self, batches: Batches, counters: ReadCounters) -> Batches:
        for batch in regroup(batches):
            probe = Probe.of(batch)
            for portion in self.arrangement.whole_keys(probe.keys, counters):
                part, state = probe.between(portion.keys), portion.net()
                starts, stops = part.ranges(hash_column(state))
                yield from self._nest(part, state, starts, stops)

    def _nest(self, probe: Probe, rows: pa.RecordBatch, starts: Places, stops: Places) -> Batches:
        step = _pair_step(probe.others, rows)
        ends = np.cumsum(stops - starts)
        low = 0
        while low < len(ends):
            before = int(ends[low - 1]) if low else 0
            full = int(np.searchsorted(ends, before + step, "right"))
            high = min(max(low + 1, full), low + bounded_rows())
            lists = self._lists(rows, starts[low:high], stops[low:high])
            others = probe.others.slice(low, high - low)
            yield pa.RecordBatch.from_arrays(
                [*others.columns, lists], names=[*others.schema.names, MATCHES]
            )
            low = high

    def _lists(self, rows: pa.RecordBatch, starts: Places, stops: Places) -> pa.Array:
        taken = rows.take(pa.array(expand(starts, stops)))
        names = [*column_names("s", taken.num_columns - 2), MATCH_WEIGHT]
        structs = pa.StructArray.from_arrays(taken.columns[1:], names=names)
        offsets = np.concatenate(([0], np.cumsum(stops - starts))).astype(np.int32)
        kind = pa.list_(pa.field("element", structs.type))
        return pa.ListArray.from_arrays(pa.array(offsets), structs, type=kind)


@dataclass(frozen=True, slots=True)
class Probe:
    """Input rows in order of hash, their hashes apart, and the distinct hashes among them."""

    hashes: Hashes
    others: pa.RecordBatch
    keys: Hashes

    @staticmethod
    def of(batch: pa.RecordBatch) -> Probe:
        """The rows of a batch that has a column `_h` anywhere."""
        place = batch.schema.names.index(HASH)
        hashes = batch.column(place).to_numpy(zero_copy_only=True)
        order = np.argsort(hashes, kind="stable")
        others = batch.select([i for i in range(batch.num_columns) if i != place])
        return Probe(hashes[order], _take(others, order), np.unique(hashes))

    def between(self, keys: Hashes) -> Probe:
        """The rows of `keys`, which are some of its own that follow one another."""
        low = int(np.searchsorted(self.hashes, keys[0], "left"))
        high = int(np.searchsorted(self.hashes, keys[-1], "right"))
        return Probe(self.hashes[low:high], self.others.slice(low, high - low), keys)

    def ranges(self, stored: Hashes) -> tuple[Places, Places]:
        """For each row, which of the sorted `stored` hashes equal its own."""
        return (
            np.searchsorted(stored, self.hashes, "left"),
            np.searchsorted(stored, self.hashes, "right"),
        )


def _take(batch: pa.RecordBatch, order: Places) -> pa.RecordBatch:
    if not batch.num_columns:
        return batch
    return batch.take(pa.array(order))


def _pair_step(left: pa.RecordBatch, right: pa.RecordBatch) -> int:
    """The number of pairs of a left and a right row to put in one batch."""
    return min(bounded_rows(left.num_rows, left.nbytes), bounded_rows(right.num_rows, right.nbytes))


def _beside(left: pa.RecordBatch, right: pa.RecordBatch) -> pa.RecordBatch:
    """The columns of both, the stored ones renamed and without their hash."""
    stored = right.columns[1:]
    names = [*left.schema.names, *column_names("s", len(stored) - 1), MATCH_WEIGHT]
    return pa.RecordBatch.from_arrays([*left.columns, *stored], names=names)
