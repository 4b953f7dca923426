"""Gathers every row of the affected hashes as it was and as it will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.state.columns import (
    HASH,
    WEIGHT,
    bounded_rows,
    conform_batch,
    single_batch,
    slices,
)
from slackwater.state.consolidation import consolidate
from slackwater.state.counters import Ledger, ReadCounters
from slackwater.state.matching import Arrangement, Portion
from slackwater.state.segments import distinct, hash_column
from slackwater.state.worker import Batches, metered

OLD = "_old"
NEW = "_new"


@dataclass(frozen=True, slots=True)
class Gather:
    """For each hash of the input: all stored and arriving rows, with both weights.

    Input: `_h`, the row's columns and `_w`, ascending by `_h`, all rows of a hash in one
    partition. A row of weight 0 only marks its hash as affected. Output: `_h`, the columns,
    `_old` (the weight stored) and `_new` (`_old` plus the weights arriving); rows that neither
    were nor will be are left out.

        stored for hash 7     (7, "a") +1, (7, "b") +1
        arriving              (7, "a") -1, (7, "c") +1
        gathered, _old _new   (7, "a") 1 0, (7, "b") 1 1, (7, "c") 0 1
    """

    arrangement: Arrangement
    ledger: Ledger | None = None

    def __call__(self, batches: Batches) -> Batches:
        """Gather portion after portion of complete hashes."""
        return metered(self._gathered, batches, self.ledger)

    def _gathered(self, batches: Batches, counters: ReadCounters) -> Batches:
        schema = self.arrangement.schema
        conformed = (conform_batch(batch, schema) for batch in batches)
        for arriving in complete_hashes(conformed, schema, self.arrangement.portion()):
            for rows in weigh(self.arrangement, arriving, counters):
                yield from slices(rows)


def weigh(
    arrangement: Arrangement, arriving: pa.RecordBatch, counters: ReadCounters
) -> Iterator[pa.RecordBatch]:
    """All rows under the hashes of arriving ones, as `Gather` gives them; no hash is cut in two."""
    hashes = hash_column(arriving)
    for portion in arrangement.whole_keys(distinct(hashes), counters):
        low = int(np.searchsorted(hashes, portion.keys[0], "left"))
        high = int(np.searchsorted(hashes, portion.keys[-1], "right"))
        yield _compare(portion, arriving.slice(low, high - low))


@dataclass(frozen=True, slots=True)
class AddUp:
    """Adds up equal rows: input and output have `_h`, the row's columns, `_old` and `_new`.

    Rows come ascending by `_h`, all of a hash in one partition; those whose weights are both zero
    are left out.
    """

    columns: pa.Schema
    ledger: Ledger | None = None

    def __call__(self, batches: Batches) -> Batches:
        """Add up portion after portion of complete hashes."""
        return metered(self._added_up, batches, self.ledger)

    def _added_up(self, batches: Batches, _tally: ReadCounters) -> Batches:
        weights = [pa.field(name, pa.int64()) for name in (OLD, NEW)]
        schema = pa.schema([pa.field(HASH, pa.int64()), *self.columns, *weights])
        conformed = (conform_batch(batch, schema) for batch in batches)
        for arriving in complete_hashes(conformed, schema, bounded_rows()):
            yield from slices(consolidate(arriving, (OLD, NEW)))


def _compare(portion: Portion, arriving: pa.RecordBatch) -> pa.RecordBatch:
    changes = arriving.filter(pc.not_equal(arriving.column(WEIGHT), 0))
    old = portion.rows.column(WEIGHT)
    nothing = pa.array(np.zeros(changes.num_rows, dtype=np.int64))
    before = _with_weights(portion.rows, old, old)
    after = _with_weights(changes, nothing, changes.column(WEIGHT))
    suspects = None
    if portion.rows.num_rows:
        both = np.concatenate((portion.suspects, hash_column(changes)))
        suspects = distinct(np.sort(both, kind="stable"))
    return consolidate(single_batch((before, after), before.schema), (OLD, NEW), suspects)


def _with_weights(batch: pa.RecordBatch, old: pa.Array, new: pa.Array) -> pa.RecordBatch:
    names = [*batch.schema.names[:-1], OLD, NEW]
    return pa.RecordBatch.from_arrays([*batch.columns[:-1], old, new], names=names)


def complete_hashes(batches: Batches, schema: pa.Schema, limit: int) -> Iterator[pa.RecordBatch]:
    """Portions of about `limit` rows of a stream in order of `_h`; no hash is in two of them."""
    waiting: list[pa.RecordBatch] = []
    rows, enough = 0, limit
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows < enough:
            continue
        joined = single_batch(waiting, schema)
        hashes = hash_column(joined)
        end = int(np.searchsorted(hashes, hashes[-1], "left"))
        if end:
            yield joined.slice(0, end)
        waiting, rows = [joined.slice(end)], len(hashes) - end
        # A hash with many rows is copied together a few times, not with each batch.
        enough = max(limit, 2 * rows)
    if rows:
        yield single_batch(waiting, schema)
