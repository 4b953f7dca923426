"""Statements among local ones whose meaning is only Spark's: Spark runs each over a few rows."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.types import Columns, NotLocalError
from slackwater.executors.collated import any_collated, compiling
from slackwater.spark.failures import SPARK_FAILURES
from slackwater.spark.spark_types import spark_columns
from slackwater.state.columns import stable_type, widened
from slackwater.types.storage import needs_encoding, storable

MOST_ROWS = 1_000_000
"""A statement over more rows is better computed in Spark with all that leads to it."""
_FAILURES = (*SPARK_FAILURES, pa.ArrowException)


class SparkStatements:
    """Runs statements over Arrow tables in a session for small work."""

    def __init__(self, session: SparkSession):
        """Remember the session, and make another for statements that it would get wrong."""
        self._session = session
        self._compiling = compiling(session)

    @property
    def sessions(self) -> tuple[SparkSession, ...]:
        """Both sessions that statements may run in."""
        return (self._session, self._compiling)

    def execute(
        self, sql: str, tables: Mapping[str, pa.Table], columns: Mapping[str, Columns]
    ) -> pa.Table:
        """The result of a statement; an error is left to the run as a whole."""
        if sum(table.num_rows for table in tables.values()) > MOST_ROWS:
            raise NotLocalError("a statement that only Spark understands, over many rows")
        types = [dtype for each in columns.values() for dtype in each.values()]
        session = self._compiling if any_collated(types, sql) else self._session
        try:
            for name, table in tables.items():
                # Spark cannot take a table of no pieces that has arrays or timestamps.
                rows = widened(table) if table.num_rows else []
                frame = session.createDataFrame(rows, spark_columns(columns[name]))
                frame.createOrReplaceTempView(name)
            found = session.sql(sql).toArrow()
            kinds = [pa.field(each.name, stable_type(each.type)) for each in found.schema]
            return found.cast(pa.schema(kinds))
        except _FAILURES as problem:
            raise NotLocalError(f"a statement that fails: {problem}") from problem
        finally:
            _forget(session, tables)


def _forget(session: SparkSession, tables: Mapping[str, object]) -> None:
    for name in tables:
        session.catalog.dropTempView(name)


def require_carried(columns: Columns) -> None:
    """Refuse columns that Arrow cannot hold between two statements."""
    for name, dtype in columns.items():
        if needs_encoding(dtype) or storable(dtype) is not None:
            raise NotLocalError(f"a column {name} of type {dtype}")
