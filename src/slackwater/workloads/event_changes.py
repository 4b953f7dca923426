"""Changes of a log of events, of a given share of its rows: inserts alone, or all kinds.

New events carry on where the log ends; a tenth of them are late by up to a week. Updated and
deleted events are chosen by arithmetic on their ids, spread over the whole log, and no event is
chosen twice.
"""

from __future__ import annotations

import math
from enum import Enum
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.errors import DataError
from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.event_tables import (
    EVENT_SCHEMA,
    LAST_TIME,
    EventSpec,
    arrival_times,
    make_events,
)
from slackwater.workloads.event_values import Integers

_LATE: Final = 0.1
_WEEK: Final = 7 * 86_400_000_000
_SCATTER: Final = 7_368_787
"""A prime; multiplied by it, numbers below any smaller or coprime count change places."""
_MOVED: Final = ("kind", "amount", "score", "price", "quantity", "ok", "note", "tags", "payload")
"""The columns that every update draws anew; one update in four also moves to another shop."""


class ChangeKind(Enum):
    """The kinds of rows in a change."""

    INSERTS = "inserts"
    MIXED = "mixed"
    """Half of the changed events are new, a quarter updated, a quarter deleted."""


class EventChanges:
    """Takes changes from the files of `ensure_events`, one after the other."""

    def __init__(self, folder: Path, spec: EventSpec):
        """Nothing is read yet."""
        self._file = folder / "events.parquet"
        self._spec = spec
        self._made = 0
        self._next_id = spec.rows + -spec.rows % 5
        self._chosen = 0

    def take(self, share: float, kind: ChangeKind) -> ChangeBatch:
        """A change of that share of the events, at least one."""
        (batch,) = self.take_many(share, kind, 1)
        return batch

    def take_many(self, share: float, kind: ChangeKind, count: int) -> list[ChangeBatch]:
        """So many changes, for which the file is read once."""
        rows = max(1, round(share * self._spec.rows))
        going, updated = (rows // 4, rows // 4) if kind is ChangeKind.MIXED else (0, 0)
        found = self._rows_of(self._choose(count * (going + updated)))
        batches = []
        for number in range(count):
            old = found.slice(number * (going + updated), going + updated)
            batches.append(self._batch(rows - going - updated, old, updated))
        return batches

    def _batch(self, new: int, old: pa.Table, updated: int) -> ChangeBatch:
        self._made += 1
        rng = np.random.default_rng([self._spec.seed, 3, self._made])
        parts = [
            _weighted(self._new_events(rng, new), 1),
            _weighted(old, -1),
            _weighted(self._updates(rng, old.slice(0, updated)), 1),
        ]
        return {"events": pa.concat_tables(parts)}

    def _new_events(self, rng: np.random.Generator, count: int) -> pa.Table:
        ids = np.arange(self._next_id, self._next_id + count, dtype=np.int64)
        # The events of one visit are in one batch.
        self._next_id += count + -count % 5
        times = arrival_times(self._spec, ids)
        late = rng.random(count) < _LATE
        times[late] = LAST_TIME - rng.integers(0, _WEEK, int(late.sum()))
        return make_events(self._spec, rng, ids, times)

    def _updates(self, rng: np.random.Generator, old: pa.Table) -> pa.Table:
        ids = old.column("event_id").to_numpy()
        drawn = make_events(self._spec, rng, ids, np.zeros(len(ids), dtype=np.int64))
        new = old
        for name in _MOVED:
            new = new.set_column(new.schema.get_field_index(name), name, drawn.column(name))
        moves = pa.array(rng.random(len(ids)) < 0.25)
        shop = pc.if_else(moves, drawn.column("shop_id"), old.column("shop_id"))
        return new.set_column(new.schema.get_field_index("shop_id"), "shop_id", shop)

    def _choose(self, count: int) -> Integers:
        rows = self._spec.rows
        if self._chosen + count > rows or math.gcd(rows, _SCATTER) != 1:
            raise DataError("all events have been changed", hint="Take fewer or smaller changes.")
        numbers = np.arange(self._chosen, self._chosen + count, dtype=np.int64)
        self._chosen += count
        ids: Integers = numbers * _SCATTER % rows
        return ids

    def _rows_of(self, ids: Integers) -> pa.Table:
        """The events with these ids, in this order; row groups without any are not read."""
        if not len(ids):
            return EVENT_SCHEMA.empty_table()
        order = np.argsort(ids)
        parts = []
        with pq.ParquetFile(self._file) as file:
            first = 0
            for group in range(file.num_row_groups):
                last = first + file.metadata.row_group(group).num_rows
                inside = ids[order][(ids[order] >= first) & (ids[order] < last)]
                if len(inside):
                    parts.append(file.read_row_group(group).take(pa.array(inside - first)))
                first = last
        places = np.argsort(order)
        return pa.concat_tables(parts).cast(EVENT_SCHEMA).take(pa.array(places)).combine_chunks()


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    return rows.append_column(WEIGHT, pa.array(np.full(rows.num_rows, weight, dtype=np.int64)))
