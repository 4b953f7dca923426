"""What a history row makes of the record of a run."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from slackwater.catalog.goals import Goal
from slackwater.explain.status import ConsideredAction, _goal_text, _history_row
from slackwater.state.metadata.records import RunRecord

STARTED = datetime(2026, 5, 1, tzinfo=UTC)


def test_a_run_is_shown_beside_what_was_predicted() -> None:
    details = {
        "rows_in": 3,
        "rows_out": 2,
        "candidates": [{"action": "incremental", "rows": 4}, {"action": "rebuilt", "rows": 90}],
        "metrics": {"jobs": 1},
    }
    row = _history_row(RunRecord(7, "v", "incremental", "few", json.dumps(details), STARTED, 0.5))
    assert row.candidates[1] == ConsideredAction("rebuilt", 90)
    told = row.as_dict()
    assert told["predicted_rows"] == 4
    assert told["started"] == "2026-05-01T00:00:00+00:00"
    assert json.loads(json.dumps(told))["metrics"] == {"jobs": 1}


def test_a_record_without_details_is_still_a_row() -> None:
    row = _history_row(RunRecord(1, "v", "skipped", "nothing new", "{}", STARTED, 0.0))
    assert (row.rows_in, row.candidates, row.predicted_rows) == (0, (), None)


def test_goals_are_said_in_words() -> None:
    assert _goal_text(Goal(final_work=0.1)) == "final_work 0.1"
    assert _goal_text(Goal(fresh=True)) == "fresh"
    assert _goal_text(None) is None
