"""The contents of a home and the history of its runs, for those who look after it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import is_behind
from slackwater.state.metadata.records import RunRecord


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """A source: how much it holds, and how much of it the views have not seen."""

    name: str
    offset: int
    rows: int
    """Rows as they are stored: a deletion is one too, until compaction merges it."""
    bytes: int
    pending_batches: int
    pending_rows: int
    """Rows inserted and deleted by the batches that a view has not seen."""


@dataclass(frozen=True, slots=True)
class ViewStatus:
    """A view: how it is kept, how much its answer takes, and whether batches wait for it."""

    name: str
    refresh: str
    goal: str | None
    reads: tuple[str, ...]
    rows: int
    """Rows of the answer as they are stored."""
    bytes: int
    behind: bool


@dataclass(frozen=True, slots=True)
class Status:
    """A home as of its last commit; `state_bytes` is what views keep beside their answers."""

    home: str
    commit: int
    sources: tuple[SourceStatus, ...]
    views: tuple[ViewStatus, ...]
    state_bytes: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ConsideredAction:
    """A way in which the view could have been refreshed, and about how many rows it touches."""

    action: str
    rows: int
    seconds: float | None = None
    """The seconds it was expected to cost; None if nothing was weighed."""
    engine: str = ""
    """The engine it would have been done on, if it was weighed."""


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """The action of a run on a view, its alternatives, and the cost of the whole run."""

    commit: int
    view: str
    action: str
    reason: str
    started: datetime
    seconds: float
    rows_in: int
    rows_out: int
    state_bytes: int
    """Bytes that the view kept after the run, its answer included."""
    predicted_bytes: int
    """Bytes that were expected of a view like it, over sources of that size."""
    candidates: tuple[ConsideredAction, ...]
    metrics: Mapping[str, Any]
    """Measures of the run, which is one for all views: time, jobs, rows and bytes."""
    regret: float = 0.0
    """Seconds that the other way of keeping the view would have saved since it last switched."""

    @property
    def predicted_rows(self) -> int | None:
        """About how many rows the chosen way was expected to touch."""
        return next((each.rows for each in self.candidates if each.action == self.action), None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        started = {"started": self.started.isoformat(), "predicted_rows": self.predicted_rows}
        return {**asdict(self), **started}


@contextmanager
def look_at_home(folder: Path, metadata: str | None = None) -> Iterator[Home]:
    """Look at a home that exists, without locking it; that takes no Spark."""
    home = Home.look(folder, metadata)
    try:
        yield home
    finally:
        home.close()


def read_status(home: Home) -> Status:
    """The status of an open home."""
    catalog = home.catalog()
    sources = tuple(_source(home, catalog, name) for name in sorted(catalog.state.sources))
    views = tuple(_view(catalog, view) for view in catalog.views.values())
    state = catalog.state
    # Views of the same rows share them.
    shown = {each.arrangement for each in state.sources.values()}
    shown |= {each.arrangement for each in state.views.values()}
    beside = sum(catalog.bytes(each) for each in state.arrangements if each not in shown)
    return Status(str(home.folder), state.commit, sources, views, beside)


def read_history(home: Home, view: str | None, limit: int) -> tuple[HistoryRow, ...]:
    """Read what the last runs did, newest first; a view that does not exist is refused."""
    home.require_open()
    if view is not None:
        home.catalog().view(view)
    return tuple(_history_row(each) for each in home.store.history(view, limit))


def _source(home: Home, catalog: Catalog, name: str) -> SourceStatus:
    arrangement = catalog.contents(name)
    pending = home.store.batches(name, catalog.logs.first_cursor(name))
    return SourceStatus(
        name=name,
        offset=catalog.logs.end(name),
        rows=catalog.rows(arrangement),
        bytes=catalog.bytes(arrangement),
        pending_batches=len(pending),
        pending_rows=sum(each.inserted + each.deleted for each in pending),
    )


def _view(catalog: Catalog, view: ViewDefinition) -> ViewStatus:
    answer = catalog.answer(view.name)
    return ViewStatus(
        name=view.name,
        refresh=view.policy.value,
        goal=_goal_text(view.goal),
        reads=tuple(sorted(read_names(view.plan))),
        rows=catalog.rows(answer),
        bytes=catalog.bytes(answer),
        behind=is_behind(view, catalog),
    )


def _goal_text(goal: Goal | None) -> str | None:
    """The goal as its author would say it: `slack 30s`."""
    if goal is None:
        return None
    given = {name: value for name, value in asdict(goal).items() if value}
    return ", ".join(name if value is True else f"{name} {value}" for name, value in given.items())


def _history_row(run: RunRecord) -> HistoryRow:
    details: Mapping[str, Any] = json.loads(run.details)
    return HistoryRow(
        commit=run.commit,
        view=run.view,
        action=run.action,
        reason=run.reason,
        started=run.started,
        seconds=run.seconds,
        rows_in=details.get("rows_in", 0),
        rows_out=details.get("rows_out", 0),
        state_bytes=details.get("state_bytes", 0),
        predicted_bytes=details.get("predicted_bytes", 0),
        candidates=tuple(ConsideredAction(**each) for each in details.get("candidates", ())),
        regret=details.get("regret", 0.0),
        metrics=details.get("metrics", {}),
    )
