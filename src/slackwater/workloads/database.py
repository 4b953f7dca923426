"""A database that changes at random but lawfully: the engine of a change stream."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from slackwater.errors import DataError
from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.current_rows import Proposal, Rewriter, RowValues
from slackwater.workloads.live_rows import LiveRows, Mask, Reference, Rows
from slackwater.workloads.table_keys import TableKeys

ChangeBatch = dict[str, pa.Table]
"""Table name to the table's columns plus `_w`; tables without changes are left out."""

Saved = list[NDArray[Any]]

_SMALL_FAMILY: Final = 8.0
"""Up to so many children a parent, most children arrive together with their parent."""

_ARRIVES_WITH_PARENT: Final = 0.75
_RETURN_SHARE: Final = 0.25
"""The share of the deleted rows that are inserted again later."""

_SPARE_UPDATES: Final = 1.5
"""So many updates are tried for each one wanted; some leave a row as it was."""

_TABLE_UPDATE_CHANCE: Final = 0.25
"""The chance that a batch updates a row of a given table, however small the table is."""

_INSERTS, _DELETES, _UPDATES = range(3)


class RandomDatabase:
    """Tables that start empty and of which every change keeps all foreign keys intact."""

    def __init__(
        self, tables: Mapping[str, pa.Table], keys: Mapping[str, TableKeys], seed: int
    ) -> None:
        """Resolve the keys and decide in which order the rows arrive."""
        for name, table in tables.items():
            if WEIGHT in table.column_names:
                raise DataError(f"the column name {WEIGHT} is taken by the weights", where=name)
        self._rng = np.random.default_rng(seed)
        self._live = LiveRows(tables, keys)
        self._rewriters = {
            name: _rewriter(tables, keys, self._live, name) for name in self._live.spans
        }
        self._arrivals = _arrival_order(self._live, self._rng)
        self._arrived: Mask = np.zeros(len(self._live), dtype=np.bool_)
        self._return_at: NDArray[np.float64] = np.full(len(self._live), np.inf)
        self._made: Rows = np.zeros(3, dtype=np.int64)

    def __len__(self) -> int:
        """The number of rows that the tables have when all have arrived."""
        return len(self._live)

    def load(self, share: float) -> ChangeBatch:
        """Insert that share of all rows."""
        inserts = self._choose_inserts(round(share * len(self)), 0.0)
        self._make(inserts, np.zeros_like(inserts))
        return self._batch(inserts, np.zeros_like(inserts), {})

    def change(self, quotas: tuple[float, float, float], progress: float) -> ChangeBatch:
        """Insert, delete and update until about `quotas` rows were changed in that way.

        Quotas count from the first call on. `progress` is where the stream stands, from 0 to
        1; rows deleted now may return at any later time.
        """
        wanted = [
            max(0, round(quota) - int(made)) for quota, made in zip(quotas, self._made, strict=True)
        ]
        inserts = self._choose_inserts(wanted[_INSERTS], progress)
        deletes = self._choose_deletes(wanted[_DELETES], inserts)
        survivors = self._live.alive & ~deletes
        self._make(inserts, deletes)
        self._schedule_returns(deletes, progress)
        updates = self._update(wanted[_UPDATES], survivors)
        changed = sum(len(proposal.rows) for proposal in updates.values())
        self._made += np.array([np.count_nonzero(inserts), np.count_nonzero(deletes), changed])
        return self._batch(inserts, deletes, updates)

    def save(self) -> Saved:
        """A copy of everything a change alters."""
        return [array.copy() for array in self._arrays()]

    def restore(self, saved: Saved) -> None:
        """Go back to a saved state; the random numbers go on."""
        for array, copy in zip(self._arrays(), saved, strict=True):
            array[...] = copy

    def _arrays(self) -> Saved:
        targets = [edge.targets for edges in self._live.references.values() for edge in edges]
        positions = [rewriter.values.positions for rewriter in self._rewriters.values()]
        own = [self._live.alive, self._arrived, self._return_at, self._made]
        return [*own, *targets, *positions]

    def _choose_inserts(self, wanted: int, progress: float) -> Mask:
        """Rows due to return, then the next arrivals, with all parents they lack."""
        returning = np.flatnonzero((self._return_at <= progress) & ~self._live.alive)
        returning = returning[np.argsort(self._return_at[returning])][:wanted]
        waiting = self._arrivals[~self._arrived[self._arrivals]]
        chosen = np.zeros_like(self._arrived)
        chosen[returning] = True
        chosen[waiting[: wanted - len(returning)]] = True
        return self._live.with_ancestors(chosen) & ~self._live.alive

    def _choose_deletes(self, wanted: int, inserts: Mask) -> Mask:
        """Random rows with their descendants, sparing all that the inserts refer to."""
        sizes = self._live.deletion_sizes()
        free = self._live.alive & ~self._live.with_ancestors(inserts) & (sizes <= wanted)
        candidates = self._rng.permutation(np.flatnonzero(free))
        chosen = np.zeros_like(inserts)
        chosen[candidates[np.cumsum(sizes[candidates]) <= wanted]] = True
        return self._live.with_descendants(chosen)

    def _make(self, inserts: Mask, deletes: Mask) -> None:
        self._live.alive[deletes] = False
        self._live.alive[inserts] = True
        self._arrived[inserts] = True
        self._return_at[inserts] = np.inf

    def _schedule_returns(self, deletes: Mask, progress: float) -> None:
        rows = np.flatnonzero(deletes)
        back = rows[self._rng.random(len(rows)) < _RETURN_SHARE]
        self._return_at[back] = progress + (1 - progress) * self._rng.random(len(back))

    def _update(self, wanted: int, candidates: Mask) -> dict[str, Proposal]:
        """Update about `wanted` of the candidates."""
        made: dict[str, Proposal] = {}
        chosen = self._pick(wanted, candidates)
        for name, span in self._live.spans.items():
            rows = self._rng.permutation(chosen[_within(chosen, span)] - span.start)
            most = min(wanted, math.ceil(len(rows) / _SPARE_UPDATES))
            if most == 0:
                continue
            rewriter = self._rewriters[name]
            made[name] = rewriter.propose(rows, self._live.alive, self._rng).keep(most)
            rewriter.accept(made[name])
            wanted -= len(made[name].rows)
        return made

    def _pick(self, wanted: int, candidates: Mask) -> Rows:
        """Random candidates, and now and then one of each table, so that none is left out."""
        allowed = candidates.copy()
        for name, span in self._live.spans.items():
            allowed[span] &= self._rewriters[name].can_update
        rows = np.flatnonzero(allowed)
        count = min(len(rows), math.ceil(wanted * _SPARE_UPDATES))
        picked = [self._rng.choice(rows, count, replace=False)] if count else []
        for span in self._live.spans.values():
            own = rows[_within(rows, span)]
            if len(own) and self._rng.random() < _TABLE_UPDATE_CHANCE:
                picked.append(self._rng.choice(own, 1))
        return np.unique(np.concatenate(picked)) if picked else rows[:0]

    def _batch(self, inserts: Mask, deletes: Mask, updates: Mapping[str, Proposal]) -> ChangeBatch:
        batch = {}
        for name, span in self._live.spans.items():
            values = self._rewriters[name].values
            parts = [
                (values.read(np.flatnonzero(deletes[span])), -1),
                (values.read(np.flatnonzero(inserts[span])), 1),
            ]
            if name in updates:
                parts += [(updates[name].old, -1), (updates[name].new, 1)]
            change = _weighted(parts)
            if change.num_rows:
                batch[name] = change.take(pa.array(self._rng.permutation(change.num_rows)))
        return batch


def _rewriter(
    tables: Mapping[str, pa.Table], keys: Mapping[str, TableKeys], live: LiveRows, name: str
) -> Rewriter:
    references = live.references[name]
    parents = [tables[edge.key.parent].select(keys[edge.key.parent].primary) for edge in references]
    return Rewriter(RowValues(tables[name]), keys.get(name, TableKeys()), references, parents)


def _arrival_order(live: LiveRows, rng: np.random.Generator) -> Rows:
    """All rows in random order, small families mostly together and no row before its parents."""
    moments = rng.random(len(live))
    for edges in live.references.values():
        family = min(edges, key=lambda edge: edge.fan_out, default=None)
        if family is not None and family.fan_out <= _SMALL_FAMILY:
            moments[family.child] = _join_family(family, moments, rng)
    for edge in live.children_first():
        bound = edge.targets >= 0
        np.minimum.at(moments, edge.targets[bound], moments[edge.child][bound])
    return np.argsort(moments, kind="stable")


def _join_family(
    family: Reference, moments: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Choose when children arrive: most with their parent, the others at any time after it."""
    head = np.where(family.targets < 0, 0.0, moments[family.targets])
    later = head + (1 - head) * moments[family.child]
    together = (family.targets >= 0) & (rng.random(len(head)) < _ARRIVES_WITH_PARENT)
    return np.where(together, head, later)


def _within(rows: Rows, span: slice) -> slice:
    """The range of sorted row numbers that lies in a span."""
    start, stop = np.searchsorted(rows, [span.start, span.stop])
    return slice(int(start), int(stop))


def _weighted(parts: list[tuple[pa.Table, int]]) -> pa.Table:
    weights = np.concatenate([np.full(table.num_rows, weight) for table, weight in parts])
    rows = pa.concat_tables([table for table, _ in parts])
    return rows.append_column(WEIGHT, pa.array(weights, type=pa.int64()))
