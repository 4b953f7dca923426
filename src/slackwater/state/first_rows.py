"""Looks at the first rows of a source while they are written: nothing else could object to them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from slackwater.state.columns import WEIGHT
from slackwater.state.segments import hash_column


@dataclass(slots=True)
class FirstRows:
    """Counts rows, and notes whether some may not be there.

    Those are rows that are taken out more often than they come and, where rows are `unique` by
    what is hashed, rows under one hash: equal ones, seldom others. Rows come sorted by hash and
    added up, all of a hash at once.
    """

    unique: bool
    came: int = 0
    suspicious: bool = False

    def see(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Take note of rows on their way."""
        weights = batch.column(WEIGHT).to_numpy()
        if len(weights):
            self.came += int(weights.sum())
            self.suspicious |= bool(weights.min() < 0)
        if self.unique and len(weights):
            hashes = hash_column(batch)
            self.suspicious |= bool(weights.max() > 1 or (hashes[1:] == hashes[:-1]).any())
        return batch
