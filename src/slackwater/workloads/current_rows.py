"""The current values of the rows of one table while a change stream updates them.

The table itself stays as it was given; each update appends the new versions of its rows and
moves their positions there. So the cost of a batch follows its size, for any Arrow type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.workloads.codes import row_codes
from slackwater.workloads.live_rows import Mask, Reference, Rows
from slackwater.workloads.table_keys import TableKeys

_SECOND_CHANGE = 0.3


class RowValues:
    """One table with, for each row, the position of its current version."""

    def __init__(self, table: pa.Table):
        """Start with the rows as given."""
        self.base = table.combine_chunks()
        self._updates = table.schema.empty_table()
        self.positions: Rows = np.arange(table.num_rows, dtype=np.int64)

    def read(self, rows: Rows) -> pa.Table:
        """The current versions of `rows`, in their order."""
        positions = self.positions[rows]
        updated = positions >= self.base.num_rows
        parts = [
            self.base.take(pa.array(positions[~updated])),
            self._updates.take(pa.array(positions[updated] - self.base.num_rows)),
        ]
        order = np.empty(len(rows), dtype=np.int64)
        order[np.concatenate([np.flatnonzero(~updated), np.flatnonzero(updated)])] = np.arange(
            len(rows)
        )
        return pa.concat_tables(parts).take(pa.array(order))

    def write(self, rows: Rows, versions: pa.Table) -> None:
        """Make `versions` the current ones of `rows`."""
        start = self.base.num_rows + self._updates.num_rows
        self.positions[rows] = np.arange(start, start + len(rows))
        self._updates = pa.concat_tables([self._updates, versions]).combine_chunks()


@dataclass(frozen=True, slots=True)
class Proposal:
    """New versions of some rows of a table, with the parents their foreign keys then name."""

    rows: Rows
    old: pa.Table
    new: pa.Table
    targets: tuple[Rows, ...]

    def keep(self, most: int) -> Proposal:
        """At most that many of the rows, none whose old and new version are equal."""
        both = pa.concat_tables([self.old, self.new])
        codes = row_codes(both.columns, both.num_rows)
        kept = np.flatnonzero(codes[: len(self.rows)] != codes[len(self.rows) :])[:most]
        return Proposal(
            self.rows[kept],
            self.old.take(pa.array(kept)),
            self.new.take(pa.array(kept)),
            tuple(targets[kept] for targets in self.targets),
        )


class Rewriter:
    """Invents updates of one table: values from other rows, and other living parents.

    Primary keys never change. A foreign key moves to another parent only if its columns
    belong to no other key.
    """

    def __init__(
        self,
        values: RowValues,
        keys: TableKeys,
        references: Sequence[Reference],
        parents: Sequence[pa.Table],
    ):
        """`parents` holds, for each of the references, the key columns of its parent table."""
        self.values = values
        foreign = {column for key in keys.foreign for column in key.columns}
        fixed = foreign.union(keys.primary)
        self._columns = [name for name in values.base.column_names if name not in fixed]
        movable = [_stands_alone(reference, keys) for reference in references]
        self._references = [edge for edge, free in zip(references, movable, strict=True) if free]
        self._parents = [table for table, free in zip(parents, movable, strict=True) if free]

    @property
    def can_update(self) -> bool:
        """Tell if the table has anything that may change."""
        return bool(self._columns or self._references)

    def propose(self, rows: Rows, alive: Mask, rng: np.random.Generator) -> Proposal:
        """Change one thing in each row, sometimes two; a few may come out as they were."""
        old = new = self.values.read(rows)
        touched = _choose_changes(len(rows), len(self._columns) + len(self._references), rng)
        for name, mask in zip(self._columns, touched, strict=False):
            donors = rng.integers(self.values.base.num_rows, size=np.count_nonzero(mask))
            lent = self.values.base.column(name).take(pa.array(donors))
            new = _replace(new, name, mask, lent)
        moved = []
        for number, reference in enumerate(self._references):
            mask = touched[len(self._columns) + number]
            targets = _choose_parents(reference, rows, mask, alive, rng)
            new = _replace_key(new, reference, self._parents[number], mask, targets)
            moved.append(targets)
        return Proposal(rows, old, new, tuple(moved))

    def accept(self, proposal: Proposal) -> None:
        """Make a proposal real."""
        self.values.write(proposal.rows, proposal.new)
        for reference, targets in zip(self._references, proposal.targets, strict=True):
            reference.targets[proposal.rows] = targets


def _stands_alone(reference: Reference, keys: TableKeys) -> bool:
    others = [key.columns for key in keys.foreign if key != reference.key]
    taken = set(keys.primary).union(*others)
    return taken.isdisjoint(reference.key.columns)


def _choose_changes(rows: int, choices: int, rng: np.random.Generator) -> list[Mask]:
    """For each choice the rows that make it; every row makes one or two different ones."""
    first = rng.integers(choices, size=rows)
    step = rng.integers(1, choices, size=rows) if choices > 1 else np.zeros(rows, dtype=np.int64)
    second = np.where(rng.random(rows) < _SECOND_CHANGE, (first + step) % choices, first)
    return [(first == choice) | (second == choice) for choice in range(choices)]


def _choose_parents(
    reference: Reference, rows: Rows, mask: Mask, alive: Mask, rng: np.random.Generator
) -> Rows:
    """Living parents for the masked rows; NULL keys, and everything else, stay as they are."""
    targets = reference.targets[rows]
    parents = np.flatnonzero(alive[reference.parent]) + reference.parent.start
    chosen = mask & (targets >= 0)
    if len(parents):
        targets[chosen] = rng.choice(parents, size=np.count_nonzero(chosen))
    return targets


def _replace_key(
    table: pa.Table, reference: Reference, parents: pa.Table, mask: Mask, targets: Rows
) -> pa.Table:
    """The foreign key columns of the masked rows, read from the parents they now name."""
    chosen = mask & (targets >= 0)
    taken = parents.take(pa.array(targets[chosen] - reference.parent.start))
    for name, column in zip(reference.key.columns, taken.columns, strict=True):
        table = _replace(table, name, chosen, column.cast(table.schema.field(name).type))
    return table


def _replace(table: pa.Table, name: str, mask: Mask, values: pa.ChunkedArray) -> pa.Table:
    """Put `values`, in order, where the mask holds; by position, which works for any type."""
    position = table.schema.get_field_index(name)
    index = np.arange(table.num_rows)
    index[mask] = table.num_rows + np.arange(len(values))
    pool = pa.chunked_array([*table.column(name).chunks, *values.chunks], type=values.type)
    return table.set_column(position, table.schema.field(name), pool.take(pa.array(index)))
