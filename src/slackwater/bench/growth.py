"""The same small change while the tables grow: what a refresh costs should not follow them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.keeping import Keeping, Step, usual_load, usual_step
from slackwater.bench.machine import Clock, Cost, Machine, describe_machine, total
from slackwater.bench.memory import release_heap
from slackwater.bench.plain import PlainSetup, PlainSpark, plain_setup
from slackwater.bench.refresh import KEEP_LITTLE, load_tables
from slackwater.bench.refresh_report import RefreshPlan, RefreshReport, ShareFigures, ViewFigures
from slackwater.bench.runs import RunCost
from slackwater.bench.targets import Target
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.tpch import ensure_tpch
from slackwater.workloads.tpch_changes import TpchChanges

_FLAT = 1.5
WARM_UPS = 1
"""Refreshes of a view that are not measured."""


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    """The views, the sizes of the tables, and the number of rows that change."""

    queries: tuple[CorpusQuery, ...]
    scales: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)
    changed_rows: int = 5_000
    repeat: int = 5
    """Recomputations and first loads behind each median."""
    refreshes: int = 20


@dataclass(frozen=True, slots=True)
class GrowthReport:
    """The figures of every view by scale factor."""

    plan: GrowthPlan
    reports: Mapping[float, RefreshReport]

    @property
    def machine(self) -> Machine:
        """All sizes are measured together."""
        return next(iter(self.reports.values())).machine

    def merging(self, scale: float) -> float:
        """Seconds that merging in the background took after a refresh, on average."""
        views = self.reports[scale].views
        return sum(view.merging.seconds for view in views) / len(views) / self.plan.refreshes

    def view(self, name: str) -> dict[float, tuple[ViewFigures, ShareFigures]]:
        """One view by scale factor: its figures, and those of its refreshes."""
        found = {}
        for scale, report in self.reports.items():
            (view,) = (each for each in report.views if each.name == name)
            (share,) = view.refreshes.values()
            found[scale] = (view, share)
        return found

    def spread(self, name: str) -> float:
        """The slowest refresh of a view as a multiple of the quickest."""
        seconds = [share.refresh.seconds for _, share in self.view(name).values()]
        return max(seconds) / max(min(seconds), 1e-9)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every view is to be flat."""
        return tuple(
            Target(f"{query.name}, slowest by quickest", _FLAT, self.spread(query.name))
            for query in self.plan.queries
        )


def measure_growth(
    spark: SparkSession,
    scratch: Path,
    cache_dir: Path,
    plan: GrowthPlan,
    say: Callable[[str], None],
) -> GrowthReport:
    """Measure at all scale factors in turn, each in a home of its own.

    What else the machine does comes and goes within minutes. Refreshes that are to be compared
    therefore follow one another, instead of all of one size before all of the next.
    """
    load_before = os.getloadavg()
    bench = _Bench(spark, scratch, plan, say)
    with ExitStack() as opened:
        sizes = []
        for scale in plan.scales:
            say(f"making the data of scale factor {scale:g}, unless it is in the cache")
            folder = ensure_tpch(scale, cache_dir)
            sizes.append(opened.enter_context(bench.loaded(scale, folder)))
        release_heap(spark)
        views = [
            bench.keep_in_turn(query, sizes, undo=number % 2 == 1)
            for number, query in enumerate(plan.queries)
        ]
    machine = describe_machine(spark, load_before)
    return GrowthReport(
        plan,
        {
            size.plan.scale: size.report([each[number] for each in views], machine)
            for number, size in enumerate(sizes)
        },
    )


@dataclass(frozen=True, slots=True)
class _Size:
    """A home with tables of one size, and what was measured before they changed."""

    plan: RefreshPlan
    session: Session
    clock: Clock
    plain: PlainSetup
    ingested: Mapping[str, float]
    source_bytes: int
    batches: list[ChangeBatch]
    loads: Mapping[str, RunCost]
    recomputed: Mapping[str, Cost]

    def report(self, views: Sequence[ViewFigures], machine: Machine) -> RefreshReport:
        """All figures of this size."""
        ingested, size = self.ingested, self.source_bytes
        return RefreshReport(self.plan, self.plain, ingested, size, tuple(views), machine)


@dataclass(frozen=True, slots=True)
class _Turns:
    """A view at one size, and what its changes cost."""

    size: _Size
    view: Keeping
    steps: list[Step] = field(default_factory=list)
    merges: list[Cost] = field(default_factory=list)

    @property
    def usual(self) -> ShareFigures:
        """The figures of its refreshes, once warm."""
        return usual_step(self.steps[WARM_UPS:])

    def figures(self, name: str) -> ViewFigures:
        """All figures of the view."""
        size = self.size
        (share,) = size.plan.shares
        return ViewFigures(
            name,
            size.recomputed[name],
            size.loads[name],
            {share: self.usual},
            total(self.merges[WARM_UPS:]),
            self.view.state_bytes,
            exact=None,
        )


@dataclass(frozen=True, slots=True)
class _Bench:
    """The measured views, their place, and who hears of progress."""

    spark: SparkSession
    scratch: Path
    plan: GrowthPlan
    say: Callable[[str], None]

    @contextmanager
    def loaded(self, scale: float, folder: Path) -> Iterator[_Size]:
        """Tables of one size in a home that is deleted in the end, measured as far as they are."""
        plan, clock, home = self.plan, Clock(self.spark), self.scratch / f"home-{scale:g}"
        rows = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
        share, count = plan.changed_rows / rows, WARM_UPS + plan.refreshes
        part = RefreshPlan(
            scale, plan.queries, (share,), plan.repeat, plan.refreshes, WARM_UPS, plan.repeat
        )
        setup = plain_setup(self.spark, folder)
        with open_home(home, self.spark, retention=KEEP_LITTLE) as session:
            ingested = dict(load_tables(session, folder, clock, self.say))
            size = sum(source.bytes for source in session.status().sources)
            changes = TpchChanges(folder)
            batches = [changes.take(share) for _ in range(count)]
            plain = PlainSpark(self.spark, folder, clock, setup)
            loads, recomputed = {}, {}
            for query in plan.queries:
                load = loads[query.name] = usual_load(session, clock, query.sql, plan.repeat)
                self.say(f"{query.name}: filled in {load}")
                again = recomputed[query.name] = plain.recompute(query.sql, plan.repeat)
                self.say(f"{query.name}: plain Spark {again}")
            yield _Size(part, session, clock, setup, ingested, size, batches, loads, recomputed)
        shutil.rmtree(home)

    def keep_in_turn(
        self, query: CorpusQuery, sizes: Sequence[_Size], *, undo: bool
    ) -> list[ViewFigures]:
        """Keep a view at all sizes through all changes; `undo` takes them back, last first."""
        turns = [_Turns(size, Keeping(size.session, size.clock, query.sql)) for size in sizes]
        for each in turns:
            each.view.fill()
            each.view.wait_for_merges()
        for number in range(len(sizes[0].batches)):
            for each in turns:
                batch = each.size.batches[-1 - number if undo else number]
                each.steps.append(each.view.change(batch, undo=undo))
                # The next size must not pay for what this one left to the background.
                each.merges.append(each.view.wait_for_merges())
        figures = []
        for each in turns:
            each.view.drop()
            figures.append(each.figures(query.name))
            self.say(f"{query.name}, scale factor {each.size.plan.scale:g}: {each.usual.refresh}")
        return figures
