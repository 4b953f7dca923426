"""How a column as it is given becomes a column as it is declared, without losing anything.

The rule is Spark's own for writing into tables (ANSI store assignment), asked of Spark itself.
Where that rule lets a value shrink, as BIGINT into INT, the value must fit: the conversion
carries a condition that is true of the rows it would damage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DoubleType,
    FloatType,
    MapType,
    StructType,
)

from slackwater.catalog.source_spec import inner_types


@dataclass(frozen=True, slots=True)
class Conversion:
    """One column of a batch: where it stands there, what it is, and what it must become."""

    name: str
    at: int
    given: DataType
    declared: DataType
    lossless: bool

    @property
    def as_it_is(self) -> bool:
        """Whether the column needs no conversion at all."""
        return same_type(self.given, self.declared)

    def column(self) -> Column:
        """The declared column, computed from the given one."""
        source = column_at(self.at)
        return (source if self.as_it_is else source.cast(self.declared)).alias(self.name)

    def safe_column(self) -> Column:
        """The declared column, NULL where the given value does not convert."""
        source = column_at(self.at)
        return source if self.as_it_is else source.try_cast(self.declared)

    def loss(self) -> Column | None:
        """True of the rows whose value would come out different; None if there can be none."""
        if self.lossless:
            return None
        source, becomes = column_at(self.at), self.safe_column()
        fails = source.isNotNull() & becomes.isNull()
        if isinstance(self.declared, FloatType | DoubleType):
            # Rounding is what a user asks for who declares a floating column.
            return fails
        return fails | ~becomes.try_cast(self.given).eqNullSafe(source)


def column_name(at: int) -> str:
    """What the column at a place of a batch is called while it is read."""
    return f"c{at}"


def column_at(at: int) -> Column:
    """The column at a place of a batch."""
    return sf.col(column_name(at))


def same_type(given: DataType, declared: DataType) -> bool:
    """Whether two types differ in nothing but what may be NULL inside them."""
    return bool(as_nullable(given) == as_nullable(declared))


def as_nullable(dtype: DataType) -> DataType:
    """The type with NULL allowed everywhere inside."""
    if isinstance(dtype, ArrayType):
        return ArrayType(as_nullable(dtype.elementType), containsNull=True)
    if isinstance(dtype, MapType):
        return MapType(as_nullable(dtype.keyType), as_nullable(dtype.valueType), True)
    if isinstance(dtype, StructType):
        loose = StructType()
        for field in dtype.fields:
            loose = loose.add(field.name, as_nullable(field.dataType), nullable=True)
        return loose
    return dtype


def may_convert(spark: SparkSession, given: DataType, declared: DataType) -> bool:
    """Whether Spark would write the given type into a column of the declared one."""
    if same_type(given, declared):
        return True
    if not _same_fields(given, declared):
        return False
    if is_lossless(spark, given, declared):
        return True
    assignable = _cast_rules(spark).canANSIStoreAssign(
        _java_type(spark, given), _java_type(spark, declared)
    )
    # Maps cannot be compared, so nobody could tell what such a conversion loses.
    return bool(assignable) and not _holds_map(declared)


def is_lossless(spark: SparkSession, given: DataType, declared: DataType) -> bool:
    """Whether every given value has a place in the declared type (Spark's upcast rule)."""
    if same_type(given, declared):
        return True
    rules = _cast_rules(spark)
    return bool(rules.canUpCast(_java_type(spark, given), _java_type(spark, declared)))


def _same_fields(given: DataType, declared: DataType) -> bool:
    """Whether structs inside have equal field names; Spark's rule would match them by place."""
    if isinstance(given, StructType) and isinstance(declared, StructType):
        names = [[name.lower() for name in each.fieldNames()] for each in (given, declared)]
        if names[0] != names[1]:
            return False
    pairs = zip(inner_types(given), inner_types(declared), strict=False)
    return all(_same_fields(one, other) for one, other in pairs)


def _holds_map(dtype: DataType) -> bool:
    return isinstance(dtype, MapType) or any(map(_holds_map, inner_types(dtype)))


def _cast_rules(spark: SparkSession) -> Any:
    jvm: Any = spark._jvm
    return jvm.org.apache.spark.sql.catalyst.expressions.Cast


def _java_type(spark: SparkSession, dtype: DataType) -> Any:
    jvm: Any = spark._jvm
    return jvm.org.apache.spark.sql.types.DataType.fromJson(as_nullable(dtype).json())
