"""Validates the initial load of a source in the same pass that writes it."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from slackwater.state.columns import WEIGHT
from slackwater.state.segments import hash_column


@dataclass(slots=True)
class FirstRows:
    """Counts rows, and notes if some of them may break a rule of their source.

    `suspicious` are rows with a negative weight and, where the hashed key must be `unique`, two
    rows under one hash. Rows come sorted by hash and consolidated, all of a hash at once.

    >>> first = FirstRows(unique=True)
    >>> _ = first.see(pa.record_batch({"_h": [5, 5], "k0": [1, 2], "_w": [1, 1]}))
    >>> first.came, first.suspicious
    (2, True)
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
