from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from slackwater.reading.compare import BagDifference, collect_bag, compare_bags


def difference(
    spark: SparkSession, actual: str, expected: str, *, ordered: bool = False
) -> BagDifference | None:
    return compare_bags(spark.sql(actual), spark.sql(expected), ordered=ordered)


NULLABLE = """
    SELECT array(1, NULL) AS a, named_struct('x', CAST(NULL AS INT)) AS s,
           map('k', CAST(NULL AS INT)) AS m WHERE false
    UNION ALL SELECT array(1), named_struct('x', 1), map('k', 1)
"""
ABSENT = """
    SELECT CAST(NULL AS STRUCT<t: TIMESTAMP>) AS s, CAST(NULL AS MAP<INT, DATE>) AS m,
           CAST(array() AS ARRAY<DATE>) AS a
"""
EXOTIC = """
    SELECT DATE'+12000-01-01' AS d, TIMESTAMP_NTZ'2024-01-01 00:00:00.000001' AS n,
           INTERVAL '1-2' YEAR TO MONTH AS y, INTERVAL '3 04:05:06.7' DAY TO SECOND AS s,
           parse_json('{"k": 1}') AS v, make_interval(1, 2) AS i
"""

SAME = {
    "rows in another order": (
        "SELECT * FROM VALUES (1, 'x'), (2, NULL), (2, NULL) AS t(a, b)",
        "SELECT * FROM VALUES (2, NULL), (1, 'x'), (2, NULL) AS t(a, b)",
    ),
    "both empty": (
        "SELECT 1 AS a WHERE false",
        "SELECT 2 AS a WHERE false",
    ),
    "nullability at every level": (
        "SELECT array(1) AS a, named_struct('x', 1) AS s, map('k', 1) AS m",
        NULLABLE,
    ),
    "NaN, infinities and negative zero": (
        "SELECT double('NaN') AS a, double('Infinity') AS b, -0.0D AS c, float('NaN') AS d",
        "SELECT double('NaN') AS a, double('Infinity') AS b, 0.0D AS c, float('NaN') AS d",
    ),
    "doubles off by rounding": (
        "SELECT 0.1D + 0.2D AS a",
        "SELECT 0.3D AS a",
    ),
    "doubles crossed by noise": (
        "SELECT * FROM VALUES (1.0D, 5D), (1.0000000000001D, 3D) AS t(a, b)",
        "SELECT * FROM VALUES (1.0000000000001D, 5D), (1.0D, 3D) AS t(a, b)",
    ),
    "floats off by rounding": (
        "SELECT float(16777216.0) AS a",
        "SELECT float(16777218.0) AS a",
    ),
    "maps without order": (
        "SELECT map(struct(2 AS k), array(1D), struct(1 AS k), array(0.3D)) AS m",
        "SELECT map(struct(1 AS k), array(0.1D + 0.2D), struct(2 AS k), array(1D)) AS m",
    ),
    "null, empty and absent parts": (ABSENT, ABSENT),
    "types that Python cannot hold": (EXOTIC, EXOTIC),
    "columns of equal name": (
        "SELECT 1 AS a, 2 AS a, map(1, 2) AS `x.y z`",
        "SELECT 1 AS a, 2 AS a, map(1, 2) AS `x.y z`",
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_same(spark: SparkSession, case: str) -> None:
    actual, expected = SAME[case]
    assert difference(spark, actual, expected) is None
    assert difference(spark, expected, actual) is None


DIFFERENT = {
    "a row too often": (
        "SELECT * FROM VALUES (1), (1) AS t(a)",
        "SELECT 1 AS a",
    ),
    "NULL is not zero": ("SELECT CAST(NULL AS INT) AS a", "SELECT 0 AS a"),
    "NULL is not NaN": ("SELECT CAST(NULL AS DOUBLE) AS a", "SELECT double('NaN') AS a"),
    "infinity is not large": ("SELECT double('Infinity') AS a", "SELECT 1e308D AS a"),
    "zero is not tiny": ("SELECT 0D AS a", "SELECT 1e-300D AS a"),
    "doubles beyond the tolerance": ("SELECT 1.00000001D AS a", "SELECT 1D AS a"),
    "floats beyond the tolerance": ("SELECT float(1.00001) AS a", "SELECT float(1) AS a"),
    "decimals to the last digit": (
        "SELECT 12345678901234567890.000000001BD AS a",
        "SELECT 12345678901234567890.000000002BD AS a",
    ),
    "longs to the last digit": ("SELECT 9007199254740993L AS a", "SELECT 9007199254740992L AS a"),
    "strings with spaces": ("SELECT 'x ' AS a", "SELECT 'x' AS a"),
    "binaries": ("SELECT X'00FF' AS a", "SELECT X'00FE' AS a"),
    "instants that share a local time": (
        "SELECT timestamp_micros(1730595600000000) AS a",
        "SELECT timestamp_micros(1730599200000000) AS a",
    ),
    "a pairing crossed between columns": (
        "SELECT * FROM VALUES (1D, 5D), (2D, 3D) AS t(a, b)",
        "SELECT * FROM VALUES (1D, 3D), (2D, 5D) AS t(a, b)",
    ),
    "array order": ("SELECT array(1, 2) AS a", "SELECT array(2, 1) AS a"),
    "a null in an array": ("SELECT array(1, NULL) AS a", "SELECT array(1, 1) AS a"),
    "a struct of nulls is not a null struct": (
        "SELECT CAST(NULL AS STRUCT<t: TIMESTAMP>) AS s",
        "SELECT named_struct('t', CAST(NULL AS TIMESTAMP)) AS s",
    ),
    "map values": ("SELECT map('k', 1D) AS m", "SELECT map('k', 2D) AS m"),
    "map keys": ("SELECT map(X'01', 1) AS m", "SELECT map(X'02', 1) AS m"),
    "variants of other types": (
        "SELECT CAST(1 AS VARIANT) AS v",
        "SELECT CAST('1' AS VARIANT) AS v",
    ),
    "column names": ("SELECT 1 AS a", "SELECT 1 AS b"),
    "column names by case": ("SELECT 1 AS a", "SELECT 1 AS A"),
    "column order": ("SELECT 1 AS a, 1 AS b", "SELECT 1 AS b, 1 AS a"),
    "column number": ("SELECT 1 AS a, 1 AS b", "SELECT 1 AS a"),
    "column types": ("SELECT 1 AS a", "SELECT 1L AS a"),
    "decimal scale": ("SELECT 1.0BD AS a", "SELECT 1.00BD AS a"),
    "nested field names": (
        "SELECT array(named_struct('x', 1)) AS a",
        "SELECT array(named_struct('y', 1)) AS a",
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_different(spark: SparkSession, case: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    actual, expected = DIFFERENT[case]
    assert difference(spark, actual, expected) is not None
    assert difference(spark, expected, actual) is not None


ASCENDING = "SELECT id, id / 3 AS third FROM range(4) ORDER BY id"
DESCENDING = "SELECT id, id / 3 AS third FROM range(4) ORDER BY id DESC"


def test_order_matters_only_on_request(spark: SparkSession) -> None:
    assert difference(spark, ASCENDING, DESCENDING) is None
    assert difference(spark, ASCENDING, ASCENDING, ordered=True) is None
    found = difference(spark, ASCENDING, DESCENDING, ordered=True)
    assert found is not None
    assert "another order, first at row 1" in found.what


def test_a_difference_is_readable(spark: SparkSession) -> None:
    found = difference(
        spark,
        "SELECT id AS n, 'it''s' AS s, timestamp_micros(id) AS t, map('k', array(1.5D)) AS m, "
        "named_struct('x', X'0F', 'y', NULL) AS st FROM range(2)",
        "SELECT id AS n, 'it''s' AS s, timestamp_micros(id) AS t, map('k', array(1.5D)) AS m, "
        "named_struct('x', X'0F', 'y', NULL) AS st FROM range(1)",
    )
    assert str(found) == (
        "rows differ: 1 of 2 actual rows are unexpected, 0 of 1 expected rows are missing\n"
        "  + n=1, s=\"it's\", t=1970-01-01T00:00:00.000001+00:00, m={'k': [1.5]}, "
        "st=(x=X'0F', y=NULL)"
    )


def test_a_difference_shows_five_rows_of_each_side(spark: SparkSession) -> None:
    found = difference(spark, "SELECT id FROM range(0, 9)", "SELECT id FROM range(10, 19)")
    assert found is not None
    assert (len(found.only_actual), len(found.only_expected)) == (5, 5)
    assert "9 of 9 actual rows are unexpected" in found.what


def test_a_schema_difference_names_the_column(spark: SparkSession) -> None:
    found = difference(spark, "SELECT 1 AS a, 2L AS b", "SELECT 1 AS a, 2 AS b")
    assert found == BagDifference("column 2 differs: b bigint instead of b int")


def test_a_collected_result_serves_several_comparisons(spark: SparkSession) -> None:
    expected = collect_bag(spark.sql("SELECT id FROM range(3)"))
    assert compare_bags(spark.sql("SELECT id FROM range(3)"), expected) is None
    found = compare_bags(spark.sql("SELECT id FROM range(4)"), expected)
    assert found is not None
    assert found.only_actual == (("3",),)
