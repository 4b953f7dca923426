"""The cost of a refresh that has nothing, or next to nothing, to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.machine import Clock, Machine, describe_machine
from slackwater.bench.targets import Target
from slackwater.workloads.tpch import TPCH_KEYS, plain_table

_VIEW = """
SELECT c.c_mktsegment, o.o_orderpriority, sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue
FROM customer c JOIN orders o ON c.c_custkey = o.o_custkey
JOIN lineitem l ON l.l_orderkey = o.o_orderkey
WHERE l.l_shipdate > DATE '1995-01-01' + {days}
GROUP BY c.c_mktsegment, o.o_orderpriority
"""
"""A join of three tables; another number of days makes it another view."""
_EMPTY, _ONE_ROW = "empty", "one row"
_NOTHING = 0.3
"""Seconds that a refresh may take after an empty change."""
_ROW = {1: 0.04, 20: 0.25}
"""Seconds after one changed row, by the number of views."""
_TABLES = ("customer", "orders", "lineitem")


@dataclass(frozen=True, slots=True)
class OverheadPlan:
    """The number of views, and of measurements of each refresh."""

    views: tuple[int, ...] = (1, 5, 20)
    repeat: int = 5


@dataclass(frozen=True, slots=True)
class OverheadFigures:
    """Refreshes of so many views after one kind of change; seconds are medians."""

    views: int
    change: str
    seconds: float
    jobs: int


@dataclass(frozen=True, slots=True)
class OverheadReport:
    """All figures of one measurement."""

    plan: OverheadPlan
    figures: tuple[OverheadFigures, ...]
    machine: Machine

    @property
    def targets(self) -> tuple[Target, ...]:
        """For an empty change whatever the number of views, for one row by their number."""
        empty = [each.seconds for each in self.figures if each.change == _EMPTY]
        one = [each for each in self.figures if each.change == _ONE_ROW and each.views in _ROW]
        limits = [
            Target(f"seconds after one row, views: {each.views}", _ROW[each.views], each.seconds)
            for each in one
        ]
        if empty:
            name = "seconds after an empty change, any number of views"
            limits.insert(0, Target(name, _NOTHING, max(empty)))
        return tuple(limits)


def measure_overhead(
    spark: SparkSession, home: Path, folder: Path, plan: OverheadPlan, say: Callable[[str], None]
) -> OverheadReport:
    """Add views to a home of TPC-H tables and refresh it after empty and tiny changes."""
    load_before = os.getloadavg()
    clock = Clock(spark)
    figures = []
    with open_home(home, spark) as session:
        for name in _TABLES:
            table = plain_table(folder / f"{name}.parquet")
            schema = spark.createDataFrame(table.slice(0, 1)).schema
            session.create_source(name, schema, key=TPCH_KEYS[name].primary)
            session.ingest(name, table)
        small = _SmallChanges(session, clock, plain_table(folder / "lineitem.parquet"))
        made = 0
        for views in plan.views:
            while made < views:
                session.create_view(f"revenue_{made}", _VIEW.format(days=made))
                made += 1
            session.refresh()
            for change, rows in ((_EMPTY, 0), (_ONE_ROW, 1)):
                say(f"{views} views, {change}")
                seconds, jobs = small.measure(rows, plan.repeat)
                figures.append(OverheadFigures(views, change, seconds, jobs))
    return OverheadReport(plan, tuple(figures), describe_machine(spark, load_before))


@dataclass(frozen=True, slots=True)
class _SmallChanges:
    """Takes the first rows of a table out and puts them in again."""

    session: Session
    clock: Clock
    table: pa.Table

    def measure(self, rows: int, repeat: int) -> tuple[float, int]:
        """Seconds of a refresh after so many rows went or came, and the most Spark jobs."""
        self._refresh(rows, "delete")
        self._refresh(rows, "insert")
        found = []
        for _ in range(repeat):
            found += [self._refresh(rows, "delete"), self._refresh(rows, "insert")]
        return median(seconds for seconds, _ in found), max(jobs for _, jobs in found)

    def _refresh(self, rows: int, op: str) -> tuple[float, int]:
        self.session.ingest("lineitem", self.table.slice(0, rows), op=op)
        with self.clock.measure() as cost:
            result = self.session.refresh()
        return cost.seconds, result.metrics.jobs
