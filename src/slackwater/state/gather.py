"""Gathers every row of the affected hashes as it was and as it will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.accumulators import Accumulator

from slackwater.state.columns import (
    WEIGHT,
    conform_batch,
    single_batch,
    slices,
    stored_schema,
)
from slackwater.state.identity import consolidate
from slackwater.state.matching import Arrangement
from slackwater.state.segments import hash_column
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
    """

    arrangement: Arrangement
    cpu: Accumulator[int] | None = None

    def __call__(self, batches: Batches) -> Batches:
        """Gather portion after portion of complete hashes."""
        return metered(self._gathered(batches), self.cpu)

    def _gathered(self, batches: Batches) -> Batches:
        schema = stored_schema(self.arrangement.columns)
        conformed = (conform_batch(batch, schema) for batch in batches)
        for arriving in complete_hashes(conformed, schema, self.arrangement.portion()):
            hashes = hash_column(arriving)
            keys = np.unique(hashes)
            for first, last, stored in self.arrangement.whole_keys(keys):
                low = int(np.searchsorted(hashes, keys[first], "left"))
                high = int(np.searchsorted(hashes, keys[last - 1], "right"))
                yield from slices(_compare(stored, arriving.slice(low, high - low)))


def _compare(stored: pa.RecordBatch, arriving: pa.RecordBatch) -> pa.RecordBatch:
    changes = arriving.filter(pc.not_equal(arriving.column(WEIGHT), 0))
    old = stored.column(WEIGHT)
    nothing = pa.array(np.zeros(changes.num_rows, dtype=np.int64))
    before = _with_weights(stored, old, old)
    after = _with_weights(changes, nothing, changes.column(WEIGHT))
    return consolidate(single_batch((before, after), before.schema), (OLD, NEW))


def _with_weights(batch: pa.RecordBatch, old: pa.Array, new: pa.Array) -> pa.RecordBatch:
    names = [*batch.schema.names[:-1], OLD, NEW]
    return pa.RecordBatch.from_arrays([*batch.columns[:-1], old, new], names=names)


def complete_hashes(batches: Batches, schema: pa.Schema, limit: int) -> Iterator[pa.RecordBatch]:
    """Portions of about `limit` rows of a stream in order of `_h`; no hash is in two of them."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        rows += batch.num_rows
        if rows < limit:
            continue
        joined = single_batch(waiting, schema)
        hashes = hash_column(joined)
        end = int(np.searchsorted(hashes, hashes[-1], "left"))
        if end:
            yield joined.slice(0, end)
        waiting = [joined.slice(end)]
        rows = joined.num_rows - end
    if waiting:
        yield single_batch(waiting, schema)
