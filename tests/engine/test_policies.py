"""Refresh policies, and what the history says of what was really done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import CatalogError, DataError

from .harness import quick_session


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    with sw.open(tmp_path, quick_session(spark)) as session:
        session.create_source("item", "g BIGINT NOT NULL, v BIGINT NOT NULL")
        yield session


def rows(*given: tuple[int, int]) -> pa.Table:
    groups, values = zip(*given, strict=True)
    return pa.table({"g": pa.array(groups, pa.int64()), "v": pa.array(values, pa.int64())})


SOME = rows((1, 10), (1, 11), (2, 20), (3, 30))
RECURSIVE = (
    "WITH RECURSIVE up(n) AS (SELECT v FROM item UNION ALL SELECT n + 1 FROM up WHERE n < 33) "
    "SELECT n FROM up"
)


def state_of(session: Session) -> int:
    """How many arrangements there are beside sources and answers."""
    state = session.keeper.catalog().state
    own = {each.arrangement for each in (*state.sources.values(), *state.views.values())}
    return len(set(state.arrangements) - own)


def test_full_keeps_its_answer_and_nothing_else(session: Session) -> None:
    grouped = "SELECT g, percentile(v, 0.5) AS middle FROM item GROUP BY g"
    session.create_view("grouped", grouped, refresh="full")
    session.ingest("item", SOME)
    (filled,) = session.refresh().views
    assert (filled.action, state_of(session)) == ("filled", 0)
    session.ingest("item", rows((1, 10)), op="delete")
    (changed,) = session.refresh().views
    assert (changed.action, changed.reason) == ("recomputed", "the view's policy is full")
    assert state_of(session) == 0
    assert session.verify("grouped").equal
    session.create_view("incremental", grouped, refresh="incremental")
    session.refresh()
    assert state_of(session) > 0
    session.drop_view("incremental")
    assert state_of(session) == 0
    assert session.verify("grouped").equal


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            "SELECT skewness(v) AS about FROM item",
            "Aggregate would be recomputed: the whole input",
        ),
        ("SELECT v, rank() OVER (ORDER BY v) AS r FROM item", "Window would be recomputed"),
        ("SELECT count(*) FROM (SELECT v FROM item ORDER BY v LIMIT 20000)", "Limit would be"),
        (RECURSIVE, "a part left to Spark would be recomputed: operator UnionLoop"),
    ],
)
def test_strict_refuses_what_would_be_recomputed(session: Session, query: str, told: str) -> None:
    with pytest.raises(CatalogError, match=told):
        session.create_view("kept", query, refresh="strict")
    assert session.views() == ()
    assert session.create_view("kept", query, refresh="auto").name == "kept"


def test_strict_relies_on_what_is_declared_only(session: Session) -> None:
    """That a source has not lost a row yet is no promise."""
    session.create_source("log", "v BIGINT NOT NULL", append_only=True)
    session.create_view("most", "SELECT max(v) AS most FROM log", refresh="strict")
    session.create_view("sums", "SELECT g, sum(v) AS s FROM item GROUP BY g", refresh="strict")
    session.ingest("log", pa.table({"v": [1, 5]}))
    session.ingest("item", SOME)
    session.refresh()
    session.ingest("log", pa.table({"v": [7]}))
    session.ingest("item", rows((1, 10)), op="delete")
    assert {each.action for each in session.refresh().views} == {"incremental"}
    assert all(session.verify(name).equal for name in session.views())


def test_the_history_names_what_was_recomputed(session: Session) -> None:
    query = "SELECT skewness(v) AS most FROM item"
    session.create_view("most", query, refresh="incremental")
    session.create_view("climbed", RECURSIVE)
    session.create_view("sums", "SELECT g, sum(v) AS s FROM item GROUP BY g")
    session.ingest("item", SOME)
    session.refresh()
    session.ingest("item", rows((3, 30)), op="delete")
    session.refresh()
    session.ingest("item", rows((3, 31)))
    session.refresh()
    last = {name: session.history(name)[0] for name in session.views()}
    assert last["sums"].reason == "1 of 6 rows changed"
    assert last["most"].action == "incremental"
    assert last["most"].reason.endswith("; recomputes Aggregate: the whole input is one group")
    assert last["climbed"].action == "recomputed"
    assert last["climbed"].reason.startswith("no part of it takes in changes: a part left to Spark")
    assert [each.action for each in last["climbed"].candidates] == ["recomputed"]
    assert all(session.verify(name).equal for name in session.views())


def test_deletes_of_rows_that_are_not_there(session: Session) -> None:
    session.create_source("loose", "g BIGINT NOT NULL, v BIGINT NOT NULL", on_missing="ignore")
    for source in ("item", "loose"):
        session.ingest(source, SOME)
    gone = rows((1, 10), (9, 9))
    with pytest.raises(DataError, match=r"does not hold:\n +g=9, v=9"):
        session.ingest("item", gone, op="delete")
    done = session.ingest("loose", gone, op="delete")
    assert (done.inserted, done.deleted) == (0, 1)
    session.create_view("left", "SELECT count(*) AS n FROM loose")
    session.create_view("all", "SELECT count(*) AS n FROM item")
    session.refresh()
    assert [session.view(name).read().collect()[0].n for name in ("left", "all")] == [3, 4]


def test_state_is_predicted_and_what_outgrows_it_is_told(session: Session) -> None:
    view = session.create_view("pairs", "SELECT a.v, b.v AS w FROM item a JOIN item b ON a.g = b.g")
    assert view.predicted_bytes == 0
    session.ingest("item", rows(*((1, v) for v in range(600))))
    predicted = view.predicted_bytes
    assert 0 < predicted < 100_000
    run = session.refresh()
    (row,) = session.history("pairs")
    assert row.state_bytes > 600 * 600 * 16
    assert row.predicted_bytes == predicted
    (told,) = run.warnings
    assert told == (
        f"view pairs keeps {row.state_bytes:,} bytes of state, "
        f"{predicted:,} were predicted: explain('why') shows which part"
    )
