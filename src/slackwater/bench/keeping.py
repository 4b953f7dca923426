"""One view on its way through changes of its tables, measured step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from slackwater.api import Session
from slackwater.bench.forecasts import RunForecast
from slackwater.bench.machine import Clock, Cost, typical
from slackwater.bench.refresh_report import ShareFigures
from slackwater.bench.runs import (
    RunCost,
    timed_ingest,
    timed_refresh,
    typical_run,
    wait_for_merges,
)
from slackwater.running.results import RunResult
from slackwater.workloads.database import ChangeBatch

_VIEW = "measured"


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the tables: what it cost to take it in, and to refresh the view."""

    ingest: Cost
    refresh: RunCost
    action: str


class Keeping:
    """A view of a home that has no other."""

    def __init__(self, session: Session, clock: Clock, sql: str):
        """Nothing is kept yet."""
        self._session = session
        self._clock = clock
        self._sql = sql
        self.state_bytes = 0
        """Bytes that the view keeps, its answer included."""
        self.forecasts: list[RunForecast] = []
        """The forecasts of every refresh after a change."""

    def fill(self) -> RunCost:
        """Make the view, and what its first refresh cost."""
        self._session.create_view(_VIEW, self._sql)
        cost, _, _ = self._refresh()
        return cost

    def change(self, batch: ChangeBatch, *, undo: bool = False) -> Step:
        """Change the tables, or take a change back, and refresh."""
        ingest = timed_ingest(self._session, self._clock, batch, undo=undo)
        cost, action, result = self._refresh()
        if result.estimates.rows:
            self.forecasts.append(RunForecast.of(result, first=not self.forecasts))
        return Step(ingest, cost, action)

    def wait_for_merges(self) -> Cost:
        """Wait for merging in the background, so that nobody else pays for it; its cost."""
        return wait_for_merges(self._clock)

    def is_exact(self) -> bool:
        """Tell if plain Spark gives the same answer."""
        return self._session.verify(_VIEW).equal

    def drop(self) -> None:
        """Let the next view have the home."""
        self._session.drop_view(_VIEW)

    def _refresh(self) -> tuple[RunCost, str, RunResult]:
        cost, result = timed_refresh(self._session, self._clock)
        (view,) = (each for each in result.views if each.view == _VIEW)
        # A view that nothing reached is not looked at.
        self.state_bytes = view.state_bytes or self.state_bytes
        return cost, view.action, result


def usual_load(session: Session, clock: Clock, sql: str, times: int) -> RunCost:
    """The usual cost of filling a view for the first time."""
    costs = []
    for _ in range(times):
        view = Keeping(session, clock, sql)
        costs.append(view.fill())
        view.drop()
        # Tables that nobody changed have nothing to merge: this gives the disk back.
        session.compact()
    return typical_run(costs)


def usual_step(steps: Sequence[Step]) -> ShareFigures:
    """The figures of changes of one size."""
    return ShareFigures(
        round(median(each.ingest.rows for each in steps)),
        typical([each.ingest for each in steps]),
        typical_run([each.refresh for each in steps]),
        tuple(sorted({each.action for each in steps})),
    )
