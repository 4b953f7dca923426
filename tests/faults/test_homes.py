"""One writer a home; what readers of older commits see, and for how long."""

from __future__ import annotations

import os
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import CatalogError, DataError, ExecutionError
from slackwater.state.metadata.collect import Retention
from slackwater.state.metadata.errors import HomeLockedError, RetentionError

from .kills import Keeping, read_journal

TOTALS = "SELECT b, sum(v) AS s FROM item GROUP BY b"


def test_a_second_process_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, spark)
    process, journal = keeping.start(batches=1_000, verify=False)
    while process.is_alive() and not any(e["event"] == "opened" for e in read_journal(journal)):
        time.sleep(0.02)
    with pytest.raises(HomeLockedError, match=f"pid {process.pid} ") as refused:
        sw.open(keeping.home, spark)
    assert "Wait until it is done" in refused.value.render()
    process.kill()
    process.join()
    with sw.open(keeping.home, spark) as session:
        assert session.status().commit >= 1


def test_a_second_session_of_the_same_process_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path, spark), pytest.raises(HomeLockedError, match=f"pid {os.getpid()} "):
        sw.open(tmp_path, spark)
    with sw.open(tmp_path, spark) as session:
        assert session.views() == ()


def kept(spark: SparkSession, home: Path, retention: Retention | None, refreshes: int) -> Session:
    """A home with a view that has changed so many times."""
    session = sw.open(home, spark, retention=retention)
    session.create_source("item", "b STRING, v BIGINT")
    session.create_view("totals", TOTALS)
    for number in range(1, refreshes + 1):
        rows = spark.createDataFrame([("x", number), ("y", -number)], "b STRING, v BIGINT")
        session.ingest("item", rows)
        session.refresh()
    return session


def totals(session: Session, commit: int | None = None) -> Counter[tuple[object, ...]]:
    frame = session.view("totals").read(commit)
    return Counter(tuple(row) for row in frame.collect())


def expected(refreshes: int) -> Counter[tuple[object, ...]]:
    total = sum(range(1, refreshes + 1))
    return Counter([("x", total), ("y", -total)])


def test_older_commits_stay_readable_while_retained(spark: SparkSession, tmp_path: Path) -> None:
    with kept(spark, tmp_path, None, 4) as session:
        runs = [each.commit for each in session.history("totals")][::-1]
        before = session.view("totals").read(runs[1])
        session.compact()
        assert [totals(session, commit) for commit in runs] == [expected(n) for n in (1, 2, 3, 4)]
        assert Counter(tuple(row) for row in before.collect()) == expected(2)
        assert totals(session) == expected(4)


def test_retention_is_the_users_choice(spark: SparkSession, tmp_path: Path) -> None:
    retention = Retention(commits=0, age=timedelta(0), history=100)
    with kept(spark, tmp_path, retention, 3) as session:
        runs = [each.commit for each in session.history("totals")][::-1]
        removed = session.compact().collected
        assert removed.files
        assert not any((tmp_path / path).exists() for path in removed.files)
        with pytest.raises(RetentionError, match=f"commit {runs[0]} "):
            totals(session, runs[0])
        assert totals(session) == expected(3)
        assert [each.commit for each in session.history("totals")][::-1] == runs


def test_a_refused_batch_leaves_no_file(spark: SparkSession, tmp_path: Path) -> None:
    with kept(spark, tmp_path, None, 1) as session:
        files = set(tmp_path.glob("state/*/*"))
        missing = spark.createDataFrame([("x", 99)], "b STRING, v BIGINT")
        with pytest.raises(DataError, match="does not hold"):
            session.ingest("item", missing, op="delete")
        assert set(tmp_path.glob("state/*/*")) == files


def test_a_failed_run_leaves_no_file(spark: SparkSession, tmp_path: Path) -> None:
    with kept(spark, tmp_path, None, 1) as session:
        session.create_view("inverse", "SELECT b, 1 div v AS i FROM item")
        session.ingest("item", spark.createDataFrame([("x", 0)], "b STRING, v BIGINT"))
        files = set(tmp_path.glob("state/*/*"))
        with pytest.raises(ExecutionError, match="zero"):
            session.refresh()
        assert set(tmp_path.glob("state/*/*")) == files


def test_a_home_can_be_read_while_another_process_writes(
    spark: SparkSession, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with kept(spark, home, None, 1) as writer, sw.open(home, spark, read_only=True) as reader:
        assert totals(reader) == totals(writer)
        with pytest.raises(CatalogError, match="reading only"):
            reader.refresh()
    with pytest.raises(CatalogError, match="no home to read"):
        sw.open(tmp_path / "nowhere", spark, read_only=True)
