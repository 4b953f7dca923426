"""All TPC-H views and views on top of them, kept together, beside computing them all again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.api import open_home
from slackwater.bench.dag_views import VIEWS_ON_VIEWS
from slackwater.bench.machine import Clock, Cost, Machine, describe_machine
from slackwater.bench.plain import PLAIN_SETTINGS, typical
from slackwater.bench.refresh import KEEP_LITTLE, load_tables
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.tpch import TPCH_KEYS
from slackwater.workloads.tpch_changes import TpchChanges


@dataclass(frozen=True, slots=True)
class DagPlan:
    """How large the changes are, and how often each side is measured."""

    queries: tuple[CorpusQuery, ...]
    share: float = 0.01
    refreshes: int = 10
    recomputations: int = 3

    def views(self) -> Mapping[str, str]:
        """All views in an order in which they can be created."""
        names = {query.name for query in self.queries}
        first = {query.name: query.sql for query in self.queries}
        missing = {f"q{n:02d}" for n in range(1, 23)} - names
        # Without all of TPC-H there is nothing for the others to read.
        return first if missing else {**first, **VIEWS_ON_VIEWS}


@dataclass(frozen=True, slots=True)
class DagReport:
    """All refreshes, and the usual recomputation."""

    scale: float
    plan: DagPlan
    fill: Cost
    refreshes: tuple[Cost, ...]
    recompute: Cost
    state_bytes: int
    exact: bool | None
    machine: Machine

    def ratio(self, figure: str) -> float:
        """A figure of all refreshes as a part of as many recomputations."""
        ours = sum(float(getattr(each, figure)) for each in self.refreshes)
        return ours / (len(self.refreshes) * float(getattr(self.recompute, figure)))

    @property
    def usual_seconds(self) -> float:
        """The median of all refreshes."""
        return median(each.seconds for each in self.refreshes)


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
        recompute = self._recompute(plan)
        changes = TpchChanges(self._folder)
        with open_home(home, self._spark, retention=KEEP_LITTLE) as session:
            for _ in load_tables(session, self._folder, self._clock, self._say):
                pass
            for name, sql in plan.views().items():
                session.create_view(name, sql)
            fill = self._timed("filled", session.refresh)
            costs = []
            for number in range(1, plan.refreshes + 1):
                for name, change in changes.take(plan.share).items():
                    session.ingest(name, change)
                costs.append(self._timed(f"refresh {number}", session.refresh))
            size = session.status().state_bytes
            exact = all(session.verify(name).equal for name in plan.views()) if verify else None
        machine = describe_machine(self._spark, load_before)
        return DagReport(scale, plan, fill, tuple(costs), recompute, size, exact, machine)

    def _timed(self, what: str, work: Callable[[], object]) -> Cost:
        with self._clock.measure() as cost:
            work()
        self._say(f"{what}: {cost.seconds:.2f} s")
        return cost

    def _recompute(self, plan: DagPlan) -> Cost:
        """All views with the tables in memory, and with those that others read kept there too."""
        plain = self._spark.newSession()
        for key, value in PLAIN_SETTINGS.items():
            plain.conf.set(key, value)
        tables = [plain.read.parquet(str(self._folder / f"{name}.parquet")) for name in TPCH_KEYS]
        for name, table in zip(TPCH_KEYS, tables, strict=True):
            table.cache().count()
            table.createOrReplaceTempView(name)
        views = plan.views()
        read = {name for name in views if any(_reads(sql, name) for sql in views.values())}
        compute = partial(_compute_all, plain, views, read)
        compute()
        costs = [self._timed("plain Spark", compute) for _ in range(plan.recomputations)]
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
