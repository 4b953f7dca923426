"""How a column as it is given becomes a column as it is declared, without losing anything.

The rule is Spark's own for writing into tables (ANSI store assignment), asked of Spark itself.
Where that rule lets a value shrink, as BIGINT into INT, the value must fit (`row_rules`). Arrow
converts whole numbers, and labels; all other conversions are Spark's.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

from slackwater.spark.cast_rules import is_upcast, may_assign
from slackwater.state.columns import conform
from slackwater.types import (
    DataType,
    Field,
    MapType,
    StructType,
    ddl,
    inner_types,
    is_integral,
    parts_of,
    same_type,
)
from slackwater.types.arrow import arrow_type


@dataclass(frozen=True, slots=True)
class Conversion:
    """One column of a batch: where it stands there, what it is, and what it must become."""

    field: Field
    """The column as the source declares it."""
    at: int
    given: DataType
    lossless: bool
    in_key: bool

    @property
    def name(self) -> str:
        """What the source calls the column."""
        return self.field.name

    @property
    def declared(self) -> DataType:
        """The type that values must have in the end."""
        return self.field.dtype

    @property
    def as_it_is(self) -> bool:
        """Whether the column needs no conversion at all."""
        return same_type(self.given, self.declared)

    @property
    def is_arrows(self) -> bool:
        """Whether Arrow's conversion of values that fit is Spark's: whole numbers stay the same."""
        return self.as_it_is or (is_integral(self.given) and is_integral(self.declared))

    def in_arrow(self, table: pa.Table) -> pa.ChunkedArray:
        """The declared column where Arrow converts it; `ArrowInvalid` if a value does not fit."""
        kind, given = arrow_type(self.declared), table.column(self.at)
        return pa.chunked_array([conform(each, kind) for each in given.chunks], kind)

    def in_spark(self) -> Column:
        """The declared column, computed from the given one."""
        source = column_at(self.at)
        return (source if self.as_it_is else source.cast(ddl(self.declared))).alias(self.name)

    def where_it_converts(self) -> Column:
        """The declared column, NULL where the given value does not convert."""
        source = column_at(self.at)
        return source if self.as_it_is else source.try_cast(ddl(self.declared))


def column_name(at: int) -> str:
    """What the column at a place of a batch is called while it is read."""
    return f"c{at}"


def column_at(at: int) -> Column:
    """The column at a place of a batch."""
    return sf.col(column_name(at))


def may_convert(session: SparkSession, given: DataType, declared: DataType) -> bool:
    """Whether Spark would write the given type into a column of the declared one."""
    if same_type(given, declared):
        return True
    if not _same_fields(given, declared):
        return False
    if is_upcast(session, given, declared):
        return True
    # Maps cannot be compared, so nobody could tell what such a conversion loses.
    holds_map = any(isinstance(part, MapType) for part in parts_of(declared))
    return not holds_map and may_assign(session, given, declared)


def _same_fields(given: DataType, declared: DataType) -> bool:
    """Whether structs inside have equal field names; Spark's rule would match them by place."""
    if isinstance(given, StructType) and isinstance(declared, StructType):
        names = [[field.name.lower() for field in each.fields] for each in (given, declared)]
        if names[0] != names[1]:
            return False
    pairs = zip(inner_types(given), inner_types(declared), strict=False)
    return all(_same_fields(one, other) for one, other in pairs)
