"""Change feeds: an answer at any commit and what changed since add up to the answer of now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session, View
from slackwater.errors import DataError
from slackwater.state.metadata.collect import Retention

from .harness import quick_session

Bag = Counter[tuple[Any, ...]]
Weighted = tuple[int, int, int]

VIEWS = {
    "plain": "SELECT g, v FROM item",
    "projected": "SELECT g, v + 1 AS next FROM item ORDER BY v",
    "grouped": "SELECT g, count(*) AS n, sum(v) AS s FROM item GROUP BY g",
    "top": "SELECT g, v FROM item ORDER BY v DESC, g LIMIT 2",
    "top_alone": "SELECT v * 2 AS doubled FROM item ORDER BY v, g LIMIT 3",
    "named_alike": "SELECT g AS _w, v AS _copy, g AS k0, v AS k0, v AS _commit_version FROM item",
    "whole": "SELECT max(v) AS most FROM item",
}


def rows(*given: Weighted) -> pa.Table:
    groups, values, weights = zip(*given, strict=True)
    return pa.table(
        {"g": pa.array(groups, pa.int64()), "v": pa.array(values, pa.int64()), "_w": weights}
    )


def answer(view: View, commit: int | None = None) -> Bag:
    return Counter(tuple(row) for row in view.read(commit).collect())


def changes(view: View, since: int) -> Bag:
    """The feed in both of its forms, which must say the same."""
    width = len(view.definition.columns)
    weighted = view.changes(since, zset=True).collect()
    summed: Bag = Counter()
    for row in weighted:
        summed[tuple(row[:width])] += row[width]
    signs = {"insert": 1, "delete": -1}
    counted: Bag = Counter()
    for row in view.changes(since).collect():
        counted[tuple(row[:width])] += signs[row[width]]
    assert {k: n for k, n in counted.items() if n} == {k: n for k, n in summed.items() if n}
    keys = [(*row[:width], row[width + 1]) for row in weighted]
    assert len(keys) == len(set(keys)) or view.definition.root.limits
    return summed


def require_sums(view: View, commits: list[int]) -> None:
    now = answer(view)
    for commit in commits:
        found = answer(view, commit)
        found.update(changes(view, commit))
        assert {key: n for key, n in found.items() if n} == dict(now), (view.name, commit)


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    with sw.open(tmp_path, quick_session(spark)) as session:
        session.create_source("item", "g BIGINT NOT NULL, v BIGINT NOT NULL")
        yield session


HISTORY = [
    rows((1, 10, 2), (2, 20, 1), (3, 5, 1)),
    rows((1, 10, -1), (4, 30, 1), (4, 31, 3)),
    rows((4, 30, -1), (4, 31, -3), (5, 1, 1)),
    rows((1, 10, 1), (2, 20, -1)),
]


@pytest.mark.parametrize("refresh", ["incremental", "full"])
def test_feeds_add_up(session: Session, refresh: str) -> None:
    for name, sql in VIEWS.items():
        session.create_view(name, sql, refresh=refresh)
    commits = [session.refresh().commit]
    for batch in HISTORY:
        session.ingest("item", batch)
        commits.append(session.refresh().commit)
    for name in VIEWS:
        view = session.view(name)
        require_sums(view, commits[1:2])
        assert changes(view, 0) == answer(view)


def test_a_view_that_finds_its_state_made_by_another(session: Session) -> None:
    session.create_view("plain", "SELECT g, v FROM item")
    for batch in HISTORY[:2]:
        session.ingest("item", batch)
        before = session.refresh().commit
    session.create_view("again", "SELECT g, v FROM item")
    session.create_view("top", "SELECT g, v FROM item ORDER BY v DESC, g LIMIT 2")
    commits = [session.refresh().commit]
    for batch in HISTORY[2:]:
        session.ingest("item", batch)
        commits.append(session.refresh().commit)
    for name in ("again", "top"):
        view = session.view(name)
        require_sums(view, commits[:1])
        for since in (0, before):
            assert {k: n for k, n in changes(view, since).items() if n} == dict(answer(view))


def test_a_neighbour_that_starts_over_changes_nothing(session: Session) -> None:
    """A view's answer can be what another view keeps, and fills anew when it needs other state."""
    session.create_source("number", "n BIGINT NOT NULL")
    session.create_view("numbers", "SELECT n FROM number")
    most = "SELECT n, max(v) AS most FROM number JOIN item ON n = g GROUP BY n"
    session.create_view("most", most)
    session.ingest("number", pa.table({"n": [1, 2, 3, 3]}))
    session.ingest("item", HISTORY[0])
    first = session.refresh().commit
    session.ingest("number", pa.table({"n": [4]}))
    session.ingest("item", HISTORY[1])
    run = {each.view: each for each in session.refresh().views}
    assert (run["numbers"].action, run["most"].action) == ("incremental", "rebuilt")
    assert changes(session.view("numbers"), first) == Counter({(4,): 1})
    assert all(session.verify(name).equal for name in session.views())


def test_what_is_no_longer_kept_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    retention = Retention(commits=1, age=timedelta(0))
    with sw.open(tmp_path, quick_session(spark), retention=retention) as session:
        session.create_source("item", "g BIGINT NOT NULL, v BIGINT NOT NULL")
        session.create_view("plain", "SELECT g, v FROM item")
        session.ingest("item", HISTORY[0])
        first = session.refresh().commit
        session.ingest("item", HISTORY[1])
        session.refresh()
        session.compact()
        with pytest.raises(DataError, match=r"no longer kept(.|\n)*or later"):
            session.view("plain").changes(first)
        session.create_view("again", "SELECT g, v FROM item")
        session.refresh()
        assert changes(session.view("again"), 0) == answer(session.view("again"))
