"""A view keeps its stored plan; a fact that changes has it planned anew, visibly."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import slackwater as sw

SQL = "SELECT k, max(v) AS most, sum(v) AS total FROM t GROUP BY k"


def _rows(*pairs: tuple[int, int, int]) -> pa.Table:
    ids, keys, values = zip(*pairs, strict=True)
    return pa.table({"id": ids, "k": keys, "v": values})


def _filled(home: Path, spark: SparkSession) -> sw.Session:
    session = sw.open(home, spark=spark)
    session.create_source("t", "id BIGINT, k BIGINT, v BIGINT", key=["id"])
    session.create_view("v", SQL)
    session.create_view("plain", "SELECT k, sum(v) AS total FROM t GROUP BY k")
    session.ingest("t", _rows((1, 1, 10), (2, 1, 20), (3, 2, 5)))
    session.refresh()
    return session


def test_first_delete_has_the_view_planned_anew(spark: SparkSession, tmp_path: Path) -> None:
    with _filled(tmp_path, spark) as session:
        assert "aggregate_sums" in str(session.view("v").explain("plan"))
        session.ingest("t", _rows((2, 1, 20)), op="delete")
        result = session.refresh()
        assert {run.view: run.action for run in result.views} == {
            "v": "rebuilt",
            "plain": "incremental",
        }
        events = [row for row in session.history() if row.action == "replanned"]
        assert [row.view for row in events] == ["v"]
        assert events[0].reason == (
            "a source is no longer append-only: t; "
            "Aggregate by [k] [max(v) AS most, sum(v) AS total] "
            "by aggregate_extremes instead of aggregate_sums"
        )
        assert "aggregate_extremes" in str(session.view("v").explain("plan"))
        assert session.verify("v").equal
        session.ingest("t", _rows((4, 1, 7)))
        assert {run.action for run in session.refresh().views} == {"incremental"}
        assert len([row for row in session.history() if row.action == "replanned"]) == 1
        assert session.verify("v").equal


def test_stored_plan_is_used_by_the_next_process(spark: SparkSession, tmp_path: Path) -> None:
    with _filled(tmp_path, spark) as session:
        before = dict(session.keeper.catalog().state.plans)
        plan = session.keeper.catalog().stored_plan("v")
    assert plan is not None
    with sw.open(tmp_path, spark=spark) as session:
        assert session.keeper.catalog().stored_plan("v") == plan
        session.ingest("t", _rows((5, 3, 1)))
        session.refresh()
        assert session.keeper.catalog().state.plans == before


def test_rows_of_a_run_are_known_to_the_next_process(spark: SparkSession, tmp_path: Path) -> None:
    with _filled(tmp_path, spark) as session:
        session.ingest("t", _rows((5, 1, 1), (6, 1, 2)))
        first = session.refresh()
        assert first.estimates.rows
        assert first.estimates.predicted_seconds > 0
    with sw.open(tmp_path, spark=spark) as session:
        assert "rows seen:" in str(session.view("v").explain("plan"))
        session.ingest("t", _rows((7, 1, 1), (8, 1, 2)))
        second = session.refresh()
        assert max(second.estimates.rows) == 1.0
        details = session.history("v")[0].metrics["estimates"]
        assert details["rows_q_error"] == 1.0


def test_rows_are_counted_in_spark_too(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark=spark, engine="spark") as session:
        session.create_source("t", "id BIGINT, k BIGINT, v BIGINT", key=["id"])
        session.create_view("v", SQL, refresh="incremental")
        session.ingest("t", _rows((1, 1, 10), (2, 1, 20), (3, 2, 5)))
        session.refresh()
        session.ingest("t", _rows((5, 3, 1), (6, 1, 2)))
        session.refresh()
        assert "found 2 to 2" in str(session.view("v").explain("plan"))
        assert session.verify("v").equal
