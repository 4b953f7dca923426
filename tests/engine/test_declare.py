"""Definitions that come and go together: in one commit, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.errors import CatalogError, SlackwaterError
from slackwater.planning.declare import NewSource, NewView

TOTALS = "SELECT g, sum(v) AS s FROM item GROUP BY g"
LARGE = "SELECT g FROM totals WHERE s > 5"
ROWS = pa.table({"g": [1, 1, 2, 3], "v": [5, 7, 1, 9]})


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[sw.Session]:
    """A home with three views that are up to date; two have the same plan and share its state."""
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", "g BIGINT, v BIGINT")
        session.create_view("totals", TOTALS)
        session.create_view("large", LARGE)
        session.create_view("same", TOTALS)
        session.ingest("item", ROWS)
        session.refresh()
        yield session


def answer(session: sw.Session, name: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in session.view(name).read().collect())


def commit(session: sw.Session) -> int:
    return session.keeper.catalog().state.commit


@pytest.mark.parametrize("query", [TOTALS, "SELECT g, sum(v) + 1 AS s FROM item GROUP BY g"])
def test_views_are_replaced_in_one_commit(session: sw.Session, query: str) -> None:
    before = commit(session)
    gone = session.with_readers(["totals"])
    assert gone == ("totals", "large")
    session.declare(
        [NewSource("other", "g BIGINT")],
        [
            NewView("totals", query, goal=sw.Goal(slack="30s")),
            NewView("large", LARGE),
            NewView("both", "SELECT o.g FROM other o JOIN large l ON o.g = l.g"),
        ],
        gone,
    )
    assert commit(session) == before + 1
    assert session.views() == ("same", "totals", "large", "both")
    session.ingest("other", pa.table({"g": [3]}))
    actions = {each.view: each.action for each in session.refresh().views}
    assert actions["same"] == "skipped"
    assert answer(session, "large") == [(1,), (3,)]
    assert answer(session, "both") == [(3,)]
    session.ingest("item", ROWS.slice(3), op="delete")
    session.refresh()
    assert all(session.verify(name).equal for name in session.views())


@pytest.mark.parametrize(
    "wrong",
    [
        NewView("large", "SELECT h FROM totals"),
        NewView("large", "SELECT g, sm FROM totals WHERE"),
        NewView("large", LARGE, refresh="never"),
        NewView("large", LARGE, scope="none"),
        NewView("item", LARGE),
        NewView("same", LARGE),
        NewView("large", "SELECT skewness(s) AS m FROM totals", refresh="strict"),
    ],
    ids=lambda new: f"{new.name} {new.query} {new.refresh} {new.scope}",
)
def test_one_mistake_changes_nothing(session: sw.Session, wrong: NewView) -> None:
    before, large = commit(session), answer(session, "large")
    wider = NewView("totals", "SELECT g, sum(v) AS s, count(*) AS n FROM item GROUP BY g")
    with pytest.raises(SlackwaterError):
        session.declare([NewSource("other", "g BIGINT")], [wider, wrong], ("totals", "large"))
    assert commit(session) == before
    assert answer(session, "large") == large
    assert {each.action for each in session.refresh().views} == {"skipped"}
    assert session.table("totals").columns == ["g", "s"]


def test_a_view_that_others_read_is_not_dropped(session: sw.Session) -> None:
    with pytest.raises(CatalogError, match="view totals is read by large"):
        session.declare(drop_views=["totals"])
    session.declare(drop_views=["large", "totals"])
    assert session.views() == ("same",)


def test_a_type_that_spark_does_not_take_leaves_the_home_as_it_was(
    spark: SparkSession, tmp_path: Path
) -> None:
    spark.conf.set("spark.sql.timeType.enabled", "false")
    with sw.open(tmp_path, spark) as session:
        with pytest.raises(CatalogError, match="TIME is not supported"):
            session.create_source("clock", "at TIME")
        session.create_source("clock", "at TIMESTAMP")
    with sw.open(tmp_path, spark) as session:
        assert session.table("clock").columns == ["at"]
