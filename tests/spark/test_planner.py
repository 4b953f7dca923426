"""The front door: SQL text, DataFrames, functions of the user, and what is refused."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.pandas.functions import pandas_udf

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Distinct, Join, JoinKind, Limit, Recompute
from slackwater.algebra.plan_printer import print_plan
from slackwater.algebra.rel import walk_rel
from slackwater.catalog import Statistics, TableDefinition
from slackwater.compiler.batch import compile_batch
from slackwater.errors import (
    CatalogError,
    NonDeterministicError,
    Span,
    SqlError,
    UnsupportedStatementError,
)
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.reading.compare import compare_bags
from slackwater.types import parse_spark_type

from ..oracle.run_batch import run_batch

ROWS = [(1, "a", 1.5), (2, "b", None), (2, "b", None), (None, "c", float("nan")), (4, None, 0.0)]
SCHEMA = "k INT, s STRING, x DOUBLE"


def definition(name: str, frame: DataFrame, rows: int | None = None) -> TableDefinition:
    text = frame.schema.json()
    return TableDefinition(name, parse_spark_type(json.loads(text)), text, Statistics(rows))


class Bench:
    """A planner over two small tables, and the same tables for plain Spark."""

    def __init__(self, spark: SparkSession):
        self.spark = spark
        self.frames = {
            "t": spark.createDataFrame(ROWS, SCHEMA),
            "u": spark.createDataFrame([(2, "x"), (None, "y")], "k INT, label STRING"),
        }
        self.planner = Planner(
            spark, [definition(name, frame, 1000) for name, frame in self.frames.items()]
        )

    def run(self, query: Query) -> DataFrame:
        statement = compile_batch(query.rel, query.names)
        return run_batch(self.spark, statement, self.frames, query.fragments)

    def check(self, query: Query, expected: DataFrame) -> None:
        difference = compare_bags(self.run(query), expected)
        assert difference is None, difference.render()


@pytest.fixture(scope="module")
def bench(spark: SparkSession) -> Bench:
    return Bench(spark)


def test_plans_are_the_same_each_time(bench: Bench) -> None:
    sql = "SELECT s, sum(k) AS total FROM t WHERE x > 0 GROUP BY s"
    first, second = bench.planner.plan_sql(sql), bench.planner.plan_sql(sql)
    assert print_plan(first.rel) == print_plan(second.rel)
    assert first.rel == second.rel


def test_fingerprint_knows_equal_work_under_other_names(bench: Bench) -> None:
    one = bench.planner.plan_sql("SELECT k + 1 AS a FROM t WHERE s = 'x'").rel
    same = bench.planner.plan_sql("SELECT b.k + 1 AS other FROM t AS b WHERE b.s = 'x'").rel
    other = bench.planner.plan_sql("SELECT k + 2 AS a FROM t WHERE s = 'x'").rel
    assert fingerprint(one) == fingerprint(same)
    assert fingerprint(one) != fingerprint(other)


def test_join_kinds_and_keys(bench: Bench) -> None:
    sql = "SELECT t.s FROM t LEFT JOIN u ON t.k = u.k AND t.x > 1"
    (join,) = [r for r in walk_rel(bench.planner.plan_sql(sql).rel) if isinstance(r, Join)]
    assert join.kind is JoinKind.LEFT
    assert len(join.keys) == 1
    assert join.residual is not None


def test_not_in_is_null_aware(bench: Bench) -> None:
    query = bench.planner.plan_sql("SELECT s FROM t WHERE k NOT IN (SELECT k FROM u)")
    (join,) = [r for r in walk_rel(query.rel) if isinstance(r, Join)]
    assert join.kind is JoinKind.NULL_AWARE_ANTI
    assert bench.run(query).collect() == []


def test_distinct_and_limit_are_operators(bench: Bench) -> None:
    rel = bench.planner.plan_sql("SELECT DISTINCT k FROM t ORDER BY k LIMIT 2 OFFSET 1").rel
    assert any(isinstance(each, Distinct) for each in walk_rel(rel))
    (limit,) = [each for each in walk_rel(rel) if isinstance(each, Limit)]
    assert (limit.count, limit.offset) == (2, 1)


def test_more_than_one_row_in_a_scalar_subquery_raises(bench: Bench) -> None:
    query = bench.planner.plan_sql("SELECT (SELECT k FROM t) AS one FROM u")
    with pytest.raises(Exception, match="SCALAR_SUBQUERY_TOO_MANY_ROWS"):
        bench.run(query).collect()


def test_a_correlated_scalar_subquery_with_two_matches_raises(bench: Bench) -> None:
    query = bench.planner.plan_sql("SELECT u.k, (SELECT s FROM t WHERE t.k = u.k) AS s FROM u")
    with pytest.raises(Exception, match="SCALAR_SUBQUERY_TOO_MANY_ROWS"):
        bench.run(query).collect()


def test_nothing_folds_away_over_empty_planning_relations(bench: Bench) -> None:
    query = bench.planner.plan_sql("SELECT count(*) AS n FROM t JOIN u ON t.k = u.k")
    assert query.sources == ("t", "u")


def test_statistics_reach_spark(bench: Bench) -> None:
    plan = bench.planner.table("t")._jdf.queryExecution().optimizedPlan()
    assert "rowCount=1000" in plan.stats().toString().replace(",", "").replace("1.00E+3", "1000")


def test_a_dataframe_is_planned_like_text(bench: Bench) -> None:
    t, u = bench.planner.table("t"), bench.planner.table("u")
    frame = t.join(u, "k", "left").groupBy("label").agg(sf.sum("x").alias("total"))
    real = bench.frames["t"].join(bench.frames["u"], "k", "left").groupBy("label")
    bench.check(bench.planner.plan_dataframe(frame), real.agg(sf.sum("x").alias("total")))


def test_literals_of_every_kind(bench: Bench) -> None:
    sql = """
        SELECT X'00FF' AS b, array(1, NULL) AS a, map('k', 1.50) AS m, named_struct('f', 1S) AS st,
          timestamp'2021-10-31 02:30:00.123456' AS ts, timestamp_ntz'0001-01-01 00:00:00' AS n,
          interval '1-3' year to month AS ym, interval '-1 02:03:04.5' day to second AS dt,
          date'-0044-03-15' AS d, 1.5F AS f, 'it\\'s \\\\ "q"\n' AS s, CAST(NULL AS INT) AS nothing,
          CAST('NaN' AS DOUBLE) AS nan, -128Y AS tiny, 1e-18BD AS small, array() AS nil,
          -9223372036854775808L AS least, 99999999999999999999999999999999999999BD AS most
        FROM u
    """
    query = bench.planner.plan_sql(sql)
    assert not query.recomputed
    plain = bench.spark.newSession()
    plain.createDataFrame([(2, "x"), (None, "y")], "k INT, l STRING").createOrReplaceTempView("u")
    bench.check(query, plain.sql(sql))


def test_registered_python_functions_are_represented(bench: Bench) -> None:
    # Registered after the planner was made: it must still be found.
    bench.spark.udf.register("plus_one", lambda value: None if value is None else value + 1, "int")

    @pandas_udf("double")
    def doubled(values: pd.Series) -> pd.Series:
        return values * 2

    bench.spark.udf.register("doubled", doubled)
    query = bench.planner.plan_sql("SELECT plus_one(k) AS p, doubled(x) AS d FROM t")
    assert not query.recomputed
    t = bench.frames["t"]
    bench.check(query, t.selectExpr("plus_one(k) AS p", "doubled(x) AS d"))


def test_anonymous_functions_are_left_to_spark(bench: Bench) -> None:
    secret = sf.udf(lambda value: value, "string")
    query = bench.planner.plan_dataframe(bench.planner.table("t").select(secret("s").alias("s")))
    assert "not registered by name" in query.recomputed[0].reason
    bench.check(query, bench.frames["t"].select(secret("s").alias("s")))


def test_only_the_smallest_part_is_left_to_spark(bench: Bench) -> None:
    def keep(batches):
        yield from batches

    mapped = bench.planner.table("t").mapInArrow(keep, SCHEMA).groupBy("s").count()
    query = bench.planner.plan_dataframe(mapped)
    assert not isinstance(query.rel, Recompute)
    (leaf,) = query.recomputed
    assert leaf.sources == ("t",)
    assert "MapInArrow" in leaf.reason
    bench.check(query, bench.frames["t"].groupBy("s").count())


def test_a_grouped_pandas_function_is_left_to_spark(bench: Bench) -> None:
    @pandas_udf("double")
    def middle(values: pd.Series) -> float:
        return float(values.fillna(0).median())

    frame = bench.planner.table("t").groupBy("s").agg(middle("x").alias("m"))
    query = bench.planner.plan_dataframe(frame)
    assert query.recomputed
    bench.check(query, bench.frames["t"].groupBy("s").agg(middle("x").alias("m")))


def test_hints_and_partitioning_do_not_matter(bench: Bench) -> None:
    frame = bench.planner.table("t").repartition(3, "k").hint("broadcast").sortWithinPartitions("s")
    query = bench.planner.plan_dataframe(frame)
    assert not query.recomputed
    bench.check(query, bench.frames["t"])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT rand() AS r FROM t",
        "SELECT k FROM t WHERE rand(7) > 0.5",
        "SELECT uuid() AS u FROM t",
        "SELECT monotonically_increasing_id() AS i FROM t",
        "SELECT current_timestamp() AS now FROM t",
        "SELECT k FROM t WHERE current_date() > date'2020-01-01'",
        "SELECT k FROM t WHERE k IN (SELECT k FROM u WHERE now() > timestamp'2020-01-01')",
        "SELECT unix_timestamp() AS seconds FROM t",
        "SELECT * FROM t TABLESAMPLE (10 PERCENT)",
        "SELECT shuffle(array(k, 1)) AS s FROM t",
        "SELECT k, timestamp /* then */ ' Now ' AS t FROM t",
        "SELECT k FROM t WHERE CAST('today' AS DATE) > DATE '2026-01-01'",
        "SELECT k, to_timestamp('now') AS t FROM t",
        "SELECT k, to_date('yesterday') AS t FROM t",
        'SELECT k, TIMESTAMP_NTZ"tomorrow" AS t FROM t',
    ],
)
def test_what_cannot_be_repeated_is_refused(bench: Bench, sql: str) -> None:
    with pytest.raises(NonDeterministicError) as caught:
        bench.planner.plan_sql(sql)
    assert caught.value.hint


def test_words_for_moments_are_no_moments_elsewhere(bench: Bench) -> None:
    query = "SELECT 'now' AS date, 'today' AS now, date'epoch' AS d, k AS today FROM t"
    assert bench.planner.plan_sql(query).names == ("date", "now", "d", "today")


def test_a_function_declared_non_deterministic_is_refused(bench: Bench) -> None:
    bench.spark.udf.register("moody", sf.udf(lambda value: value, "int").asNondeterministic())
    with pytest.raises(NonDeterministicError, match="moody"):
        bench.planner.plan_sql("SELECT moody(k) AS m FROM t")


@pytest.mark.parametrize("function", ["current_user", "current_path"])
def test_values_of_the_session_are_pinned_and_said_so(bench: Bench, function: str) -> None:
    query = bench.planner.plan_sql(f"SELECT k, {function}() AS who FROM t")
    assert query.notes == (f"{function}() is taken from the session once and kept",)


@pytest.mark.parametrize(
    ("sql", "condition", "marked"),
    [
        ("SELECT k FROM nowhere", "TABLE_OR_VIEW_NOT_FOUND", "nowhere"),
        ("SELECT k, nope FROM t", "UNRESOLVED_COLUMN", "nope"),
        ("SELECT k FROM t WHERE s + date'2020-01-01' > 1", "DATATYPE_MISMATCH", None),
        ("SELECT k FRM t WHERE", "PARSE_SYNTAX_ERROR", None),
        (
            "SELECT\n  k,\n  no_such_function(k)\nFROM t",
            "UNRESOLVED_ROUTINE",
            "no_such_function(k)",
        ),
    ],
)
def test_mistakes_show_their_place(
    bench: Bench, sql: str, condition: str, marked: str | None
) -> None:
    with pytest.raises(SqlError) as caught:
        bench.planner.plan_sql(sql)
    problem = caught.value
    assert (problem.condition or "").startswith(condition)
    assert isinstance(problem.where, Span)
    if marked is not None:
        assert sql[problem.where.start : problem.where.stop] == marked
    text = problem.render()
    assert "SQLSTATE" not in text
    assert "org.apache" not in text
    assert "'Project" not in text


def test_a_misspelt_table_is_guessed(bench: Bench) -> None:
    planner = Planner(bench.spark, [definition("orders", bench.frames["t"])])
    with pytest.raises(SqlError) as caught:
        planner.plan_sql("SELECT * FROM ordrs")
    assert "Did you mean orders?" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE made_here (a INT)",
        "INSERT INTO t VALUES (1, 'a', 2.0)",
        "WITH w AS (SELECT 1 AS a) INSERT INTO t SELECT * FROM w",
        "DROP VIEW t",
        "SET spark.sql.ansi.enabled = false",
        "CREATE OR REPLACE TEMP VIEW made_here AS SELECT 1",
        "FROM t INSERT INTO a SELECT * INSERT INTO b SELECT *",
    ],
)
def test_statements_are_refused_before_they_run(bench: Bench, sql: str) -> None:
    with pytest.raises(UnsupportedStatementError):
        bench.planner.plan_sql(sql)
    assert "made_here" not in {table.name for table in bench.spark.catalog.listTables()}


def test_a_table_that_is_no_source_is_refused(bench: Bench) -> None:
    frame = bench.planner.table("t").join(bench.frames["u"], "k")
    with pytest.raises(CatalogError, match="not a source"):
        bench.planner.plan_dataframe(frame)


def test_the_users_session_stays_as_it_is(bench: Bench) -> None:
    before = dict(bench.spark.conf.getAll)
    views = {table.name for table in bench.spark.catalog.listTables()}
    query = bench.planner.plan_sql("SELECT k FROM t")
    bench.run(query).collect()
    assert dict(bench.spark.conf.getAll) == before
    assert {table.name for table in bench.spark.catalog.listTables()} == views


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT s, sum(k) + (SELECT count(*) FROM u) AS c FROM t GROUP BY s",
        "SELECT s, sum(k + (SELECT max(k) FROM u)) AS c FROM t GROUP BY s",
        "SELECT sum(k) FILTER (WHERE k > (SELECT min(k) FROM u)) AS c FROM t",
        "SELECT k + (SELECT max(k) FROM u) AS g, count(*) AS n FROM t GROUP BY 1",
        "SELECT s, sum(k * (SELECT max(k) FROM u)) OVER (PARTITION BY s) AS w FROM t",
        "SELECT t.s FROM t JOIN u ON t.k = u.k AND t.x > (SELECT min(x) FROM t)",
        "SELECT t.s FROM t FULL JOIN u ON t.k = u.k + (SELECT 0 FROM u WHERE k = 2)",
        "SELECT s, k, sum(x) AS x FROM t WHERE k > 1 GROUP BY GROUPING SETS ((s), (k), ())",
        "SELECT s FROM t ORDER BY k + (SELECT max(k) FROM u), s LIMIT 3",
    ],
)
def test_scalar_subqueries_wherever_they_stand(bench: Bench, sql: str) -> None:
    query = bench.planner.plan_sql(sql)
    assert not query.recomputed
    plain = bench.spark.newSession()
    plain.createDataFrame(ROWS, SCHEMA).createOrReplaceTempView("t")
    plain.createDataFrame([(2, "x"), (None, "y")], "k INT, label STRING").createOrReplaceTempView(
        "u"
    )
    bench.check(query, plain.sql(sql))
