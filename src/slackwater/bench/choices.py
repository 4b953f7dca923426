"""The choices of `auto`, beside what the other ways to refresh a view would have cost.

A view is kept in several homes, in each another way; all take the same changes in turn. What
`auto` chose is right if none of the ways measured beside it is cheaper by more than a tenth.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.bench.machine import Clock, Machine, describe_machine
from slackwater.bench.memory import release_heap
from slackwater.bench.runs import wait_for_merges
from slackwater.bench.shape_home import KeptShape, ShapeHome, ShapeRun
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.shapes import describe
from slackwater.bench.targets import Target
from slackwater.bench.time_limit import time_limit
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.table_keys import TableKeys

Say = Callable[[str], None]
_NEAR = 1.1
_GOAL = 0.9
_NOISE = 0.02
"""Seconds that two refreshes differ by when nothing differs."""
_RECOMPUTED = "recomputed"


@dataclass(frozen=True, slots=True)
class KeepingWay:
    """A way to keep a view: its policy, and the engine that it insists on."""

    name: str
    policy: str
    engine: str


AUTO = KeepingWay("auto", "auto", "auto")
INCREMENTAL = KeepingWay("incremental", "incremental", "auto")
ANEW_ON_DRIVER = KeepingWay("anew, driver", "full", "driver")
ANEW_IN_SPARK = KeepingWay("anew, Spark", "full", "spark")
WAYS = (AUTO, INCREMENTAL, ANEW_ON_DRIVER, ANEW_IN_SPARK)


@dataclass(frozen=True, slots=True)
class Workload:
    """Views over the tables of a folder, and the changes that each goes through, by name."""

    name: str
    folder: Path
    keys: Mapping[str, TableKeys]
    shapes: tuple[Shape, ...]
    changes: Mapping[str, Sequence[ChangeBatch]]


@dataclass(frozen=True, slots=True)
class ChoicesPlan:
    """The refreshes of each view: those that are measured, those before, and their time limit."""

    warm_ups: int = 3
    """Refreshes that are not measured: `auto` learns what ways cost by taking them."""
    repeat: int = 3
    limit: float = 120.0
    """Seconds that a refresh may take."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The way `auto` took after changes of one size, and the usual seconds of every way."""

    workload: str
    view: str
    change: str
    taken: str
    """The name of the way that `auto` took in the end."""
    seconds: Mapping[str, float]

    @property
    def best(self) -> str:
        """The way that took least."""
        return min(self.seconds, key=lambda name: self.seconds[name])

    @property
    def lost(self) -> float:
        """The seconds of `auto` as a multiple of those of the best way.

        Two homes never take quite the same time. So what counts is the lesser of what `auto` took,
        and of what the way it chose took elsewhere.
        """
        own = min(self.seconds[AUTO.name], self.seconds.get(self.taken, float("inf")))
        return own / max(self.seconds[self.best], 1e-9)

    @property
    def is_right(self) -> bool:
        """Tell if no way was cheaper by more than a tenth, or by more than noise."""
        least = self.seconds[self.best]
        return self.lost <= max(_NEAR, 1.0 + _NOISE / max(least, 1e-9))


@dataclass(frozen=True, slots=True)
class ChoicesReport:
    """All choices, and the views of which something failed."""

    plan: ChoicesPlan
    choices: tuple[Choice, ...]
    machine: Machine
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def right(self) -> float:
        """The share of right choices."""
        return sum(each.is_right for each in self.choices) / max(1, len(self.choices))

    @property
    def targets(self) -> tuple[Target, ...]:
        """Nine of ten choices are right, and nothing fails."""
        return (
            Target("share of right choices", _GOAL, self.right, at_least=True),
            Target("views that failed", 0.0, len(self.problems)),
        )


def measure_choices(
    spark: SparkSession, scratch: Path, workloads: Sequence[Workload], plan: ChoicesPlan, say: Say
) -> ChoicesReport:
    """Load the tables of each workload once and measure view after view."""
    load_before = os.getloadavg()
    clock = Clock(spark)
    choices: list[Choice] = []
    problems: dict[str, str] = {}
    for workload in workloads:
        home = ShapeHome(scratch / f"home-{workload.name}", spark, clock)
        home.load(workload.folder, say, workload.keys)
        release_heap(spark)
        for shape in workload.shapes:
            try:
                choices += _measure(shape, workload, home, plan)
            except Exception as error:
                # A view that cannot be kept some way is told; the others are still to be measured.
                problems[shape.name] = describe(error)
            say(f"{shape.name}: {problems.get(shape.name) or _text(choices[-1])}")
    machine = describe_machine(spark, load_before)
    return ChoicesReport(plan, tuple(choices), machine, problems)


def _text(choice: Choice) -> str:
    seconds = ", ".join(f"{name} {each:.3f}" for name, each in choice.seconds.items())
    return f"{choice.taken} ({seconds})"


def _measure(shape: Shape, workload: Workload, home: ShapeHome, plan: ChoicesPlan) -> list[Choice]:
    """One view by every way, after changes of every size."""
    with ExitStack() as opened:
        kept = {
            way: opened.enter_context(home.keep(shape, policy=way.policy, engine=way.engine))
            for way in WAYS
        }
        for view in kept.values():
            with time_limit(view.session.spark, plan.limit):
                view.fill()
        return [
            Choice(workload.name, shape.name, change, *_after(batches, kept, plan))
            for change, batches in workload.changes.items()
        ]


def _after(
    batches: Sequence[ChangeBatch], kept: Mapping[KeepingWay, KeptShape], plan: ChoicesPlan
) -> tuple[str, dict[str, float]]:
    """The way that `auto` took, and the usual seconds of every way.

    All ways take the same changes in turn, as what else the machine does comes and goes.
    """
    runs: dict[str, list[ShapeRun]] = {way.name: [] for way in kept}
    for batch in batches:
        for way, view in kept.items():
            view.ingest(batch)
            with time_limit(view.session.spark, plan.limit):
                runs[way.name].append(view.refresh())
            wait_for_merges(view.clock)
    measured = {name: each[plan.warm_ups :] for name, each in runs.items()}
    seconds = {name: median(run.cost.seconds for run in each) for name, each in measured.items()}
    return way_taken(measured[AUTO.name][-1]), seconds


def way_taken(run: ShapeRun) -> str:
    """The way that a refresh of an `auto` view went; a rebuild is none of those beside it."""
    if run.action != _RECOMPUTED:
        return INCREMENTAL.name if run.action == INCREMENTAL.name else run.action
    return (ANEW_IN_SPARK if run.engine == "spark" else ANEW_ON_DRIVER).name
