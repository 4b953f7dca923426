"""What a session tells its listeners is what it does, and comes in that order."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import SlackwaterError
from slackwater.events import (
    Committed,
    Event,
    MergeCommitted,
    MergeStarted,
    Progress,
    ViewDecided,
    Warned,
)
from slackwater.maintenance import maintenance
from slackwater.running import results


def numbers(start: int, stop: int) -> pa.Table:
    return pa.table({"v": pa.array(range(start, stop), pa.int64())})


def opened(spark: SparkSession, home: Path, engine: str) -> Session:
    session = sw.open(home, spark, engine=engine)
    session.create_source("item", "v BIGINT")
    session.create_view("total", "SELECT sum(v) AS s FROM item", refresh="incremental")
    session.create_view("small", "SELECT v FROM item WHERE v < 3")
    return session


@pytest.mark.parametrize("engine", ["driver", "spark"])
def test_a_run_is_told_from_decision_to_commit(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    heard: list[Event] = []
    with opened(spark, tmp_path, engine) as session:
        session.subscribe(heard.append)
        ingested = session.ingest("item", numbers(0, 5))
        assert heard[-1] == Committed(ingested.commit, "ingest")
        heard.clear()
        run = session.refresh()
    told = [event for event in heard if not isinstance(event, Progress)]
    assert told[:3] == [
        *(ViewDecided(each.view, each.action, each.reason, 5) for each in run.views),
        Committed(run.commit, "run"),
    ]
    steps = [event for event in heard if isinstance(event, Progress) and event.steps]
    assert bool(steps) is (engine == "driver")
    assert all(1 <= each.step <= each.steps for each in steps)
    assert [str(event) for event in heard].count("running the Spark job") == (engine == "spark")


def test_warnings_of_a_run_are_events(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "_SMALL_STATE", 1)
    monkeypatch.setattr(results, "_OUTGROWN", 0)
    heard: list[Event] = []
    with opened(spark, tmp_path, "auto") as session:
        session.subscribe(heard.append, Warned)
        session.ingest("item", numbers(0, 5))
        run = session.refresh()
    assert [event.what for event in heard if isinstance(event, Warned)] == list(run.warnings)
    assert {event.view for event in heard if isinstance(event, Warned)} == {"total", "small"}


def test_merges_in_the_background_are_told_by_the_thread_that_works(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_MERGED_AT", 2)
    heard: list[Event] = []
    with opened(spark, tmp_path, "driver") as session:
        session.subscribe(heard.append, MergeStarted, MergeCommitted, Committed)
        for day in range(4):
            session.ingest("item", numbers(day, day + 1))
            session.refresh()
        session.close()
    (started, *_) = (each for each in heard if isinstance(each, MergeStarted))
    (merged, *_) = (each for each in heard if isinstance(each, MergeCommitted))
    assert (merged.merged, merged.merged > merged.written) == (started.segments, True)
    commit = heard[heard.index(merged) - 1]
    assert isinstance(commit, Committed)
    assert commit.kind == "compact"


def test_a_listener_that_fails_fails_no_run(spark: SparkSession, tmp_path: Path) -> None:
    def failing(_event: Event) -> None:
        raise RuntimeError("the screen is gone")

    with opened(spark, tmp_path, "driver") as session:
        session.subscribe(failing)
        session.ingest("item", numbers(0, 5))
        session.refresh()
        assert session.verify("total").equal


def test_an_engine_that_does_not_exist_is_refused_before_anything_is_made(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(SlackwaterError, match="there is no engine 'cluster'") as refused:
        sw.open(tmp_path / "home", spark, engine="cluster")
    assert refused.value.hint == "Choose one of: auto, driver, spark."
    assert not (tmp_path / "home").exists()
