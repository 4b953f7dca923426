"""State through Spark and back: every type, every operation, whatever the session's settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import StructField

from slackwater.expr.nodes import ColumnId, ColumnRef
from slackwater.expr.sql import ExpressionPrinter
from slackwater.plan.arrangements import hashable
from slackwater.state.counters import ReadCounters
from slackwater.state.frames import (
    Stored,
    Target,
    gather,
    look_up,
    look_up_nested,
    read_changes,
    snapshot,
    write_segments,
)
from slackwater.state.merge import merge_segments
from slackwater.state.segments import SegmentFile
from slackwater.state.worker import ReadCountersParam
from slackwater.types import BIGINT, STRING, DataType, parse_spark_type
from slackwater.types.storage import (
    decode_sql,
    encode_sql,
    storable,
    storage_ddl,
)

VALUES = (
    "true",
    "-128Y",
    "32767S",
    "-2147483648",
    "-9223372036854775808L",
    "float('NaN')",
    "float('-0.0')",
    "double('-0.0')",
    "double('-Infinity')",
    "4.9E-324D",
    "cast('-99999999999999999999999999999999999999' as decimal(38, 0))",
    "cast('0.12345678901234567890123456789012345678' as decimal(38, 38))",
    "cast(-1.5 as decimal(5, 2))",
    "''",
    "'a\\u0000b \\u00e9 \\ud83d\\ude00'",
    "cast('ab' as char(5))",
    "cast('MiXed' as string collate UTF8_LCASE)",
    "X''",
    "X'00FF10'",
    "date'0001-01-01'",
    "date'9999-12-31'",
    "date_add(date'0001-01-01', -400000)",
    "timestamp'0001-01-01 00:00:00'",
    "timestamp'2020-10-25 02:30:00.123456 Europe/Berlin'",
    "timestamp_micros(9223372036854775807)",
    "timestamp_ntz'0001-01-01 00:00:00'",
    "timestamp_ntz'2020-03-29 02:30:00.000001'",
    "interval '1-2' year to month",
    "interval '-178956970' year",
    "interval '2147483647' month",
    "interval '-1 02:03:04.000005' day to second",
    "interval '106751991' day",
    "interval '-7' hour",
    "interval '1.000001' second",
    "make_interval(1, -2, 3, -4, 5, -6, 7.000008)",
    "null",
    "time'23:59:59.999999'",
    'parse_json(\'{"a": [1, null, 1.50, "x"]}\')',
    "array()",
    "array(null)",
    "array(1, null, 3)",
    "array(array(), null, array(double('-0.0')))",
    "array(timestamp'2020-01-01 00:00:00', null)",
    "array(interval '1' month, interval '1' year)",
    "array(parse_json('1'))",
    "map()",
    "map('a', 1, 'b', null)",
    "map(interval '1' day, map(1, X'00'))",
    "map(interval '1' month, named_struct('x', interval '5' year))",
    "named_struct()",
    "named_struct('a', null, 'b', 1)",
    "named_struct('a', 1, 'A', named_struct('a', 'x', 'a', 'y'))",
    "named_struct('q`\"''', cast(null as struct<x: interval year>), 'dotted.name', 2)",
    "array(named_struct('x', map(1, array('z', null))))",
)
KEYS = "xxhash64(key) AS _h"
_ORDER_TYPES = (BIGINT, STRING)


def _dtype(field: StructField) -> DataType:
    return parse_spark_type(json.loads(field.dataType.json()))


def _files(manifest: DataFrame) -> list[SegmentFile]:
    names = SegmentFile.__dataclass_fields__
    return [SegmentFile(**{name: row[name] for name in names}) for row in manifest.collect()]


def _text(name: str, dtype: DataType) -> str:
    """SQL that shows every bit of a value."""
    if dtype.sql() == "BINARY":
        return f"hex({name})"
    return f"to_json({name})" if "VARIANT" in dtype.sql() else f"cast({name} as string)"


def _shown(frame: DataFrame) -> list[tuple[object, ...]]:
    """All rows as text; to_json shows the variants inside, which cannot be cast."""
    columns = [_text(f"`{field.name}`", _dtype(field)) for field in frame.schema]
    return sorted((tuple(row) for row in frame.selectExpr(*columns).collect()), key=str)


def _all_types(spark: SparkSession) -> DataFrame:
    """One row with a value of every type, and one with NULLs."""
    spark.conf.set("spark.sql.timeType.enabled", "true")
    values = ", ".join(f"{value} AS v{number}" for number, value in enumerate(VALUES))
    nulls = ", ".join(["null"] * len(VALUES))
    return spark.sql(f"SELECT {values} UNION ALL SELECT {nulls}")


@pytest.mark.parametrize(
    "properties",
    [
        {},
        {"spark.sql.adaptive.enabled": "true", "spark.sql.session.timeZone": "America/New_York"},
        {"spark.sql.execution.arrow.useLargeVarTypes": "true"},
    ],
    ids=["as opened", "adaptive", "wide offsets"],
)
def test_every_type_comes_back_bit_for_bit(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str]
) -> None:
    for name, value in properties.items():
        spark.conf.set(name, value)
    given = _all_types(spark)
    dtypes = {field.name: _dtype(field) for field in given.schema}
    assert [storable(dtype) for dtype in dtypes.values()] == [None] * len(dtypes)
    columns = [ColumnRef(ColumnId(n), name, d, True) for n, (name, d) in enumerate(dtypes.items())]
    printer = ExpressionPrinter(lambda column: column.name)
    hashed = ", ".join(printer.text(key) for key in map(hashable, columns) if key is not None)
    coded = [encode_sql(dtype, name) + f" AS {name}" for name, dtype in dtypes.items()]
    rows = given.selectExpr(f"xxhash64({hashed}) AS _h", *coded, "1L AS _w")
    types = tuple(dtypes.values())
    files = _files(write_segments(rows, Stored(tmp_path, types), Target("state", "all")))
    files += _files(write_segments(rows, Stored(tmp_path, types), Target("state", "again")))
    read = snapshot(spark, Stored(tmp_path, types, files))
    assert [row._w for row in read.select("_w").collect()] == [2, 2]
    plain = [
        decode_sql(dtype, f"k{number}") + f" AS {name}"
        for number, (name, dtype) in enumerate(dtypes.items())
    ]
    back = read.selectExpr(*plain)
    assert [field.dataType.simpleString() for field in back.schema] == [
        field.dataType.simpleString() for field in given.schema
    ]
    assert _shown(back) == _shown(given)


def test_the_storage_type_is_what_the_encoding_gives(spark: SparkSession) -> None:
    given = _all_types(spark)
    for field in given.schema:
        dtype = _dtype(field)
        coded = given.selectExpr(encode_sql(dtype, field.name) + " AS c").schema["c"]
        told = spark.sql(f"SELECT CAST(NULL AS {storage_ddl(dtype)}) AS c").schema["c"]
        assert coded.dataType.simpleString() == told.dataType.simpleString()


def test_a_type_that_state_cannot_hold_is_told(spark: SparkSession) -> None:
    frame = spark.sql("SELECT st_geomfromwkb(X'0101000000000000000000F03F0000000000000040') AS g")
    assert "geometry" in str(storable(_dtype(frame.schema["g"])))


def _orders(spark: SparkSession) -> DataFrame:
    """1,000 rows under 100 keys, as an arrangement by key stores them."""
    rows = spark.range(1000).selectExpr("id % 100 AS key", "CAST(id AS STRING) AS item")
    return rows.selectExpr(KEYS, "key AS k0", "item AS k1", "1L AS _w")


@pytest.fixture(scope="module", params=["false", "true"], ids=["plain", "adaptive"])
def stored(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stored]:
    """The orders in four large files, less twenty of them by a small one."""
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", request.param)
    orders = _orders(spark)
    empty = Stored(tmp_path_factory.mktemp("home"), _ORDER_TYPES)
    files = _files(write_segments(orders, empty, Target("state", "base", partition_bits=2)))
    gone = orders.where("k0 IN (3, 4)").withColumn("_w", -functions.col("_w"))
    files += _files(write_segments(gone, empty, Target("state", "gone")))
    yield Stored(empty.home, empty.types, files)
    spark.conf.set("spark.sql.adaptive.enabled", str(before))


def test_large_writes_are_cut_by_the_top_bits_of_the_hash(stored: Stored) -> None:
    large, small = stored.files[:-1], stored.files[-1]
    assert (small.rows, small.negative, small.heavy) == (20, True, False)
    assert sum(file.rows for file in large) == 1000
    cuts = [(-(2**63) + (part << 62), -(2**63) + ((part + 1) << 62)) for part in range(4)]
    assert all(
        low <= file.first_hash <= file.last_hash < high
        for file, (low, high) in zip(large, cuts, strict=True)
    )


def test_a_snapshot_has_the_net_rows(spark: SparkSession, stored: Stored) -> None:
    expected = _orders(spark).where("k0 NOT IN (3, 4)").drop("_h")
    assert _shown(snapshot(spark, stored)) == _shown(expected)


def test_a_snapshot_of_some_columns_has_the_others_empty(
    spark: SparkSession, stored: Stored
) -> None:
    whole = snapshot(spark, stored)
    for needed in (frozenset({"k1"}), frozenset[str]()):
        kept = [name if name in needed else f"NULL AS {name}" for name in ("k0", "k1")]
        found = snapshot(spark, stored, needed)
        assert found.schema.simpleString() == whole.schema.simpleString()
        assert _shown(found) == _shown(whole.selectExpr(*kept, "_w"))


def test_changes_are_the_rows_of_the_files_named(spark: SparkSession, stored: Stored) -> None:
    last = Stored(stored.home, stored.types, stored.files[-1:])
    assert read_changes(spark, last).groupBy("k0", "_w").count().orderBy("k0").collect() == [
        (3, -1, 10),
        (4, -1, 10),
    ]


@pytest.mark.parametrize("net", [True, False])
def test_look_ups_join_by_hash(spark: SparkSession, stored: Stored, net: bool) -> None:
    probe = spark.sql("SELECT id AS mine, xxhash64(id) AS _h, 'x' AS other FROM range(3, 6)")
    found = look_up(probe, stored, net=net)
    assert found.columns == ["mine", "other", "s0", "s1", "_sw"]
    counted = found.where("mine = s0").groupBy("mine").agg({"_sw": "sum", "*": "count"})
    rows = {row[0]: tuple(row)[1:] for row in counted.collect()}
    assert {key: sorted(row) for key, row in rows.items()} == (
        {5: [10, 10]} if net else {3: [0, 20], 4: [0, 20], 5: [10, 10]}
    )


def test_nested_look_ups_keep_rows_without_matches(spark: SparkSession, stored: Stored) -> None:
    probe = spark.sql("SELECT id AS mine, xxhash64(id) AS _h FROM range(4, 6)")
    found = look_up_nested(probe, stored)
    sizes = found.selectExpr("mine", "size(_matches)", "get(_matches, 0)._sw").orderBy("mine")
    assert sizes.collect() == [(4, 0, None), (5, 10, 1)]


def test_gathering_shows_the_affected_rows_before_and_after(
    spark: SparkSession, stored: Stored
) -> None:
    back = _orders(spark).where("k0 = 3")
    marks = spark.sql("SELECT xxhash64(7L) AS _h, CAST(NULL AS BIGINT), NULL, 0L AS _w")
    gathered = gather(back.unionAll(marks), stored, partitions=2)
    assert gathered.columns == ["_h", "k0", "k1", "_old", "_new"]
    counted = gathered.groupBy("k0", "_old", "_new").count().orderBy("k0")
    assert counted.collect() == [(3, 0, 1, 10), (7, 1, 1, 10)]


def test_merged_segments_hold_the_same_rows(spark: SparkSession, stored: Stored) -> None:
    merged = list(merge_segments(stored.home, stored.files, "state", "merged", 1))
    after = Stored(stored.home, stored.types, merged)
    assert sum(file.rows for file in merged) == 980
    assert _shown(snapshot(spark, after)) == _shown(snapshot(spark, stored))


def test_workers_report_their_cpu_and_what_they_read(spark: SparkSession, stored: Stored) -> None:
    spent = spark.sparkContext.accumulator(ReadCounters(), ReadCountersParam())
    measured = Stored(stored.home, stored.types, stored.files, spent)
    assert snapshot(spark, measured).count() == 980
    assert spent.value.cpu > 0
    assert spent.value.rows == sum(file.rows for file in stored.files)


def test_nothing_is_written_for_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    nothing = _orders(spark).where("false")
    stored = Stored(tmp_path, _ORDER_TYPES)
    none = write_segments(nothing, stored, Target("state", "x"))
    assert none.collect() == []
    assert not list(tmp_path.rglob("*.arrow"))
