"""Everyday views after a change of one size while the log behind them grows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.bench.machine import Clock, Machine, describe_machine
from slackwater.bench.memory import release_heap
from slackwater.bench.runs import wait_for_merges
from slackwater.bench.shape_home import KeptShape, ShapeHome
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.shapes import describe
from slackwater.bench.shapes_report import ShapesPlan
from slackwater.bench.targets import Target
from slackwater.bench.time_limit import time_limit
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.event_changes import EventChanges
from slackwater.workloads.event_tables import EventSpec, ensure_events

_FLAT = 1.5
WARM_UPS = 1
"""Refreshes of a view that are not measured."""


@dataclass(frozen=True, slots=True)
class FlatFigures:
    """One view: the usual seconds of a refresh by rows of the log."""

    name: str
    seconds: Mapping[int, float]
    problem: str = ""

    @property
    def spread(self) -> float | None:
        """The slowest refresh as a multiple of the quickest; None if one is missing."""
        if self.problem or not self.seconds:
            return None
        return max(self.seconds.values()) / max(min(self.seconds.values()), 1e-9)


@dataclass(frozen=True, slots=True)
class FlatReport:
    """All views, at all sizes."""

    plan: ShapesPlan
    changed: int
    """Events that each change is about."""
    views: tuple[FlatFigures, ...]
    machine: Machine

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every view is to be flat."""
        spreads = [view.spread for view in self.views if view.spread is not None]
        failed = sum(bool(view.problem) for view in self.views)
        steep = sum(each > _FLAT for each in spreads)
        return (
            Target("slowest by quickest refresh, steepest view", _FLAT, max(spreads, default=0.0)),
            Target(f"views steeper than {_FLAT:g}", 0.0, steep),
            Target("views that failed", 0.0, failed),
        )


@dataclass(frozen=True, slots=True)
class _Size:
    """A home with a log of one size, and the changes that each view goes through."""

    rows: int
    home: ShapeHome
    batches: list[ChangeBatch]


def measure_flat(
    spark: SparkSession,
    scratch: Path,
    cache_dir: Path,
    plan: ShapesPlan,
    say: Callable[[str], None],
) -> FlatReport:
    """Keep every view at all sizes in turn, as what else the machine does comes and goes.

    The changes are of the last kind of the plan, and of its first share of the smallest log.
    """
    load_before = os.getloadavg()
    changed = max(1, round(plan.shares[0] * min(plan.sizes)))
    clock = Clock(spark)
    logs = []
    for rows in plan.sizes:
        say(f"making a log of {rows:,} events, unless it is in the cache")
        spec = EventSpec(rows)
        folder = ensure_events(spec, cache_dir)
        home = ShapeHome(scratch / f"home-{rows}", spark, clock, plan.engine)
        home.load(folder, say)
        taken = EventChanges(folder, spec).take_many(
            changed / rows, plan.kinds[-1], WARM_UPS + plan.repeat
        )
        logs.append(_Size(rows, home, taken))
    release_heap(spark)
    views = tuple(_measure(shape, logs, plan, say) for shape in plan.shapes)
    machine = describe_machine(spark, load_before)
    return FlatReport(plan, changed, views, machine)


def _measure(
    shape: Shape, logs: Sequence[_Size], plan: ShapesPlan, say: Callable[[str], None]
) -> FlatFigures:
    """One view at all sizes; if it fails at one, it has failed."""
    seconds: dict[int, list[float]] = {size.rows: [] for size in logs}
    problem = ""
    try:
        with ExitStack() as opened:
            kept = [opened.enter_context(size.home.keep(shape)) for size in logs]
            for view in kept:
                with time_limit(view.session.spark, plan.limit):
                    view.fill()
            for number in range(WARM_UPS + plan.repeat):
                for size, view in zip(logs, kept, strict=True):
                    seconds[size.rows].append(_change(view, size.batches[number], plan.limit))
    except Exception as error:
        problem = describe(error)
    usual = {rows: median(each[WARM_UPS:]) for rows, each in seconds.items() if each[WARM_UPS:]}
    say(f"{shape.name}: {problem or ', '.join(f'{each:.2f} s' for each in usual.values())}")
    return FlatFigures(shape.name, usual, problem)


def _change(view: KeptShape, batch: ChangeBatch, limit: float) -> float:
    """Seconds of the refresh after one change."""
    view.ingest(batch)
    with time_limit(view.session.spark, limit):
        seconds = view.refresh().cost.seconds
    # The next size must not pay for what this one left to the background.
    wait_for_merges(view.clock)
    return seconds
