"""DuckDB in this process: takes Arrow tables in, gives Arrow tables of Spark's types out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb
import pyarrow as pa

from slackwater.compiler.duckdb.statements import DuckdbStatement
from slackwater.compiler.duckdb.types import Columns, NotLocalError, arrow_type
from slackwater.executors.driver.direct import stream_direct, with_hashes
from slackwater.executors.driver.engine_functions import EngineFunctions
from slackwater.executors.driver.few_rows import FEW_VALUES, are_few, run_pipeline
from slackwater.executors.driver.zones import UTC, Zone
from slackwater.state.columns import conform_batch
from slackwater.types import DataType

_MANY_ROWS = 100_000
_BATCH_ROWS = 65_536
_MOST_KEPT = 2048
"""Statements that stay planned; planning one takes two thirds of its time over a few rows."""
CORES = len(os.sched_getaffinity(0))
_DISABLED = (
    # It lets Arrow filter by the keys of a join, also where Arrow cannot.
    "join_filter_pushdown",
    # It makes sum(a) + 1 * count(a) of sum(a + 1), where nothing overflows.
    "sum_rewriter",
)


@dataclass(slots=True)
class _Stream:
    """A table that is only read through: of one it knows, DuckDB has Arrow filter the rows.

    Arrow lacks operations for compact decimals and is not quicker. A statement that is kept reads
    whatever table is here when it is executed, as long as its columns are the same.
    """

    table: pa.Table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Arrow's protocol for handing over rows."""
        return self.table.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A statement that DuckDB has planned, and the tables it reads, by frame."""

    name: str
    streams: Mapping[str, _Stream]
    suffix: str
    """What the names of tables end with; without one, other statements may use the same names."""

    def accepts(self, tables: Mapping[str, pa.Table]) -> bool:
        """Whether the tables have the columns that the statement was planned for."""
        return all(
            stream.table.schema.equals(tables[name].schema) for name, stream in self.streams.items()
        )

    def give(self, tables: Mapping[str, pa.Table]) -> None:
        """Have the next execution read these tables."""
        for name, stream in self.streams.items():
            stream.table = tables[name]

    def clear(self) -> None:
        """Let go of the rows, but not of their columns."""
        for stream in self.streams.values():
            stream.table = stream.table.schema.empty_table()


class LocalEngine:
    """One connection; not for use by several threads at once."""

    def __init__(
        self,
        memory: str = "1GB",
        spill: Path | None = None,
        few_values: int = FEW_VALUES,
        zone: Callable[[], Zone] = lambda: UTC,
        cores: int = CORES,
    ) -> None:
        """Open an empty database in memory.

        What grows beyond `memory` goes to the folder `spill`; without one it is Spark's. Tables of
        no more than `few_values` values are computed on without DuckDB. `zone` is asked for the
        session's time zone by the first statement that needs it. Many rows are for all `cores`.
        """
        self._few_values = few_values
        self._cores = cores
        limits: dict[str, str | bool | int | float | list[str]] = {
            "threads": "1",
            "memory_limit": memory,
            "temp_directory": "" if spill is None else str(spill),
            "preserve_insertion_order": "false",
            "disabled_optimizers": ",".join(_DISABLED),
        }
        self._threads = 1
        self._connection = duckdb.connect(":memory:", config=limits)
        self._functions = EngineFunctions(self._connection, zone)
        self._kept: dict[str, _Kept] = {}
        """Statements by their text, those that were executed last at the end."""
        self._planned_so_far = 0

    def stream(
        self, statement: DuckdbStatement, tables: Mapping[str, pa.Table]
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a statement's result; no other is executed before the last is taken.

        Decimals may be as compact as they are in the tables. Anything that DuckDB refuses is for
        Spark to judge.
        """
        rows = sum(tables[name].num_rows for name in statement.reads)
        if not rows and not statement.makes_rows:
            return
        try:
            if statement.direct is not None:
                yield from stream_direct(statement.direct, tables[statement.direct.table])
                return
            few = self._computed_here(statement, tables)
            yield from self._computed(statement, tables, rows) if few is None else few
        except (duckdb.Error, pa.ArrowException, ArithmeticError, ValueError) as problem:
            raise NotLocalError(f"a statement that fails here: {problem}") from problem

    def _computed_here(
        self, statement: DuckdbStatement, tables: Mapping[str, pa.Table]
    ) -> list[pa.RecordBatch] | None:
        """The result over a few rows; None if it is for DuckDB to compute, or to fail."""
        few = statement.few
        if few is None or not are_few((tables[name] for name in statement.reads), self._few_values):
            return None
        try:
            return run_pipeline(few, tables, arrow_schema(statement.columns))
        except (ArithmeticError, ValueError):
            return None

    def _computed(
        self, statement: DuckdbStatement, tables: Mapping[str, pa.Table], rows: int
    ) -> Iterator[pa.RecordBatch]:
        given = {name: _needed(tables[name], columns) for name, columns in statement.reads.items()}
        if statement.decodes:
            for table in given.values():
                _require_utf8(table)
        self._use_threads(rows)
        kept = self._planned(statement, given)
        try:
            kept.give(given)
            found = self._connection.execute(f"EXECUTE {kept.name}")
            if rows < _MANY_ROWS:
                yield from _finished(found.to_arrow_table(), statement)
            else:
                for batch in found.to_arrow_reader(_BATCH_ROWS):
                    yield from _finished(pa.Table.from_batches([batch]), statement)
        finally:
            kept.clear()
            if not kept.suffix:
                self._forget(self._kept.pop(statement.sql))

    def _planned(self, statement: DuckdbStatement, tables: Mapping[str, pa.Table]) -> _Kept:
        """The statement as it was planned for tables with the same columns, or planned now."""
        kept = self._kept.pop(statement.sql, None)
        if kept is not None and not kept.accepts(tables):
            self._forget(kept)
            kept = None
        if kept is None:
            kept = self._plan(statement, tables)
        self._kept[statement.sql] = kept
        if len(self._kept) > _MOST_KEPT:
            self._forget(self._kept.pop(next(iter(self._kept))))
        return kept

    def _plan(self, statement: DuckdbStatement, tables: Mapping[str, pa.Table]) -> _Kept:
        streams = {name: _Stream(table) for name, table in tables.items()}
        for name, stream in streams.items():
            self._connection.register(name + statement.suffix, stream)
        self._functions.learn(statement.sql)
        self._planned_so_far += 1
        kept = _Kept(f"kept_{self._planned_so_far}", streams, statement.suffix)
        try:
            self._connection.execute(f"PREPARE {kept.name} AS {statement.sql}")
        except duckdb.Error:
            self._unregister(kept)
            raise
        return kept

    def _forget(self, kept: _Kept) -> None:
        self._connection.execute(f"DEALLOCATE {kept.name}")
        self._unregister(kept)

    def _unregister(self, kept: _Kept) -> None:
        for name in kept.streams:
            self._connection.unregister(name + kept.suffix)

    def execute(self, statement: DuckdbStatement, tables: Mapping[str, pa.Table]) -> pa.Table:
        """The result of a statement over a few rows."""
        schema = arrow_schema(statement.columns)
        rows = (conform_batch(batch, schema) for batch in self.stream(statement, tables))
        return pa.Table.from_batches(rows, schema)

    def _use_threads(self, rows: int) -> None:
        """One thread is quickest on a few rows."""
        threads = 1 if rows < _MANY_ROWS else self._cores
        if threads != self._threads:
            self._connection.execute(f"SET threads = {threads}")
            self._threads = threads

    def close(self) -> None:
        """Release the database."""
        self._connection.close()


def _needed(table: pa.Table, columns: frozenset[str]) -> pa.Table:
    """The columns that a statement reads; one at least, so that rows are counted."""
    kept = [column for column in table.column_names if column in columns]
    return table.select(kept or table.column_names[-1:])


def _require_utf8(table: pa.Table) -> None:
    """Refuse texts that are no UTF-8: engines count their characters in ways of their own."""
    for column in table.columns:
        if _holds_texts(column.type):
            column.validate(full=True)


def _holds_texts(kind: pa.DataType) -> bool:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return True
    return any(_holds_texts(kind.field(n).type) for n in range(kind.num_fields))


def _finished(found: pa.Table, statement: DuckdbStatement) -> Iterator[pa.RecordBatch]:
    """The result under exactly the types Spark would give, with the hashes that are left."""
    hashes = dict(statement.hashes)
    schema = arrow_schema(
        {name: dtype for name, dtype in statement.columns.items() if name not in hashes}
    )
    conformed = found if found.schema == schema else found.cast(schema)
    for batch in conformed.to_batches():
        yield with_hashes(batch, statement.columns, hashes) if hashes else batch


def arrow_schema(columns: Columns) -> pa.Schema:
    """The Arrow form of typed columns."""
    return _schema(tuple(columns.items()))


@lru_cache(maxsize=4096)
def _schema(columns: tuple[tuple[str, DataType], ...]) -> pa.Schema:
    return pa.schema([pa.field(name, arrow_type(dtype)) for name, dtype in columns])
