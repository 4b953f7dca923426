"""Homes with a log of events, in each of which one everyday view is kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.api import Engine, Session, open_home
from slackwater.bench.machine import Clock, Cost
from slackwater.bench.refresh import KEEP_LITTLE, load_tables
from slackwater.bench.runs import RunCost, timed_ingest, timed_refresh
from slackwater.bench.shape_views.shape import Shape
from slackwater.spark.metering import Metrics
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.events import EVENT_KEYS
from slackwater.workloads.keys import TableKeys

ENGINES = tuple(str(each) for each in Engine)
"""The names of engines."""
_DRIVER, _COMPUTING = "on the driver", "computing"


@dataclass(frozen=True, slots=True)
class ShapeRun:
    """A run of a view: its cost, where it was worked on, and what was done."""

    cost: RunCost
    engine: str
    """`driver`, `spark` or, where the driver left a part to Spark, `both`."""
    action: str
    reason: str
    parts: Mapping[str, float]
    """Seconds by phase; that of the driver by kind of work."""


def engine_of(metrics: Metrics) -> str:
    """Where a run was worked on.

    >>> engine_of(Metrics()), engine_of(Metrics(jobs=1, phases={"on the driver": 1.0}))
    ('driver', 'both')
    """
    if not metrics.jobs:
        return "driver"
    # A run that the driver gives up is computed as a whole by Spark.
    return "spark" if _COMPUTING in metrics.phases else "both"


def spent(metrics: Metrics) -> dict[str, float]:
    """The seconds of a run by kind of work; what no part accounts for is the phase's own."""
    rest = metrics.phases.get(_DRIVER, 0.0) - sum(metrics.parts.values())
    driver = {_DRIVER: max(0.0, rest)} if _DRIVER in metrics.phases else {}
    return {**metrics.phases, **driver, **metrics.parts}


class ShapeHome:
    """A home with all tables of one log and no view; each view gets a copy of it."""

    def __init__(self, path: Path, spark: SparkSession, clock: Clock, engine: str = "auto"):
        """Nothing is loaded yet."""
        self._path = path
        self._spark = spark
        self._engine = engine
        self.clock = clock

    def load(
        self,
        folder: Path,
        say: Callable[[str], None],
        tables: Mapping[str, TableKeys] = EVENT_KEYS,
    ) -> tuple[dict[str, float], int]:
        """Ingest the tables of a folder: the seconds of each, and the bytes of all."""
        with self._open(self._path, self._engine) as session:
            seconds = dict(load_tables(session, folder, self.clock, say, tables))
            return seconds, sum(source.bytes for source in session.status().sources)

    @contextmanager
    def keep(
        self, shape: Shape, *, policy: str = "auto", engine: str | None = None
    ) -> Iterator[KeptShape]:
        """A view alone in a home of its own, which is deleted in the end."""
        engine = self._engine if engine is None else engine
        copy = self._path.with_name(f"{self._path.name}-{shape.name}-{policy}-{engine}")
        _copy_home(self._path, copy)
        try:
            with self._open(copy, engine) as session:
                yield KeptShape(session, self.clock, shape, policy)
        finally:
            shutil.rmtree(copy)

    def _open(self, path: Path, engine: str) -> Session:
        return open_home(path, self._spark, retention=KEEP_LITTLE, engine=engine)


def _copy_home(source: Path, target: Path) -> None:
    """Copy the catalog; segments never change, so that a second name for each will do."""
    target.mkdir()
    for file in source.iterdir():
        if file.is_dir():
            shutil.copytree(file, target / file.name, copy_function=os.link)
        else:
            shutil.copy2(file, target / file.name)


@dataclass(frozen=True, slots=True)
class KeptShape:
    """A view in a home of its own."""

    session: Session
    clock: Clock
    shape: Shape
    policy: str = "auto"

    def fill(self) -> tuple[ShapeRun, int]:
        """Declare the view and those below it, and fill them; also the bytes that are kept."""
        for name, sql in {**self.shape.below, self.shape.name: self.shape.sql}.items():
            self.session.create_view(name, sql, refresh=self.policy)
        run = self.refresh()
        status = self.session.status()
        return run, status.state_bytes + sum(view.bytes for view in status.views)

    def ingest(self, batch: ChangeBatch) -> Cost:
        """Take a change in."""
        return timed_ingest(self.session, self.clock, batch)

    def refresh(self) -> ShapeRun:
        """Refresh the view."""
        cost, result = timed_refresh(self.session, self.clock)
        (view,) = (each for each in result.views if each.view == self.shape.name)
        metrics = result.metrics
        return ShapeRun(cost, engine_of(metrics), view.action, view.reason, spent(metrics))

    def read(self) -> Cost:
        """Read the whole answer; its rows go nowhere."""
        with self.clock.measure() as cost:
            answer = self.session.view(self.shape.name).read()
            answer.write.format("noop").mode("overwrite").save()
        return cost

    def difference(self) -> str | None:
        """How the answer differs from what plain Spark computes."""
        found = self.session.verify(self.shape.name)
        return None if found.equal else found.difference or "it differs"
