"""Data types: reading Spark's JSON form, printing DDL, and what fits into what."""

from __future__ import annotations

import pytest

from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Field,
    IntervalType,
    MapType,
    OpaqueType,
    StringType,
    StructType,
    always_fits,
    parse_spark_type,
    same_type,
)


@pytest.mark.parametrize(
    ("told", "ddl"),
    [
        ("integer", "INT"),
        ("decimal(38,18)", "DECIMAL(38,18)"),
        ("timestamp_ntz", "TIMESTAMP_NTZ"),
        ("void", "VOID"),
        ("interval day to second", "INTERVAL DAY TO SECOND"),
        ("interval month", "INTERVAL MONTH"),
        ("string collate UTF8_LCASE", "STRING COLLATE UTF8_LCASE"),
        ("variant", "VARIANT"),
        ({"type": "array", "elementType": "date", "containsNull": False}, "ARRAY<DATE>"),
        (
            {
                "type": "map",
                "keyType": "string",
                "valueType": "double",
                "valueContainsNull": True,
            },
            "MAP<STRING, DOUBLE>",
        ),
        (
            {
                "type": "struct",
                "fields": [{"name": "a`b", "type": "long", "nullable": True, "metadata": {}}],
            },
            "STRUCT<`a``b`: BIGINT>",
        ),
    ],
)
def test_reads_sparks_form(told: object, ddl: str) -> None:
    assert parse_spark_type(told).sql() == ddl


def test_a_fields_collation_is_kept_beside_its_type() -> None:
    field = {
        "name": "s",
        "type": "string",
        "nullable": True,
        "metadata": {"__COLLATIONS": {"s": "spark.UTF8_LCASE"}},
    }
    parsed = parse_spark_type({"type": "struct", "fields": [field]})
    assert parsed == StructType((Field("s", StringType("UTF8_LCASE")),))


def test_a_collation_inside_of_a_field_is_kept_beside_its_type() -> None:
    tags = {"type": "array", "elementType": "string", "containsNull": True}
    notes = {"type": "map", "keyType": "string", "valueType": tags, "valueContainsNull": True}
    fields = [
        {"name": name, "type": dtype, "nullable": True, "metadata": {"__COLLATIONS": said}}
        for name, dtype, said in (
            ("tags", tags, {"tags.element": "spark.UTF8_LCASE"}),
            ("notes", notes, {"notes.value.element": "icu.UNICODE_CI"}),
        )
    ]
    parsed = parse_spark_type({"type": "struct", "fields": fields})
    assert parsed == StructType(
        (
            Field("tags", ArrayType(StringType("UTF8_LCASE"))),
            Field("notes", MapType(STRING, ArrayType(StringType("UNICODE_CI")))),
        )
    )


def test_unknown_types_are_carried_by_name() -> None:
    assert parse_spark_type("geometry(4326)") == OpaqueType("geometry(4326)")


@pytest.mark.parametrize(("precision", "scale"), [(0, 0), (39, 0), (5, 6), (5, -1)])
def test_impossible_decimals_are_refused(precision: int, scale: int) -> None:
    with pytest.raises(ValueError, match="no such decimal"):
        DecimalType(precision, scale)


def test_nullability_does_not_make_another_type() -> None:
    one = MapType(STRING, ArrayType(StructType((Field("x", INTEGER, False),)), False), False)
    other = MapType(STRING, ArrayType(StructType((Field("x", INTEGER, True),)), True), True)
    assert one != other
    assert same_type(one, other)
    assert not same_type(one, MapType(STRING, ArrayType(INTEGER)))


@pytest.mark.parametrize(
    ("source", "target", "fits"),
    [
        (INTEGER, BIGINT, True),
        (BIGINT, INTEGER, False),
        (BIGINT, DOUBLE, True),
        (INTEGER, DecimalType(10, 0), True),
        (BIGINT, DecimalType(10, 0), False),
        (DecimalType(5, 2), DecimalType(7, 3), True),
        (DecimalType(5, 2), DecimalType(5, 3), False),
        (DATE, TIMESTAMP, True),
        (STRING, INTEGER, False),
        (DOUBLE, STRING, True),
        (IntervalType("DAY", "DAY"), IntervalType("DAY", "SECOND"), False),
    ],
)
def test_what_always_fits(source, target, fits: bool) -> None:
    assert always_fits(source, target) is fits
