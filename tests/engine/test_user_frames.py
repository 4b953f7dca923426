"""A user's DataFrame means what it means in its session; what we ask of its rows is ours."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

import slackwater as sw
from slackwater.errors import DataError, ExecutionError
from slackwater.ingest import ingestion
from slackwater.sources.batches import Batch, read_batch

_WIDTH = 24
_NAMES = [f"x{n}" for n in range(_WIDTH)]
_DDL = ", ".join(f"{name} BIGINT" for name in _NAMES)
_HOSTILE = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.constraintPropagation.enabled": "true",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ColumnPruning",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.session.timeZone": "Asia/Tokyo",
}


@pytest.fixture
def user(spark: SparkSession) -> SparkSession:
    """A session that is set otherwise than the one homes are opened with."""
    session = spark.newSession()
    for key, value in _HOSTILE.items():
        session.conf.set(key, value)
    return session


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """The batches that are read."""
    batches: list[Batch] = []

    def reading(*args: Any) -> Batch:
        batches.append(read_batch(*args))
        return batches[-1]

    monkeypatch.setattr(ingestion, "read_batch", reading)
    return batches


def _wide(session: SparkSession, folder: Path, weight: int) -> DataFrame:
    """Rows of many columns that Spark must read from a file."""
    path = folder / f"wide{weight}.parquet"
    pq.write_table(pa.table({**{n: range(5) for n in _NAMES}, "_w": [weight] * 5}), path)
    return session.read.parquet(str(path))


def _leaves(plan: Any) -> Iterator[str]:
    children = plan.children()
    if children.isEmpty():
        yield plan.nodeName()
    for at in range(children.size()):
        yield from _leaves(children.apply(at))


def test_many_columns_are_ingested_and_deleted(
    spark: SparkSession, user: SparkSession, tmp_path: Path, planned: list[Batch]
) -> None:
    """Spark would look for what is true of a hash of all columns: twice as much with each."""
    with sw.open(tmp_path / "home", spark, engine="spark") as session:
        session.create_source("t", _DDL)
        assert session.ingest("t", _wide(user, tmp_path, 1)).inserted == 5
        assert session.ingest("t", _wide(user, tmp_path, -1)).deleted == 5
    for batch in planned:
        frame = batch.frame
        assert list(_leaves(frame._jdf.queryExecution().analyzed())) == ["LogicalRDD"]
        settings = frame.sparkSession.conf
        assert settings.get("spark.sql.constraintPropagation.enabled") == "false"
        assert settings.get("spark.sql.adaptive.enabled") == "false"


def test_only_a_session_that_is_set_otherwise_costs_a_job(
    spark: SparkSession, user: SparkSession, tmp_path: Path, planned: list[Batch]
) -> None:
    with sw.open(tmp_path / "home", spark, engine="spark") as session:
        session.create_source("t", _DDL)
        for each in (spark, spark.newSession(), user):
            session.ingest("t", _wide(each, tmp_path, 1))
    assert [batch.rows.kept is not None for batch in planned] == [False, False, True]


def test_a_frame_means_what_it_means_in_its_session(
    spark: SparkSession, user: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "texts.parquet"
    texts = {"s": ["2020-1-5x", "zz"], "f": ["yyyy-MM-dd"] * 2, "n": [0, 1]}
    pq.write_table(pa.table(texts), path)
    meant = user.read.parquet(str(path)).selectExpr(
        "n",
        "to_date(s, f) AS day",
        "10 / n AS share",
        "map_from_arrays(array(1, 1), array('first', s))[1] AS last",
        "CAST('2020-01-01 00:00' AS TIMESTAMP) AS at",
        r"'\d' AS pattern",
    )
    with sw.open(tmp_path / "home", spark, engine="spark") as session:
        session.create_source("t", meant.schema)
        session.create_view("v", "SELECT * FROM t")
        session.ingest("t", meant)
        session.refresh()
        assert sorted(session.view("v").read().collect()) == sorted(meant.collect())
        session.ingest("t", meant, op="delete")
        session.refresh()
        assert session.view("v").read().count() == 0


def test_names_that_differ_in_case_alone(
    spark: SparkSession, user: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path, spark, engine="spark") as session:
        session.create_source("t", "a BIGINT")
        session.ingest("t", user.sql("SELECT 1L AS A"))
        with pytest.raises(DataError, match="unknown A"):
            session.ingest("t", user.sql("SELECT 1L AS a, 2L AS A"))


def test_checks_do_not_follow_the_users_arithmetic(
    spark: SparkSession, user: SparkSession, tmp_path: Path
) -> None:
    """Without ANSI a number that does not fit would be cut instead of refused."""
    with sw.open(tmp_path, spark, engine="spark") as session:
        session.create_source("t", "a INT, b INT", key="a")
        for sql in ("SELECT 1 AS a, 4294967297L AS b", "SELECT 4294967297L AS a, 1 AS b"):
            with pytest.raises(DataError, match="do not fit INT"):
                session.ingest("t", user.sql(sql))


def test_one_frame_is_read_anew_by_each_batch(spark: SparkSession, tmp_path: Path) -> None:
    """Spark keeps the shuffles of a plan that has run: the second batch would be the first."""
    now = sf.udf(lambda: int(time.time_ns()), "BIGINT").asNondeterministic()
    clock = spark.range(1).select(now().alias("t")).repartition(2)
    with sw.open(tmp_path, spark, engine="spark") as session:
        session.create_source("t", "t BIGINT")
        session.create_view("v", "SELECT count(DISTINCT t) AS n FROM t")
        for _ in range(2):
            session.ingest("t", clock)
        session.refresh()
        assert session.view("v").read().collect() == [(2,)]


def test_a_heap_that_ran_out_is_told_as_such(spark: SparkSession, tmp_path: Path) -> None:
    """The text is longer than any array of Java's, which Spark finds out while it plans."""
    endless = spark.sql("SELECT length(repeat('x', 2147483647)) AS n")
    with sw.open(tmp_path, spark, engine="spark") as session:
        session.create_source("t", "n INT")
        with pytest.raises(ExecutionError) as failed:
            session.ingest("t", endless)
        assert failed.value.what == "Java ran out of memory in Spark; nothing was changed"
        assert "spark.driver.memory" in str(failed.value.hint)
        assert "spark.executor.memory" in str(failed.value.hint)
        assert not list((tmp_path / "state").rglob("*.arrow"))
        assert session.ingest("t", spark.sql("SELECT 1 AS n")).inserted == 1
