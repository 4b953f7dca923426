"""Results of a run, for those who called it and for the history."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from slackwater.compiler.tasks import Action
from slackwater.running.decide import Decision
from slackwater.running.forecast import Estimates
from slackwater.spark.metering import Metrics
from slackwater.state.metadata.records import RunRecord

FAILED = "failed"
"""In the history, in place of an action: the run came to nothing."""
REPLANNED = "replanned"
"""In the history, beside the actions: a view is kept by another plan from this commit on."""
_OUTGROWN = 3
"""State this many times larger than predicted is worth a warning."""
_SMALL_STATE = 1_000_000
"""Below this size no prediction is worth one: files have fixed costs."""


@dataclass(frozen=True, slots=True)
class StateSize:
    """Bytes of a view's state, and what was to be expected."""

    actual: int
    predicted: int


@dataclass(frozen=True, slots=True)
class ViewRun:
    """The result of a run for one view."""

    view: str
    action: str
    reason: str
    rows_in: int
    rows_out: int
    state_bytes: int = 0
    predicted_bytes: int = 0

    @property
    def warning(self) -> str | None:
        """A warning for the view's owner."""
        if self.state_bytes <= _OUTGROWN * max(self.predicted_bytes, _SMALL_STATE):
            return None
        return (
            f"view {self.view} keeps {self.state_bytes:,} bytes of state, "
            f"{self.predicted_bytes:,} were predicted: explain('why') shows which part"
        )


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; `commit` is unchanged if there was nothing to do."""

    commit: int
    seconds: float
    views: tuple[ViewRun, ...]
    metrics: Metrics = field(default_factory=Metrics)
    notes: tuple[str, ...] = ()
    """Failures beside the run that did it no harm."""
    estimates: Estimates = field(default_factory=Estimates)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the owners of views and of the home."""
        return (*(each.warning for each in self.views if each.warning is not None), *self.notes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "warnings": list(self.warnings),
            "commit": self.commit,
            "seconds": self.seconds,
            "views": [asdict(each) for each in self.views],
            "metrics": self.metrics.as_dict(),
        }


def skipped(decisions: tuple[Decision, ...]) -> tuple[ViewRun, ...]:
    """The views of a run that found nothing new."""
    return tuple(
        ViewRun(each.view.name, each.action.value, each.reason, 0, 0) for each in decisions
    )


def failed_row(decision: Decision, reason: str, started: datetime) -> RunRecord:
    """The row of the history for one view of a run that failed."""
    details = json.dumps({"tried": decision.action.value})
    return RunRecord(0, decision.view.name, FAILED, reason, details, started, 0.0)


def replanned_row(view: str, reason: str, started: datetime) -> RunRecord:
    """The event of a new plan for a view, for the history."""
    return RunRecord(0, view, REPLANNED, reason, "{}", started, 0.0)


def history_row(decision: Decision, run: ViewRun, timing: tuple[datetime, Metrics]) -> RunRecord:
    """The row of the history for one view of a run."""
    started, metrics = timing
    skipped = decision.action is Action.SKIP
    details = {
        "metrics": {} if skipped else metrics.as_dict(),
        "state_bytes": run.state_bytes,
        "predicted_bytes": run.predicted_bytes,
        "rows_in": run.rows_in,
        "rows_out": run.rows_out,
        "candidates": [
            {
                "action": each.action.value,
                "rows": each.rows,
                "seconds": each.seconds,
                "engine": each.engine,
            }
            for each in decision.candidates
        ],
        "regret": decision.regret,
    }
    text = json.dumps(details)
    seconds = 0.0 if skipped else metrics.wall_seconds
    return RunRecord(0, run.view, run.action, run.reason, text, started, seconds)
