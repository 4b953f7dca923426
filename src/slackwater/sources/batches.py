"""Turns what a user ingests into rows with weights: the source's columns, and one more.

Nothing is computed here. What can be told from names and types is told at once; what only the
rows themselves can tell is for `checks.check_batch`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    ByteType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import DataError
from slackwater.sources.arrow_input import read_arrow, spark_frame, spark_schema
from slackwater.sources.batch_layout import BatchOp, Layout, batch_place, plan_layout
from slackwater.sources.change_feed import CHANGE_TYPE, change_weight
from slackwater.sources.conversions import (
    Conversion,
    column_at,
    column_name,
    is_lossless,
    may_convert,
)
from slackwater.spark.user_frames import UserRows, expected_bytes, take_over

__all__ = ["Batch", "BatchOp", "SourceSpec", "read_batch"]

_WHOLE_NUMBERS = (ByteType, ShortType, IntegerType, LongType)
_TAKES_AWAY = (BatchOp.DELETE, BatchOp.DELETE_KEYS)


@dataclass(frozen=True)
class Batch:
    """Rows on their way into a source; `table` holds them if they came as Arrow data."""

    weight: str
    op: BatchOp
    rows_hint: int | None
    table: pa.Table | None
    conversions: tuple[Conversion, ...]
    layout: Layout
    read: Callable[[], UserRows]
    """Gives the rows to Spark, which for Arrow data copies them."""
    expected_bytes: Callable[[], int] | None
    """Estimates the size of rows that are not in memory."""

    @cached_property
    def rows(self) -> UserRows:
        """The rows in Spark; whoever asks for them must release them."""
        return self.read()

    @property
    def given(self) -> DataFrame:
        """The rows as the user gave them, by place."""
        return self.rows.frame

    def release(self) -> None:
        """Forget what Spark stores of the rows."""
        if "rows" in self.__dict__:
            self.rows.release()

    @cached_property
    def frame(self) -> DataFrame:
        """The columns of the source in order (those of the key for `DELETE_KEYS`), and weights."""
        # The rows that lack a weight are refused by the checks; the type says that none does.
        weights = sf.coalesce(self.given_weight().cast(LongType()), sf.lit(0).cast(LongType()))
        columns = (each.column() for each in self.conversions)
        return self.given.select(*columns, weights.alias(self.weight))

    @property
    def is_lossless(self) -> bool:
        """Whether every value has a place in the type that its column is declared with."""
        return all(each.lossless for each in self.conversions)

    def given_weight(self) -> Column:
        """The weight of a row of `given`; NULL where the user's column does not give one."""
        return _weight(self.layout)


def read_batch(
    spark: SparkSession,
    spec: SourceSpec,
    rows: object,
    op: str | None = None,
    weight: str | None = None,
) -> Batch:
    """Read a Spark DataFrame, Arrow table or pandas DataFrame as a batch of the source.

    Without `op` and `weight` the batch is a change feed if it has a column `_change_type`, has
    weights if it has a column `_w`, and holds inserts otherwise; a column that the source
    itself has is never taken for either. Raises `DataError` for columns that are missing,
    unknown or of a type that does not convert.
    """
    given = _Given.read(spec, rows)
    layout = plan_layout(spec, given.names, op, weight)
    types = [field.dataType for field in given.schema(spec)]
    _check_marks(spec, types, layout)
    conversions = tuple(
        _conversion(spark, spec, field, types[at], at)
        for field, at in zip(layout.fields, layout.places, strict=True)
    )
    count = None if given.table is None else given.table.num_rows
    read = partial(given.in_spark, spark, spec)
    size = None if given.rows is None else partial(expected_bytes, given.rows)
    return Batch(spec.weight, layout.op, count, given.table, conversions, layout, read, size)


@dataclass(frozen=True, slots=True)
class _Given:
    """What the user gave: a DataFrame, or else a table."""

    names: list[str]
    rows: DataFrame | None
    table: pa.Table | None

    @staticmethod
    def read(spec: SourceSpec, rows: object) -> _Given:
        if not isinstance(rows, DataFrame):
            table = read_arrow(rows, batch_place(spec))
            return _Given(table.column_names, None, table)
        if rows.isStreaming:
            raise DataError(
                "a streaming DataFrame has no end and cannot be a batch",
                where=batch_place(spec),
                hint="Ingest it batch by batch, in the function given to writeStream.foreachBatch.",
            )
        return _Given(rows.columns, rows, None)

    def schema(self, spec: SourceSpec) -> StructType:
        """The columns with their types in Spark."""
        if self.rows is None:
            return spark_schema(self.table, batch_place(spec))
        return self.rows.schema

    def in_spark(self, spark: SparkSession, spec: SourceSpec) -> UserRows:
        """The rows under neutral names: those of users may hold dots, quotes and each other."""
        if self.rows is None:
            return UserRows(spark_frame(spark, self.table, self.schema(spec), batch_place(spec)))
        return take_over(self.rows, [column_name(at) for at in range(len(self.names))], spark)


def _weight(layout: Layout) -> Column:
    if layout.weight_at is not None:
        return column_at(layout.weight_at)
    if layout.change_type_at is not None:
        return change_weight(column_at(layout.change_type_at))
    return sf.lit(-1 if layout.op in _TAKES_AWAY else 1)


def _check_marks(spec: SourceSpec, types: list[DataType], layout: Layout) -> None:
    """The columns that say what becomes of a row must be of a type that can say so."""
    if layout.weight_at is not None and not isinstance(types[layout.weight_at], _WHOLE_NUMBERS):
        raise DataError(
            f"the weights are {_sql(types[layout.weight_at])}, not whole numbers",
            where=batch_place(spec),
            hint="Give BIGINT weights: 1 for an inserted row, -1 for a deleted one, never NULL.",
        )
    at = layout.change_type_at
    if at is not None and not isinstance(types[at], StringType):
        raise DataError(
            f"{CHANGE_TYPE} is {_sql(types[at])}, not STRING",
            where=batch_place(spec),
            hint="Write insert, update_preimage, update_postimage or delete in it.",
        )


def _conversion(
    spark: SparkSession, spec: SourceSpec, field: StructField, given: DataType, at: int
) -> Conversion:
    declared = field.dataType
    if not may_convert(spark, given, declared):
        raise DataError(
            f"column {field.name} is {_sql(given)}; the source declares {_sql(declared)}",
            where=batch_place(spec),
            hint="Convert the column before ingesting it; only conversions that keep the value "
            "are made for you.",
        )
    return Conversion(field.name, at, given, declared, is_lossless(spark, given, declared))


def _sql(dtype: DataType) -> str:
    return dtype.simpleString().upper()
