"""DuckDB over tables of its own: the other way to compute a view again on one machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import duckdb

from slackwater.bench.machine import Clock, Cost, typical

_MEMORY_SHARE = 3
"""It gets this part of the machine's memory, as plain Spark does."""


class DuckTables:
    """The Parquet tables of a folder in a DuckDB file, with all cores of the machine."""

    def __init__(self, file: Path, folder: Path, zone: str, clock: Clock):
        """Load the tables; `zone` is the time zone of Spark's session."""
        self._clock = clock
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _MEMORY_SHARE
        self._database = duckdb.connect(str(file), config={"memory_limit": f"{memory >> 20}MiB"})
        self._database.execute(f"SET TimeZone = '{zone}'")
        for table in sorted(folder.glob("*.parquet")):
            self._database.execute(f"CREATE TABLE {table.stem} AS FROM '{table}'")

    def recompute(self, sql: str, below: Mapping[str, str], repeat: int) -> Cost:
        """The usual cost of the answer as a new table, once everything is warm."""
        for name, text in below.items():
            self._database.execute(f"CREATE OR REPLACE VIEW {name} AS {text}")
        self._compute(sql)
        return typical([self._compute(sql) for _ in range(repeat)])

    def count(self, sql: str) -> int:
        """The number of rows of a query's answer."""
        (row,) = self._database.execute(f"SELECT count(*) FROM ({sql})").fetchall()
        return int(row[0])

    def _compute(self, sql: str) -> Cost:
        with self._clock.measure() as cost:
            self._database.execute(f"CREATE OR REPLACE TABLE answer AS {sql}")
        return cost

    def __enter__(self) -> DuckTables:
        """The tables themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._database.close()
