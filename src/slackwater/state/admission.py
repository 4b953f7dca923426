"""Holds the rows of a batch against those that their source holds, on their way into a file.

It admits a batch or raises `DoubtfulRowsError`: then some rows may break a rule, which only Spark
can tell for sure and explain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pyarrow as pa

from slackwater.state.ahead import in_order
from slackwater.state.columns import WEIGHT, single_batch
from slackwater.state.consolidation import one_key_a_hash
from slackwater.state.counters import ReadCounters
from slackwater.state.disk_blocks import Hashes
from slackwater.state.gather import NEW, OLD, weigh
from slackwater.state.matching import Arrangement
from slackwater.state.segments import first_of_each, hash_column
from slackwater.state.sorting import sorted_pieces
from slackwater.state.spill import Room


class DoubtfulRowsError(Exception):
    """Some rows may break a rule of their source; the message says which."""


class Arrival(Enum):
    """The effect of arriving rows on those that are stored."""

    ADD = "add"
    """Their weights are added."""
    REPLACE = "replace"
    """They take the places of rows with their keys."""
    REMOVE = "remove"
    """Rows with their keys go; their other columns mean nothing."""


@dataclass(frozen=True, slots=True)
class Admission:
    """The rules by which a source takes rows in.

    `key` are the places of columns whose values no two rows may share; it is what is hashed.
    With a key in the first column, (1, "a") stored and (1, "b") arriving:

        ADD       refused: two rows of one key
        REPLACE   (1, "a") -1, (1, "b") +1
        REMOVE    (1, "a") -1
    """

    stored: Arrangement
    key: tuple[int, ...] = ()
    arrival: Arrival = Arrival.ADD
    ignores_missing: bool = False

    def changes(self, arriving: Iterable[pa.RecordBatch], room: Room) -> Iterator[pa.RecordBatch]:
        """The changes of the stored rows: `_h`, the row's columns, `_w`, in order of hash.

        Rows arrive in the same form and in any order; each row that changes comes out once.
        """
        return in_order(self._admit, sorted_pieces(arriving, room), room.cores)

    def _admit(self, arriving: pa.RecordBatch) -> pa.RecordBatch:
        found = weigh(self.stored, arriving, ReadCounters())
        return single_batch(map(self._changed, found), self.stored.schema)

    def _changed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The change of each row that changes."""
        hashes = hash_column(rows)
        old, stays = (rows.column(name).to_numpy() for name in (OLD, NEW))
        if self.arrival is not Arrival.ADD:
            if not one_key_a_hash(rows, self.key):
                raise DoubtfulRowsError("different keys of one hash")
            stays = stays - old
        if (stays < 0).any():
            if not self.ignores_missing:
                raise DoubtfulRowsError("deletes of rows that are not there")
            stays = np.maximum(stays, 0)
        if self.key:
            _require_unique(hashes, stays)
        if self.arrival is Arrival.REMOVE:
            self._require_each_hash(hashes, old)
            stays = np.zeros_like(old)
        change = stays - old
        columns = [*rows.columns[:-2], pa.array(change)]
        changed = pa.RecordBatch.from_arrays(columns, schema=self.stored.schema)
        return changed if (change != 0).all() else changed.filter(pa.array(change != 0))

    def _require_each_hash(self, hashes: Hashes, weights: Hashes) -> None:
        """Refuse a hash none of whose rows has weight, unless missing rows are to be ignored."""
        starts = np.flatnonzero(first_of_each(hashes))
        if not self.ignores_missing and not np.add.reduceat(weights, starts).all():
            raise DoubtfulRowsError("deletes of keys that are not there")


def _require_unique(hashes: Hashes, weights: Hashes) -> None:
    """Refuse two rows under one hash: two of one key, but for rare collisions of hashes."""
    present = hashes[weights > 0]
    if (weights > 1).any() or (present[1:] == present[:-1]).any():
        raise DoubtfulRowsError("two rows of one key")


def came_and_went(rows: pa.RecordBatch) -> tuple[int, int]:
    """The number of rows that a change adds, and that it takes away."""
    weights = rows.column(WEIGHT).to_numpy()
    return int(weights[weights > 0].sum()), -int(weights[weights < 0].sum())
