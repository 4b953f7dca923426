"""A view that switches between taking changes in and being computed anew stays exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.compiler.tasks import Action
from slackwater.running import refresh_choice
from slackwater.running.decide import Decision

_SQL = "SELECT k, rank() OVER (PARTITION BY k ORDER BY v, id) AS place, v FROM t"


def _rows(first: int, values: list[int]) -> pa.Table:
    ids = [first + at for at in range(len(values))]
    return pa.table({"id": ids, "k": [each % 2 for each in ids], "v": values})


def _decide_on(action: Action, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every view that is weighed come out one way, whatever the prices say."""

    def settled(
        decision: Decision, _run: object, _others: Mapping[Action, object], _past: object
    ) -> Decision:
        return replace(decision, action=action)

    monkeypatch.setattr(refresh_choice, "_settled", settled)


def _state(session: Session) -> int:
    """The number of arrangements beside sources and answers."""
    state = session.keeper.catalog().state
    own = {each.arrangement for each in (*state.sources.values(), *state.views.values())}
    return len(set(state.arrangements) - own)


def test_switches_and_comes_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh_choice, "_WORTH_IT", -1.0)
    ways = (Action.RECOMPUTE, Action.RECOMPUTE, Action.REBUILD, Action.INCREMENTAL)
    with sw.open(tmp_path, spark) as session:
        session.create_source("t", "id BIGINT, k BIGINT, v BIGINT", key=["id"])
        session.create_view("v", _SQL)
        session.ingest("t", _rows(0, [5, 3, 3, 8]))
        session.refresh()
    kept = []
    for number, way in enumerate(ways):
        _decide_on(way, monkeypatch)
        # Another process goes on with the plan that the last one stored.
        with sw.open(tmp_path, spark) as session:
            session.ingest("t", _rows(10 * number + 10, [4, 9, number]))
            session.ingest("t", _rows(number, [7 - number]), op="upsert")
            (run,) = session.refresh().views
            assert run.action == way.value
            assert session.verify("v").equal
            kept.append(_state(session) > 0)
            events = [row.reason for row in session.history() if row.action == "replanned"]
    assert kept == [False, False, True, True]
    assert [reason.rpartition("; ")[2] for reason in reversed(events)] == [
        "nothing but its answer is kept",
        "its state is kept again",
    ]
