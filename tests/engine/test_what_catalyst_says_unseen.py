"""What Spark says by metadata, evaluation modes and added arguments, none of which a plan shows.

Each of these once gave a wrong answer, or failed where plain Spark gives NULL.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.errors import ExecutionError, SqlError

from .harness import Way
from .histories import Tables, check_history, each_way, opened

_EVENTS = Tables(
    {
        "e": pa.schema(
            [
                ("id", pa.int32()),
                ("ts", pa.timestamp("us", tz="UTC")),
                ("a", pa.int32()),
                ("b", pa.int32()),
                ("s", pa.string()),
            ]
        )
    }
)


def _at(hour: int) -> datetime:
    return datetime(2024, 3, 1 + hour // 24, hour % 24, tzinfo=UTC)


_HISTORY = {
    "events three hours apart are one session": {
        "e": [(1, _at(0), 1, 2, "2024-03-01", 1), (2, _at(3), 1, 5, "no date", 1)]
    },
    "an event joins two sessions, another begins one": {
        "e": [(3, _at(40), 2, 3, "%41", 1), (4, _at(30), 2, 4, "%zz", 1), (5, _at(13), 3, 9, "", 1)]
    },
    "the event between two sessions goes": {
        "e": [(5, _at(13), 3, 9, "", -1), (2, _at(3), 1, 5, "no date", -1)]
    },
}

_SESSIONS = {
    "sessions": "SELECT session_window(ts, '12 hours').start AS begun, count(*) AS n FROM e "
    "GROUP BY session_window(ts, '12 hours')",
    "sessions_by_key": "SELECT a, session_window(ts, '12 hours') AS w, sum(b) AS total FROM e "
    "GROUP BY a, session_window(ts, '12 hours')",
    "filtered_sessions": "SELECT * FROM (SELECT session_window(ts, '12 hours') AS w, sum(b) AS t "
    "FROM e GROUP BY 1) WHERE t > 2",
    "no_sessions": "SELECT w.start AS begun, count(*) AS n FROM (SELECT named_struct('start', ts, "
    "'end', ts + INTERVAL '12' HOUR) AS w FROM e) GROUP BY w",
    "time_windows": "SELECT window(ts, '12 hours').start AS begun, count(*) AS n FROM e "
    "GROUP BY window(ts, '12 hours')",
}


@each_way
def test_sessions_are_merged(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _EVENTS, _SESSIONS, _HISTORY, way=way)


_QUIET = {
    "dates": "SELECT id, try_to_date(s) AS d, try_to_date(s, 'yyyy-MM-dd') AS f FROM e",
    "moments": "SELECT id, try_to_timestamp(s) AS d, try_to_timestamp(s, 'yyyy') AS f FROM e",
    "urls": "SELECT id, try_url_decode(s) AS u, try_parse_url(s, 'HOST') AS h FROM e",
    "casts": "SELECT id, try_cast(s AS INT) AS i, CAST(b AS STRING) AS t FROM e",
    "binaries": "SELECT id, try_to_binary(s, 'base64') AS u, unbase64('QQ==') AS v FROM e",
}


@each_way
def test_bad_text_is_null_where_a_function_tries(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    check_history(spark, tmp_path, _EVENTS, _QUIET, _HISTORY, way=way)


def test_bad_text_fails_where_a_function_does_not_try(spark: SparkSession, tmp_path: Path) -> None:
    for number, call in enumerate(("to_binary(s, 'hex')", "to_date(s)", "url_decode(s)")):
        folder = tmp_path / str(number)
        with opened(spark, folder, _EVENTS, {"v": f"SELECT id, {call} AS x FROM e"}) as law:
            law.take(_EVENTS.batch({"e": [(1, _at(0), 1, 2, "%zz", 1)]}))
            with pytest.raises(ExecutionError, match="view v"):
                law.refresh()


_ASSERTIONS = {
    "asserted": "SELECT id, assert_true(a < b) AS x FROM e",
    "asserted_with_text": "SELECT id, assert_true(a < b, s) AS x FROM e",
    "raised": "SELECT id, CASE WHEN a > 100 THEN raise_error(concat('no ', s)) ELSE a END AS x "
    "FROM e",
}


@each_way
def test_conditions_of_rows_are_asserted(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _EVENTS, _ASSERTIONS, _HISTORY, way=way)


def test_an_assertion_that_does_not_hold_names_the_view(
    spark: SparkSession, tmp_path: Path
) -> None:
    views = {"v": "SELECT id, assert_true(a < b, concat('row ', id)) AS x FROM e"}
    with opened(spark, tmp_path, _EVENTS, views) as law:
        law.take(_EVENTS.batch({"e": [(7, _at(0), 5, 2, "", 1)]}))
        with pytest.raises(ExecutionError, match=r"(?s)row 7.*view v"):
            law.refresh()


_LATERAL = {
    "numbered": "SELECT e.id, u.r FROM e, LATERAL (SELECT row_number() OVER (ORDER BY o.id) AS r "
    "FROM e o WHERE o.a = e.a) u",
    "running": "SELECT e.id, u.t FROM e, LATERAL (SELECT sum(o.b) OVER (ORDER BY o.ts) AS t "
    "FROM e o WHERE o.a = e.a) u",
    "ranked": "SELECT e.id, u.r, u.q FROM e, LATERAL (SELECT rank() OVER (PARTITION BY o.s "
    "ORDER BY o.b) AS r, e.b + 1 AS q FROM e o WHERE o.a < e.a) u",
}


@each_way
def test_windows_inside_lateral_are_kept(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _EVENTS, _LATERAL, _HISTORY, way=way)


def test_windows_inside_lateral_are_incremental(spark: SparkSession, tmp_path: Path) -> None:
    with opened(spark, tmp_path, _EVENTS, _LATERAL) as law:
        why = [str(law.session.view(name).explain("why")) for name in _LATERAL]
    assert not any("recomputed" in text for text in why)


def test_parts_that_differ_in_their_mode_only_are_two_parts(
    spark: SparkSession, tmp_path: Path
) -> None:
    counted = """WITH RECURSIVE r(n) AS (
        SELECT count({}) FROM e UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r"""
    views = {
        "quiet": counted.format("try_cast(s AS INT)"),
        "loud": counted.format("CAST(s AS INT)"),
    }
    with opened(spark, tmp_path, _EVENTS, views) as law:
        texts = [str(law.session.view(name).explain("plan")) for name in views]
        names = {text.split("fragment_", 1)[1].split()[0] for text in texts}
    assert len(names) == len(views)


def test_functions_registered_after_opening_are_found(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("n", "a BIGINT")
        session.ingest("n", pa.table({"a": pa.array([1, 2], pa.int64())}))
        spark.udf.register("after_open", lambda value: value + 1, "bigint")
        spark.sql("CREATE TEMPORARY FUNCTION doubled(x BIGINT) RETURNS BIGINT RETURN x * 2")
        python = session.create_view("python", "SELECT after_open(a) AS b FROM n")
        text = session.create_view("text", "SELECT doubled(a) AS b FROM n")
        frame = session.create_view("frame", session.table("n").selectExpr("after_open(a) AS b"))
        session.refresh()
        assert sorted(row.b for row in python.read().collect()) == [2, 3]
        assert sorted(row.b for row in text.read().collect()) == [2, 4]
        assert sorted(row.b for row in frame.read().collect()) == [2, 3]


def test_a_function_that_is_registered_anew_makes_its_views_start_over(
    spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("n", "a BIGINT")
        session.ingest("n", pa.table({"a": pa.array([1, 2], pa.int64())}))
        spark.udf.register("changing", lambda value: value + 1, "bigint")
        view = session.create_view("v", "SELECT changing(a) AS b FROM n")
        session.create_view("other", "SELECT a FROM n")
        session.refresh()
        spark.udf.register("changing", lambda value: value + 10, "bigint")
        runs = {run.view: run for run in session.refresh().views}
        assert sorted(row.b for row in view.read().collect()) == [11, 12]
        assert runs["v"].reason == "function changing has been registered anew"
        assert runs["other"].action == "skipped"
        assert {run.action for run in session.refresh().views} == {"skipped"}


def test_a_query_on_which_spark_breaks_is_an_error_in_the_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("n", "s STRING")
        options = "SELECT from_csv(s, 'a INT', map('mode', s)) AS x FROM n"
        with pytest.raises(SqlError, match="must be constants"):
            session.create_view("v", options)
