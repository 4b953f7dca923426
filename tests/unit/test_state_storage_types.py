from __future__ import annotations

import pytest

from slackwater.types import (
    BIGINT,
    CALENDAR_INTERVAL,
    STRING,
    VOID,
    ArrayType,
    DataType,
    Field,
    IntervalType,
    MapType,
    OpaqueType,
    StructType,
)
from slackwater.types.storage import (
    decode_sql,
    encode_sql,
    hashable_sql,
    needs_encoding,
    storable,
    storage_ddl,
)

MONTHS = IntervalType("YEAR", "MONTH")


@pytest.mark.parametrize(
    "dtype",
    [BIGINT, STRING, ArrayType(STRING), IntervalType("DAY", "SECOND"), OpaqueType("time(6)")],
)
def test_most_types_are_stored_as_they_are(dtype: DataType) -> None:
    assert storable(dtype) is None
    assert not needs_encoding(dtype)
    assert encode_sql(dtype, "x") == decode_sql(dtype, "x") == hashable_sql(dtype, "x") == "x"
    assert storage_ddl(dtype) == dtype.sql()


@pytest.mark.parametrize(
    ("dtype", "ddl"),
    [
        (MONTHS, "INT"),
        (CALENDAR_INTERVAL, "STRING"),
        (VOID, "BOOLEAN"),
        (ArrayType(VOID), "ARRAY<BOOLEAN>"),
        (MapType(MONTHS, STRING), "MAP<INT, STRING>"),
        (
            StructType((Field("a", BIGINT), Field("a", STRING))),
            "STRUCT<`f0`: BIGINT, `f1`: STRING>",
        ),
    ],
)
def test_some_types_are_stored_as_another(dtype: DataType, ddl: str) -> None:
    assert storable(dtype) is None
    assert storage_ddl(dtype) == ddl


def test_a_type_of_unknown_layout_is_refused_at_any_depth() -> None:
    unknown = OpaqueType("geometry(4326)")
    nested = MapType(STRING, StructType((Field("a", ArrayType(unknown)),)))
    assert storable(nested) == storable(unknown)
    assert "geometry(4326)" in str(storable(unknown))


def test_maps_are_hashed_without_regard_to_the_order_of_entries() -> None:
    text = hashable_sql(ArrayType(MapType(STRING, BIGINT)), "x")
    assert text == (
        "transform(x, h0 -> aggregate(map_entries(h0), CAST(size(h0) AS BIGINT), "
        "(a1, h1) -> a1 ^ xxhash64(h1.key, h1.value)))"
    )
