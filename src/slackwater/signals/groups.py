"""Groups: distinct keys of a run, counted from 0 in the order in which they are first seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.signals.arrays import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The keys of every group, one row each."""

    keys: pa.Table
    count: int

    def number(self, table: pa.Table) -> Ints:
        """The group of every row of a table that has the key columns; -1 for keys of no group."""
        names = self.keys.column_names
        if not names:
            return np.zeros(table.num_rows, dtype=np.int64)
        both = _stack([self.keys, table.select(names)])
        codes = encode(both)[self.count :]
        return np.where(codes < self.count, codes, -1)

    def describe(self, group: int) -> str | None:
        """The keys of one group, for a message.

        >>> Groups(pa.table({"sensor": ["a", "b"]}), 2).describe(1)
        "sensor = 'b'"
        """
        row = self.keys.slice(group, 1).to_pylist()[0] if self.keys.column_names else {}
        return ", ".join(f"{name} = {value!r}" for name, value in row.items()) or None


def find_groups(names: Sequence[str], tables: Sequence[pa.Table]) -> tuple[Groups, list[Ints]]:
    """The distinct keys of all tables, and the group of every row of each."""
    if not names:
        return Groups(pa.table({}), 1), [np.zeros(each.num_rows, np.int64) for each in tables]
    stacked = _stack([table.select(names) for table in tables])
    codes = encode(stacked)
    count = int(codes.max(initial=-1)) + 1
    first = np.empty(count, dtype=np.int64)
    # Of several rows the last assignment stays, which is the first row.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    cuts = np.cumsum([each.num_rows for each in tables])[:-1]
    return Groups(stacked.take(pa.array(first)), count), np.split(codes, cuts)


def _stack(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables([tables[0], *(each.cast(tables[0].schema) for each in tables[1:])])


def encode(table: pa.Table) -> Ints:
    """Equal rows get equal numbers, counted in the order in which they are first seen.

    NULL is a key like others, as it is for GROUP BY.
    """
    codes = np.zeros(table.num_rows, dtype=np.int64)
    for at, name in enumerate(table.column_names):
        column, distinct = _encode_column(table[name])
        codes = column if not at else _renumber(codes * max(distinct, 1) + column)
    return codes


def _encode_column(column: pa.ChunkedArray) -> tuple[Ints, int]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    coded = array.dictionary_encode(null_encoding="encode")
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), len(coded.dictionary)


def _renumber(codes: Ints) -> Ints:
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
