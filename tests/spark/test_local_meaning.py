"""What the driver computes itself is what Spark computes: values, types and hashes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError, arrow_type
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.frontend.sql.planner import Planner
from slackwater.state.columns import compact
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    DecimalType,
)

from .planned_text import FEW_VALUES, plan_text, planner_over

COLUMNS = {
    "g": INTEGER,
    "y": TINYINT,
    "h": SMALLINT,
    "i": INTEGER,
    "j": BIGINT,
    "d": DecimalType(12, 2),
    "e": DecimalType(30, 4),
    "w": DecimalType(38, 0),
    "n": DecimalType(5, 0),
    "s": STRING,
    "u": STRING,
    "t": DATE,
    "b": BOOLEAN,
    "p": TIMESTAMP,
    "q": TIMESTAMP_NTZ,
}

EXPRESSIONS = [
    "xxhash64(y, h, i, j)",
    "xxhash64(d, e, w, n)",
    "xxhash64(s, t, b, p, q)",
    "i + 1",
    "j - i",
    "y * CAST(3 AS TINYINT)",
    "- j",
    "- d",
    "abs(d)",
    "abs(i)",
    "d + e",
    "d - n",
    "d * n",
    "e * n",
    "d * CAST(j AS DECIMAL(20,0))",
    "w + w",
    "d / 7.0BD",
    "CAST(d AS DECIMAL(25,2)) / CAST(nullif_n AS DECIMAL(20,0))",
    "CAST(d AS DECIMAL(13,1))",
    "CAST(e AS DECIMAL(38,2))",
    "CAST(i AS BIGINT)",
    "CAST(i AS DECIMAL(12,2))",
    "CAST(w AS DECIMAL(38,0))",
    "CAST(j AS STRING)",
    "CAST(n AS BIGINT)",
    "i % 7",
    "j % 10L",
    "s = u",
    "s < u",
    "s <=> u",
    "s IN ('a', 'ab', 'é')",
    "d > 0",
    "d = e",
    "e BETWEEN d AND 100.00BD",
    "t >= DATE '2000-02-29'",
    "p < p",
    "q <=> q",
    "b AND i > 0",
    "b OR i IS NULL",
    "NOT b",
    "b IS NULL",
    "CASE WHEN i > 0 THEN d WHEN b THEN e END",
    "CASE i WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE s END",
    "if(b, i, j)",
    "coalesce(d, 0)",
    "coalesce(s, u, '-')",
    "greatest(i, j, 0)",
    "least(s, u)",
    "greatest(d, e)",
    "s LIKE 'a%'",
    "s LIKE '%_b%' ESCAPE '!'",
    "startswith(s, 'a')",
    "endswith(s, u)",
    "contains(s, 'b')",
    "substring(s, 2, 3)",
    "length(s)",
    "year(t)",
    "month(t)",
    "day(t)",
]
AGGREGATES = [
    "count(*)",
    "count(s)",
    "count(DISTINCT s)",
    "sum(y)",
    "sum(i)",
    "sum(d)",
    "sum(d) FILTER (WHERE b)",
    "avg(d)",
    "avg(n)",
    "min(s)",
    "max(t)",
    "min(e)",
    "max(b)",
    "max(p)",
]
WINDOWS = [
    "rank() OVER (PARTITION BY g ORDER BY s DESC NULLS LAST)",
    "dense_rank() OVER (ORDER BY t ASC NULLS LAST)",
    "sum(d) OVER (ORDER BY t ASC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "max(s) OVER (PARTITION BY g)",
]


def _decimals(digits: int, scale: int, used: int) -> st.SearchStrategy[Decimal]:
    """Decimals of a type; few enough digits that sums and products of them still fit."""
    top = 10 ** min(digits, used) - 1
    return st.integers(-top, top).map(lambda number: Decimal(number).scaleb(-scale))


_TEXTS = st.sampled_from(["", "a", "ab", "abc", "b%", "_b", "é", "日本", "🦉x", "A", "\x00", " a "])
_ROW = st.tuples(
    st.integers(0, 2),
    st.integers(-40, 40),
    st.integers(-(2**15), 2**15 - 1),
    st.one_of(st.integers(-3, 3), st.integers(-(2**31) + 1, 2**31 - 2)),
    st.one_of(st.integers(-3, 3), st.integers(-(2**62), 2**62)),
    _decimals(12, 2, 12),
    _decimals(30, 4, 20),
    _decimals(38, 0, 37),
    _decimals(5, 0, 5),
    _TEXTS,
    _TEXTS,
    st.dates(date(1900, 1, 1), date(2100, 12, 31)),
    st.booleans(),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda t: t.replace(tzinfo=UTC)),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
).flatmap(lambda row: st.tuples(*(st.sampled_from([value, value, value, None]) for value in row)))


def _table(rows: list[tuple[object, ...]]) -> pa.Table:
    arrays = [
        pa.array([row[at] for row in rows], arrow_type(dtype))
        for at, dtype in enumerate(COLUMNS.values())
    ]
    return pa.table(arrays, names=list(COLUMNS))


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def planner(spark: SparkSession) -> Planner:
    return planner_over(spark, {**COLUMNS, "f": DOUBLE})


@pytest.fixture(scope="module")
def statements(planner: Planner) -> dict[str, DuckdbStatement]:
    """Each text with what the driver makes of it: there is none that it leaves to Spark."""
    return {sql: print_duckdb(plan_text(planner, sql)) for sql in _texts()}


def _texts() -> list[str]:
    source = "(SELECT *, CASE WHEN n <> 0 THEN n END AS nullif_n FROM t)"
    rowwise = ", ".join(f"{text} AS x{at}" for at, text in enumerate(EXPRESSIONS))
    grouped = ", ".join(f"{text} AS x{at}" for at, text in enumerate(AGGREGATES))
    windows = ", ".join(f"{text} AS x{at}" for at, text in enumerate(WINDOWS))
    swapped = "s AS u, sum(i % 9) AS j, max(u) AS s"
    window = "PARTITION BY g ORDER BY i ASC NULLS FIRST"
    counted = "SELECT s, CAST(abs(y) AS BIGINT) + CAST(1 AS BIGINT) AS m FROM t"
    one = "CAST(1 AS DECIMAL(12,2))"
    some = f"(SELECT d AS a FROM t WHERE d > {one})"
    copies = "LATERAL VIEW explode(sequence(CAST(1 AS BIGINT), m)) copies AS copy"
    return [
        f"SELECT {rowwise} FROM {source}",
        f"SELECT g, {grouped} FROM t GROUP BY g",
        f"SELECT {grouped} FROM t WHERE i > 0",
        f"SELECT g, i, j, s, d, {windows} FROM t",
        f"SELECT g, i, row_number() OVER ({window}) AS x FROM t",
        "SELECT DISTINCT s, t, d FROM t",
        # Names of columns given to others must not be taken for those.
        "SELECT i AS y, CAST(y AS INT) AS i FROM t WHERE i > 0",
        f"SELECT {swapped} FROM t WHERE u > 'a' GROUP BY s HAVING sum(j % 7L) <> 1",
        "SELECT p, n, d AS k1 FROM t",
        f"SELECT d, n FROM t WHERE d >= {one} AND n < CAST(100 AS DECIMAL(5,0)) AND d <> {one}",
        f"SELECT a, e FROM {some} INNER JOIN (SELECT d AS c, e FROM t) ON (a = c)",
        "SELECT g AS k0, sum(j % 5L) AS k1 FROM t GROUP BY g HAVING sum(j % 5L) <> 0",
        "SELECT i AS k0, d AS k1 FROM t UNION ALL SELECT NULL, CAST(n AS DECIMAL(14,2)) FROM t",
        "SELECT a, c FROM (SELECT s AS a FROM t) LEFT JOIN (SELECT u AS c FROM t) ON (a < c)",
        "SELECT a FROM (SELECT s AS a FROM t) LEFT ANTI JOIN (SELECT u AS c FROM t) ON (a = c)",
        "SELECT i, j FROM t LEFT SEMI JOIN (SELECT y AS i, j FROM t WHERE b) USING (i, j)",
        "SELECT i, s FROM t LEFT ANTI JOIN (SELECT DISTINCT y AS i FROM t WHERE b) USING (i)",
        f"SELECT s, copy FROM ({counted}) {copies}",
        "SELECT g, v, c FROM t LATERAL VIEW stack(2, s, 1, u, 2) stacked AS v, c",
        "SELECT (SELECT max(i) FROM t) AS k0, s FROM t",
        "SELECT xxhash64(j, s) AS _h, s AS k0, CAST(-1 AS BIGINT) AS _w FROM t",
    ]


def _sorted(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


@settings(
    max_examples=4,
    deadline=None,
    # A smaller example of the same fault is not worth the minutes that Spark takes to find it.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=st.lists(_ROW, min_size=0, max_size=25))
def test_statements_mean_the_same(
    rows: list[tuple[object, ...]],
    spark: SparkSession,
    engine: LocalEngine,
    statements: dict[str, DuckdbStatement],
) -> None:
    table = _table(rows)
    as_stored = table.cast(compact(table.schema))
    assert as_stored.schema != table.schema
    in_spark = SparkStatements(spark)
    for sql, local in statements.items():
        found = engine.execute(local, {"t": as_stored})
        assert _sorted(found) == _sorted(engine.execute(local, {"t": table})), sql
        expected = in_spark.execute(sql, {"t": as_stored}, {"t": COLUMNS})
        assert found.schema.types == expected.schema.types, sql
        assert _sorted(found) == _sorted(expected), sql


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT initcap(s) AS k0 FROM t", "initcap"),
        ("SELECT exp(f) AS k0 FROM t", "exp"),
        ("SELECT s LIKE 'a\\\\%' AS k0 FROM t", "pattern"),
        ("SELECT d % d AS k0 FROM t", "remainder"),
        ("SELECT skewness(i) AS k0 FROM t", "skewness"),
        ("SELECT CAST(f AS STRING) AS k0 FROM t", "cast"),
        ("SELECT DISTINCT array(f) AS k0 FROM t", "grouping"),
    ],
)
def test_what_only_spark_knows_is_left_to_it(planner: Planner, sql: str, reason: str) -> None:
    statement = plan_text(planner, sql)
    with pytest.raises(NotLocalError, match=reason):
        print_duckdb(statement)


def test_spark_takes_over_tables_without_rows(spark: SparkSession) -> None:
    columns = {"l": ArrayType(INTEGER), "p": TIMESTAMP}
    nothing = pa.schema([(name, arrow_type(dtype)) for name, dtype in columns.items()])
    tables = {"t": pa.Table.from_batches([], nothing)}
    found = SparkStatements(spark).execute("SELECT size(l) AS n, p FROM t", tables, {"t": columns})
    assert found.schema.names == ["n", "p"]
    assert not found.num_rows


def test_an_overflow_is_left_to_spark(planner: Planner, engine: LocalEngine) -> None:
    statement = print_duckdb(plan_text(planner, "SELECT i + 1 AS k0 FROM t"))
    with pytest.raises(NotLocalError, match="fails here"):
        engine.execute(statement, {"t": pa.table({"i": pa.array([2**31 - 1], pa.int32())})})
