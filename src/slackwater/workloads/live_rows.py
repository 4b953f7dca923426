"""The rows of a set of tables that exist, and the rows that each of them needs.

The rows of all tables share one numbering, parents before children, so that a set of rows
is one boolean mask and a foreign key is an array of row numbers. Following keys up or down
is then one pass over the keys, whatever the depth of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from slackwater.errors import DataError
from slackwater.workloads.codes import row_codes
from slackwater.workloads.table_keys import ForeignKey, TableKeys, parents_first

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

_NOTHING = -1


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key between two stretches of rows; `targets` holds -1 where the key is NULL."""

    key: ForeignKey
    child: slice
    parent: slice
    targets: Rows

    @property
    def fan_out(self) -> float:
        """The number of children that a parent has on average."""
        parents: int = self.parent.stop - self.parent.start
        return len(self.targets) / max(1, parents)


class LiveRows:
    """The rows of all tables, which of them are alive, and the references between them.

    Foreign keys to tables that are not given are not followed.
    """

    def __init__(self, tables: Mapping[str, pa.Table], keys: Mapping[str, TableKeys]):
        """Number the rows and resolve the keys; every foreign key must find its parent."""
        given = {name: _keys_within(tables, keys.get(name, TableKeys())) for name in tables}
        self.spans: dict[str, slice] = {}
        start = 0
        for name in parents_first(given):
            self.spans[name] = slice(start, start + tables[name].num_rows)
            start = self.spans[name].stop
        self.alive: Mask = np.zeros(start, dtype=np.bool_)
        self.references: dict[str, list[Reference]] = {
            name: [self._reference(tables, given, name, key) for key in given[name].foreign]
            for name in self.spans
        }

    def __len__(self) -> int:
        """The number of rows, dead or alive."""
        return len(self.alive)

    def children_first(self) -> list[Reference]:
        """All references, so that each table comes after all that refer to it."""
        return [edge for name in reversed(self.spans) for edge in self.references[name]]

    def with_ancestors(self, chosen: Mask) -> Mask:
        """The chosen rows and all rows they refer to, directly or not."""
        needed = chosen.copy()
        for reference in self.children_first():
            targets = reference.targets[needed[reference.child]]
            needed[targets[targets != _NOTHING]] = True
        return needed

    def with_descendants(self, chosen: Mask) -> Mask:
        """The chosen rows and all living rows that refer to them, directly or not."""
        reached = chosen.copy()
        for reference in reversed(self.children_first()):
            hit = (reference.targets != _NOTHING) & reached[reference.targets]
            reached[reference.child] |= hit & self.alive[reference.child]
        return reached

    def deletion_sizes(self) -> Rows:
        """At most how many living rows go when a row goes with its descendants."""
        sizes = self.alive.astype(np.int64)
        for reference in self.children_first():
            bound = reference.targets != _NOTHING
            weights = sizes[reference.child][bound]
            sizes += np.bincount(
                reference.targets[bound], weights=weights, minlength=len(sizes)
            ).astype(np.int64)
        return sizes

    def _reference(
        self,
        tables: Mapping[str, pa.Table],
        keys: Mapping[str, TableKeys],
        name: str,
        key: ForeignKey,
    ) -> Reference:
        parent = self.spans[key.parent]
        found = _find_parents(tables, keys, name, key)
        targets = np.where(found == _NOTHING, _NOTHING, found + parent.start)
        return Reference(key, self.spans[name], parent, targets)


def _keys_within(tables: Mapping[str, pa.Table], keys: TableKeys) -> TableKeys:
    return TableKeys(keys.primary, tuple(key for key in keys.foreign if key.parent in tables))


def _find_parents(
    tables: Mapping[str, pa.Table], keys: Mapping[str, TableKeys], name: str, key: ForeignKey
) -> Rows:
    """For each row of the child table the row of its parent within the parent table."""
    primary = keys[key.parent].primary
    if not primary or len(primary) != len(key.columns):
        raise DataError(f"foreign key {key.columns} does not fit the primary key {primary}")
    child, parent = tables[name].select(key.columns), tables[key.parent].select(primary)
    child = child.rename_columns(list(primary)).cast(parent.schema)
    codes = row_codes(pa.concat_tables([parent, child]).columns, parent.num_rows + child.num_rows)
    parent_of = np.full(len(codes), _NOTHING, dtype=np.int64)
    parent_of[codes[: parent.num_rows]] = np.arange(parent.num_rows)
    if np.count_nonzero(parent_of != _NOTHING) < parent.num_rows:
        raise DataError(f"the primary key {primary} is not unique", where=key.parent)
    found = parent_of[codes[parent.num_rows :]]
    absent = np.zeros(len(found), dtype=np.bool_)
    for column in child.columns:
        absent |= column.is_null().to_numpy()
    if ((found == _NOTHING) & ~absent).any():
        raise DataError(f"{key.columns} refers to rows that {key.parent} lacks", where=name)
    found[absent] = _NOTHING
    return found
