"""Types in Arrow: the form is Spark's own, and what Spark would read back is what we read."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type

from slackwater.state.columns import stable_type
from slackwater.types import CALENDAR_INTERVAL, DataType, IntervalType, parse_spark_type
from slackwater.types.arrow import arrow_type, read_arrow_type

_PLAIN: tuple[spark_types.DataType, ...] = (
    spark_types.BooleanType(),
    spark_types.ByteType(),
    spark_types.ShortType(),
    spark_types.IntegerType(),
    spark_types.LongType(),
    spark_types.FloatType(),
    spark_types.DoubleType(),
    spark_types.DecimalType(5, 0),
    spark_types.DecimalType(38, 10),
    spark_types.StringType(),
    spark_types.BinaryType(),
    spark_types.DateType(),
    spark_types.TimestampType(),
    spark_types.TimestampNTZType(),
    spark_types.DayTimeIntervalType(),
    spark_types.VariantType(),
    spark_types.TimeType(),
)
_ARRAYS = tuple(spark_types.ArrayType(each, containsNull=False) for each in _PLAIN)
_MAPS = tuple(spark_types.MapType(spark_types.StringType(), each, False) for each in _PLAIN)
_STRUCTS = tuple(
    spark_types.StructType().add("a", each, nullable=False).add("b`x", each) for each in _PLAIN
)
_ALL = (spark_types.NullType(), *_PLAIN, *_ARRAYS, *_MAPS, *_STRUCTS)


def own(dtype: spark_types.DataType) -> DataType:
    """The type as we have it, found as the columns of a source are."""
    text = spark_types.StructType().add("x", dtype).json()
    parsed = parse_spark_type(json.loads(text))
    return parsed.fields[0].dtype  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("dtype", _ALL, ids=lambda each: each.simpleString())
def test_a_type_has_sparks_form(dtype: spark_types.DataType) -> None:
    kind = to_arrow_type(dtype, timezone="UTC")
    assert arrow_type(own(dtype)).equals(stable_type(kind), check_metadata=True)
    assert read_arrow_type(kind) == own(from_arrow_type(kind))


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.large_binary(),
        pa.large_list(pa.large_string()),
        pa.list_(pa.field("item", pa.int8(), nullable=False), 3),
        pa.timestamp("us", "Europe/Berlin"),
    ],
    ids=str,
)
def test_other_forms_are_read_as_spark_reads_them(kind: pa.DataType) -> None:
    assert read_arrow_type(kind) == own(from_arrow_type(kind))


@pytest.mark.parametrize(
    "kind", [pa.decimal256(50, 2), pa.decimal128(5, -2), pa.month_day_nano_interval()], ids=str
)
def test_a_form_that_spark_lacks(kind: pa.DataType) -> None:
    with pytest.raises(TypeError, match="Spark has no type"):
        read_arrow_type(kind)


@pytest.mark.parametrize("dtype", [CALENDAR_INTERVAL, IntervalType("YEAR", "MONTH")], ids=str)
def test_a_type_without_a_form(dtype: DataType) -> None:
    with pytest.raises(TypeError, match="no form in Arrow"):
        arrow_type(dtype)
