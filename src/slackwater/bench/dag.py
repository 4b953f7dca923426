"""All TPC-H views and views on top of them, kept together, beside computing them all again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.dag_views import VIEWS_ON_VIEWS
from slackwater.bench.machine import Clock, Cost, Machine, describe_machine, typical
from slackwater.bench.memory import release_heap
from slackwater.bench.plain import PlainSetup, open_plain, plain_setup
from slackwater.bench.refresh import KEEP_LITTLE, load_tables
from slackwater.bench.runs import RunCost, timed_ingest, timed_refresh, wait_for_merges
from slackwater.bench.targets import Target
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.tpch import TPCH_KEYS
from slackwater.workloads.tpch_changes import TpchChanges

_LIMIT = 0.4


@dataclass(frozen=True, slots=True)
class DagPlan:
    """The size of the changes, and the number of measurements of each side."""

    queries: tuple[CorpusQuery, ...]
    share: float = 0.01
    refreshes: int = 10
    recomputations: int = 5

    def views(self) -> Mapping[str, str]:
        """All views in an order in which they can be created."""
        names = {query.name for query in self.queries}
        first = {query.name: query.sql for query in self.queries}
        missing = {f"q{n:02d}" for n in range(1, 23)} - names
        # Without all of TPC-H there is nothing for the others to read.
        return first if missing else {**first, **VIEWS_ON_VIEWS}


@dataclass(frozen=True, slots=True)
class Kept:
    """The home's side, change by change."""

    fill: RunCost
    """The one run that filled all views."""
    ingests: tuple[Cost, ...]
    refreshes: tuple[RunCost, ...]
    merging: Cost
    """The cost of merging in the background after the last refresh."""
    state_bytes: int
    """Bytes that the views keep beside their answers."""
    source_bytes: int
    exact: bool | None


@dataclass(frozen=True, slots=True)
class DagReport:
    """All refreshes, and the usual recomputation."""

    scale: float
    plan: DagPlan
    plain: PlainSetup
    recompute: Cost
    kept: Kept
    machine: Machine

    def ratio(self, figure: str) -> float:
        """A figure of all refreshes as a part of as many recomputations."""
        return self._part(self.kept.refreshes, figure)

    def ratio_with_ingest(self, figure: str) -> float:
        """The same, with taking the changes in."""
        return self.ratio(figure) + self._part(self.kept.ingests, figure)

    def _part(self, costs: Sequence[Cost], figure: str) -> float:
        ours = sum(float(getattr(each, figure)) for each in costs)
        return ours / (len(costs) * max(float(getattr(self.recompute, figure)), 1e-9))

    @property
    def usual_seconds(self) -> float:
        """The median of all refreshes."""
        return median(each.seconds for each in self.kept.refreshes)

    @property
    def usual_ingest(self) -> float:
        """Seconds to take one change in, the median."""
        return median(each.seconds for each in self.kept.ingests)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Seconds and processor seconds, both without taking the changes in."""
        return tuple(
            Target(f"{figure} of refreshes, in recomputations", _LIMIT, self.ratio(figure))
            for figure in ("seconds", "cpu")
        )


class Measurement:
    """One home with all views, and a plain session over the same files."""

    def __init__(self, spark: SparkSession, folder: Path, say: Callable[[str], None]):
        """Nothing is computed yet."""
        self._spark = spark
        self._folder = folder
        self._say = say
        self._clock = Clock(spark)

    def measure(self, home: Path, scale: float, plan: DagPlan, *, verify: bool) -> DagReport:
        """Recompute with plain Spark, then keep."""
        load_before = os.getloadavg()
        setup = plain_setup(self._spark, self._folder, cached=True)
        recompute = self._recompute(plan, setup)
        release_heap(self._spark)
        with open_home(home, self._spark, retention=KEEP_LITTLE) as session:
            for _ in load_tables(session, self._folder, self._clock, self._say):
                pass
            kept = self._keep(session, plan, verify=verify)
        machine = describe_machine(self._spark, load_before)
        return DagReport(scale, plan, setup, recompute, kept, machine)

    def _keep(self, session: Session, plan: DagPlan, *, verify: bool) -> Kept:
        changes = TpchChanges(self._folder)
        views = plan.views()
        for name, sql in views.items():
            session.create_view(name, sql)
        fill = self._refreshed("filled", session)
        ingests, refreshes = [], []
        for number in range(1, plan.refreshes + 1):
            ingests.append(timed_ingest(session, self._clock, changes.take(plan.share)))
            refreshes.append(self._refreshed(f"refresh {number}", session))
        merging = wait_for_merges(self._clock)
        status = session.status()
        return Kept(
            fill,
            tuple(ingests),
            tuple(refreshes),
            merging,
            status.state_bytes,
            sum(source.bytes for source in status.sources),
            all(session.verify(name).equal for name in views) if verify else None,
        )

    def _refreshed(self, what: str, session: Session) -> RunCost:
        cost, _ = timed_refresh(session, self._clock)
        self._say(f"{what}: {cost.seconds:.2f} s")
        return cost

    def _recomputed(self, compute: Callable[[], None]) -> Cost:
        with self._clock.measure() as cost:
            compute()
        self._say(f"plain Spark: {cost.seconds:.2f} s")
        return cost

    def _recompute(self, plan: DagPlan, setup: PlainSetup) -> Cost:
        """All views with the tables in memory, and with those that others read kept there too."""
        plain = open_plain(self._spark, setup)
        tables = [plain.read.parquet(str(self._folder / f"{name}.parquet")) for name in TPCH_KEYS]
        for name, table in zip(TPCH_KEYS, tables, strict=True):
            table.cache().count()
            table.createOrReplaceTempView(name)
        views = plan.views()
        read = {name for name in views if any(_reads(sql, name) for sql in views.values())}
        compute = partial(_compute_all, plain, views, read)
        compute()
        costs = [self._recomputed(compute) for _ in range(plan.recomputations)]
        for table in tables:
            table.unpersist()
        return typical(costs)


def _reads(sql: str, name: str) -> bool:
    return f"FROM {name} " in f"{sql} " or f"JOIN {name} " in sql


def _compute_all(plain: SparkSession, views: Mapping[str, str], read: set[str]) -> None:
    kept = []
    for name, sql in views.items():
        frame = plain.sql(sql)
        if name in read:
            kept.append(frame.cache())
            frame.createOrReplaceTempView(name)
        frame.write.format("noop").mode("overwrite").save()
    for frame in kept:
        frame.unpersist()
