"""Turns what a user ingests into rows with weights: the source's columns, and one more.

Nothing is computed here. What can be told from names and types is told at once; what only the
rows themselves can tell is for `checks.check_batch`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import DataError
from slackwater.sources.arrow_input import column_types, read_arrow
from slackwater.sources.batch_layout import BatchOp, Layout, batch_place, plan_layout
from slackwater.sources.change_feed import CHANGE_TYPE
from slackwater.sources.conversions import Conversion, column_name, may_convert
from slackwater.sources.row_weights import weight_in_spark
from slackwater.spark.cast_rules import is_upcast
from slackwater.spark.frame_plans import expected_bytes
from slackwater.spark.spark_types import own_columns
from slackwater.spark.user_frames import UserRows, frame_of_table, take_over
from slackwater.types import DataType, Field, StringType, is_integral

__all__ = ["Batch", "BatchOp", "SourceSpec", "read_batch"]


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
        weights = sf.coalesce(weight_in_spark(self.layout), sf.lit(0).cast("bigint"))
        columns = (each.in_spark() for each in self.conversions)
        return self.given.select(*columns, weights.alias(self.weight))

    @property
    def is_lossless(self) -> bool:
        """Whether every value has a place in the type that its column is declared with."""
        return all(each.lossless for each in self.conversions)


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
    types = given.types(spec)
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

    def types(self, spec: SourceSpec) -> tuple[DataType, ...]:
        """The types of the columns, as Spark has them."""
        if self.rows is None:
            return column_types(self.table, batch_place(spec))
        return tuple(field.dtype for field in own_columns(self.rows.schema).fields)

    def in_spark(self, spark: SparkSession, spec: SourceSpec) -> UserRows:
        """The rows under neutral names: those of users may hold dots, quotes and each other."""
        names = [column_name(at) for at in range(len(self.names))]
        if self.rows is not None:
            return take_over(self.rows, names, spark)
        columns = dict(zip(names, self.types(spec), strict=True))
        return UserRows(frame_of_table(spark, self.table, columns, batch_place(spec)))


def _check_marks(spec: SourceSpec, types: tuple[DataType, ...], layout: Layout) -> None:
    """The columns that say what becomes of a row must be of a type that can say so."""
    if layout.weight_at is not None and not is_integral(types[layout.weight_at]):
        raise DataError(
            f"the weights are {types[layout.weight_at]}, not whole numbers",
            where=batch_place(spec),
            hint="Give BIGINT weights: 1 for an inserted row, -1 for a deleted one, never NULL.",
        )
    at = layout.change_type_at
    if at is not None and not isinstance(types[at], StringType):
        raise DataError(
            f"{CHANGE_TYPE} is {types[at]}, not STRING",
            where=batch_place(spec),
            hint="Write insert, update_preimage, update_postimage or delete in it.",
        )


def _conversion(
    spark: SparkSession, spec: SourceSpec, field: Field, given: DataType, at: int
) -> Conversion:
    if not may_convert(spark, given, field.dtype):
        raise DataError(
            f"column {field.name} is {given}; the source declares {field.dtype}",
            where=batch_place(spec),
            hint="Convert the column before ingesting it; only conversions that keep the value "
            "are made for you.",
        )
    lossless = is_upcast(spark, given, field.dtype)
    return Conversion(field, at, given, lossless, in_key=field.name in spec.key)
