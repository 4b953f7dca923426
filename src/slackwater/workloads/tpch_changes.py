"""Changes to TPC-H of a given size, at any scale factor, read from its files.

`change_stream` holds all tables in memory and knows every row; at scale factor 10 that is too
much. Here the rows of a change are picked by arithmetic on their keys: each change takes the
next few of many slices, so that no row is changed twice, and orders come and go with their
lines. Half of the changed rows are new ones, a quarter go, a quarter are updated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import duckdb
import pyarrow as pa

from slackwater.errors import DataError
from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.tpch import plain_schema

SLICES: Final = 100_003
"""A prime, so that keys spread evenly; a slice is about a hundred-thousandth of a table."""
_SCATTER: Final = 48_271
_NEW_KEYS: Final = 10**12
"""Keys of new rows of the n-th change begin at n times this."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a table, and how they are picked and changed.

    `key` is the column by which rows fall into slices and which new rows have anew; `updates`
    are the expressions of what an update changes. Only orders and their lines go.
    """

    key: str
    updates: Mapping[str, str]
    goes: bool = False


_TABLES: Final[Mapping[str, _Table]] = MappingProxyType(
    {
        "supplier": _Table(
            "s_suppkey",
            {"s_acctbal": "s_acctbal + 1", "s_nationkey": "(s_nationkey + 1) % 25"},
        ),
        "customer": _Table(
            "c_custkey",
            {"c_acctbal": "c_acctbal + 1", "c_nationkey": "(c_nationkey + 1) % 25"},
        ),
        "part": _Table(
            "p_partkey",
            {"p_size": "p_size % 50 + 1", "p_retailprice": "p_retailprice + 1"},
        ),
        "partsupp": _Table(
            "ps_partkey",
            {"ps_availqty": "ps_availqty % 9999 + 1", "ps_supplycost": "ps_supplycost + 1"},
        ),
        "orders": _Table(
            "o_orderkey",
            {"o_totalprice": "o_totalprice + 1", "o_orderdate": "o_orderdate + 1"},
            goes=True,
        ),
        "lineitem": _Table(
            "l_orderkey",
            {
                "l_quantity": "l_quantity % 50 + 1",
                "l_extendedprice": "l_extendedprice + 1",
                "l_shipdate": "l_shipdate + 1",
                "l_partkey": "greatest(l_partkey - 1, 1)",
            },
            goes=True,
        ),
    }
)


class TpchChanges:
    """Takes changes from the files of `ensure_tpch`, one after the other."""

    def __init__(self, folder: Path):
        """Nothing is read yet."""
        self._folder = folder
        self._next_slice = 0
        self._made = 0

    def take(self, share: float) -> ChangeBatch:
        """A change of that share of the rows of every table but nation and region."""
        width = max(1, round(share * SLICES / 4))
        first = self._next_slice
        if first + 4 * width > SLICES:
            raise DataError("all rows have been changed", hint="Take fewer or smaller changes.")
        self._next_slice += 4 * width
        self._made += 1
        batch = {}
        with duckdb.connect(":memory:") as connection:
            for name, table in _TABLES.items():
                file = self._folder / f"{name}.parquet"
                text = _query(table, file, (first, width), self._made * _NEW_KEYS)
                schema = plain_schema(file).append(pa.field(WEIGHT, pa.int64()))
                change = connection.sql(text).to_arrow_table().cast(schema)
                if change.num_rows:
                    batch[name] = change
        return batch


def _query(table: _Table, file: Path, slices: tuple[int, int], shift: int) -> str:
    """New rows from the first half of the slices; the others go, or go and come back changed."""
    first, width = slices
    middle, last = first + 2 * width, first + 4 * width
    stays = first + 3 * width if table.goes else middle
    slice_of = f"({table.key} * {_SCATTER}) % {SLICES}"
    updates = ", ".join(f"{text} AS {name}" for name, text in table.updates.items())
    return f"""
        WITH picked AS MATERIALIZED (
            SELECT *, {slice_of} AS slice FROM read_parquet('{file}')
            WHERE slice >= {first} AND slice < {last}
        )
        SELECT * EXCLUDE (slice) REPLACE ({table.key} + {shift} AS {table.key}), 1 AS {WEIGHT}
        FROM picked WHERE slice < {middle}
        UNION ALL
        SELECT * EXCLUDE (slice), -1 FROM picked WHERE slice >= {middle}
        UNION ALL
        SELECT * EXCLUDE (slice) REPLACE ({updates}), 1 FROM picked WHERE slice >= {stays}
    """
