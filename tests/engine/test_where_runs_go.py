"""Which runs the driver takes, which Spark: by the rows they work on and the room there is."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.api import Session
from slackwater.api.forced import open_forced
from slackwater.executors.driver import driver_executor, frames
from slackwater.plan import costs
from slackwater.state import sorting

HERE = "on the driver"


def numbers(count: int, start: int = 0) -> pa.Table:
    return pa.table({"v": pa.array(range(start, start + count), pa.int64())})


def kept(spark: SparkSession, home: Path, driver_rows: int) -> Session:
    session = open_forced(home, spark, driver_rows=driver_rows)
    session.create_source("item", "v BIGINT")
    session.create_source("unread", "v BIGINT")
    session.create_view("totals", "SELECT count(*) AS n, sum(v) AS s FROM item")
    return session


def test_rows_of_a_source_that_no_view_reads_do_not_count(
    spark: SparkSession, tmp_path: Path
) -> None:
    with kept(spark, tmp_path, driver_rows=10) as session:
        session.ingest("unread", numbers(100))
        session.ingest("item", numbers(10))
        few = session.refresh()
        session.ingest("item", numbers(11))
        many = session.refresh()
        assert (HERE in few.metrics.phases, few.metrics.jobs) == (True, 0)
        assert (HERE in many.metrics.phases, many.metrics.jobs) == (False, 1)
        assert session.verify("totals").equal


def test_rows_that_outgrow_memory_wait_in_files(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(spark, tmp_path, driver_rows=1_000_000) as session:
        session.create_view("greater", "SELECT v % 9 AS v, v + 1 AS w FROM item")
        session.create_view("twins", "SELECT a.v, b.w FROM greater a JOIN greater b ON a.v = b.v")
        monkeypatch.setattr(driver_executor, "MOST_BYTES", 4_000)
        monkeypatch.setattr(frames, "_SMALL_FRAME", 0)
        monkeypatch.setattr(sorting, "_RUN_ROWS", 100)
        monkeypatch.setattr(sorting, "_PIECE_ROWS", 50)
        session.ingest("item", numbers(1_000))
        filled = session.refresh()
        session.ingest("item", numbers(500), op="delete")
        changed = session.refresh()
        assert (filled.metrics.jobs, changed.metrics.jobs) == (0, 0)
        assert all(session.verify(view).equal for view in ("totals", "greater", "twins"))


@pytest.mark.parametrize(("policy", "action"), [("auto", "rebuilt"), ("incremental",) * 2])
def test_a_view_starts_over_where_that_costs_less(
    policy: str, action: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Prices alone decide: how long a step took is another thing each time.
    monkeypatch.setattr(costs, "_MOST_WRONG", 1.0)
    joined = "SELECT a.v % 7 AS g FROM item a JOIN item b ON a.v = b.v"
    with kept(spark, tmp_path, driver_rows=sys.maxsize) as session:
        session.create_view(
            "pairs", f"SELECT g, count(*) AS n FROM ({joined}) GROUP BY g", refresh=policy
        )
        session.ingest("item", numbers(200_000))
        session.refresh()
        session.ingest("item", numbers(200_000), op="delete")
        session.ingest("item", numbers(200_000, start=200_000))
        much = {each.view: each for each in session.refresh().views}
        session.ingest("item", numbers(1))
        little = {each.view: each for each in session.refresh().views}
        assert (much["pairs"].action, little["pairs"].action) == (action, "incremental")
        last = session.history("pairs")[1]
        keeping, anew, _recomputed = (each.seconds for each in last.candidates)
        if policy == "auto":
            assert "from the start" in much["pairs"].reason
            assert keeping is not None
            assert anew is not None
            assert anew < keeping
        assert session.verify("totals").equal
        assert session.verify("pairs").equal
