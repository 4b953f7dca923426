"""Everyday views: Spark and DuckDB understand them, and they stay equal to plain Spark."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.api import open_home
from slackwater.bench.duck import DuckTables
from slackwater.bench.machine import Clock
from slackwater.bench.plain import PlainSpark, plain_setup
from slackwater.bench.refresh import load_tables
from slackwater.bench.shape_views.catalogue import SHAPES, choose_shapes
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.shapes import measure_shapes
from slackwater.bench.shapes_flat import measure_flat
from slackwater.bench.shapes_report import Change, ShapesPlan
from slackwater.bench.time_limit import TooSlowError, time_limit
from slackwater.workloads.event_changes import ChangeKind, EventChanges
from slackwater.workloads.event_tables import EVENT_KEYS, EventSpec, ensure_events

SPEC = EventSpec(2_000)
SAMPLE = "count_distinct,latest_row,rank,rolling_range,limit_inside,anti_join,funnel,texts"
MIXED = Change(ChangeKind.MIXED, 0.01)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache"


@pytest.fixture(scope="module")
def folder(cache: Path) -> Path:
    return ensure_events(SPEC, cache)


def unequal(
    spark: SparkSession, home: Path, folder: Path, shapes: Iterable[Shape]
) -> dict[str, str | None]:
    """Keep all views through one mixed change; those that then differ from plain Spark."""
    with open_home(home, spark) as session:
        for _ in load_tables(session, folder, Clock(spark), lambda _: None, EVENT_KEYS):
            pass
        for shape in shapes:
            for name, sql in {**shape.below, shape.name: shape.sql}.items():
                session.create_view(name, sql)
        session.refresh()
        change = EventChanges(folder, SPEC).take(0.02, ChangeKind.MIXED)
        session.ingest("events", change["events"])
        session.refresh()
        found = {name: session.verify(name) for name in session.views()}
    return {name: each.difference for name, each in found.items() if not each.equal}


def test_spark_accepts_every_view(spark: SparkSession, folder: Path) -> None:
    plain = spark.newSession()
    for name in EVENT_KEYS:
        plain.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
    for shape in SHAPES.values():
        for name, sql in shape.below.items():
            plain.sql(sql).createOrReplaceTempView(name)
        names = plain.sql(shape.sql).columns
        assert len(set(names)) == len(names), shape.name


def test_a_sample_stays_equal_through_a_mixed_change(
    spark: SparkSession, tmp_path: Path, folder: Path
) -> None:
    assert unequal(spark, tmp_path / "home", folder, choose_shapes(SAMPLE)) == {}


@pytest.mark.deep
def test_every_view_stays_equal_through_a_mixed_change(
    spark: SparkSession, tmp_path: Path, folder: Path
) -> None:
    assert unequal(spark, tmp_path / "home", folder, SHAPES.values()) == {}


@pytest.mark.deep
def test_duckdb_answers_with_as_many_rows(
    spark: SparkSession, tmp_path: Path, folder: Path
) -> None:
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    plain = spark.newSession()
    for name in EVENT_KEYS:
        plain.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
    with DuckTables(tmp_path / "tables.duckdb", folder, zone, Clock(spark)) as duck:
        for shape in SHAPES.values():
            for name, sql in shape.below.items():
                plain.sql(sql).createOrReplaceTempView(name)
            if shape.duckdb_sql:
                duck.recompute(shape.duckdb_sql, shape.below, 1)
                assert duck.count(shape.duckdb_sql) == plain.sql(shape.sql).count(), shape.name


def test_a_view_that_fails_does_not_stop_the_others(
    spark: SparkSession, tmp_path: Path, folder: Path
) -> None:
    late = "SELECT event_id, assert_true(event_id < 2000) AS fine FROM events"
    broken = Shape("broken", "fails once there are new events", late, duckdb="")
    shapes = (*choose_shapes("rank"), broken, *choose_shapes("view_on_view,funnel"))
    plan = ShapesPlan(SPEC.rows, shapes, (0.01,), (ChangeKind.MIXED,), 1, verify=True)
    report = measure_shapes(spark, tmp_path, folder, plan, lambda _: None)
    assert [view.exact for view in report.views] == [True, None, True, True]
    assert report.failed == ("broken",)
    failed = report.views[1]
    assert failed.fill is not None
    assert "Error" in failed.problem
    for view in (report.views[0], *report.views[2:]):
        assert view.refreshes[MIXED].changed_rows == 25
        assert (view.ratio(MIXED) or 0) > 0
        assert (view.duckdb_ratio(MIXED) or 0) > 0
        assert view.state_bytes > 0
        assert view.read is not None


def test_growth_is_measured_at_every_size(spark: SparkSession, tmp_path: Path, cache: Path) -> None:
    plan = ShapesPlan(0, choose_shapes("rank"), repeat=1, sizes=(1_000, 2_000))
    report = measure_flat(spark, tmp_path, cache, plan, lambda _: None)
    (view,) = report.views
    assert (view.problem, report.changed) == ("", 1)
    assert list(view.seconds) == [1_000, 2_000]
    assert (view.spread or 0) >= 1


def test_a_query_reads_those_that_were_named(spark: SparkSession, folder: Path) -> None:
    plain = PlainSpark(spark, folder, Clock(spark), plain_setup(spark, folder))
    plain.name_query("few", "SELECT event_id FROM events WHERE event_id < 3")
    assert plain.compute("SELECT count(*) FROM few").rows > 0


def test_too_slow_work_is_stopped_in_spark_and_told(spark: SparkSession) -> None:
    endless = "SELECT count(*) FROM range(100000000000) WHERE cos(id) > 2"
    started = time.perf_counter()
    with pytest.raises(TooSlowError, match="longer than 1 s"), time_limit(spark, 1.0):
        spark.sql(endless).collect()
    assert time.perf_counter() - started < 30
    with time_limit(spark, 60.0):
        assert spark.sql("SELECT 1").collect() == [(1,)]
    with pytest.raises(TooSlowError), time_limit(spark, 0.1):
        time.sleep(0.3)
    with pytest.raises(ZeroDivisionError), time_limit(spark, 60.0):
        assert 1 / 0
