"""Everyday views over a log of events: keeping them, beside computing them again.

Each view is alone in a home of its own, a copy of one into which the tables were ingested. There
it is filled, refreshed after changes of several kinds and sizes, and read. So every view sees the
same tables and the same changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import duckdb
from pyspark.sql import SparkSession

from slackwater.bench.duck import DuckTables
from slackwater.bench.machine import Clock, Cost, describe_machine
from slackwater.bench.memory import release_heap
from slackwater.bench.plain import PlainSpark, plain_setup
from slackwater.bench.runs import wait_for_merges
from slackwater.bench.shape_home import KeptShape, ShapeHome
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.shapes_report import (
    Change,
    ChangeFigures,
    ShapeFigures,
    ShapesPlan,
    ShapesReport,
    usual_change,
)
from slackwater.bench.time_limit import TooSlowError, time_limit
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.event_changes import EventChanges
from slackwater.workloads.event_tables import EventSpec

Say = Callable[[str], None]
_Done = TypeVar("_Done")
_SHOWN = 300
"""Characters of an error or a difference that are kept."""


def measure_shapes(
    spark: SparkSession, scratch: Path, folder: Path, plan: ShapesPlan, say: Say
) -> ShapesReport:
    """Load the tables of a folder into a new home and measure view after view."""
    load_before = os.getloadavg()
    clock = Clock(spark)
    setup = plain_setup(spark, folder)
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    with DuckTables(scratch / "tables.duckdb", folder, zone, clock) as duck:
        home = ShapeHome(scratch / "home", spark, clock, plan.engine)
        ingested, size = home.load(folder, say)
        changes = EventChanges(folder, EventSpec(plan.rows))
        batches = {
            each: changes.take_many(each.share, each.kind, plan.repeat) for each in plan.changes
        }
        warm_up = changes.take(plan.shares[0], plan.kinds[0])
        plain = PlainSpark(spark, folder, clock, setup)
        bench = _Bench(spark, home, plain, duck, plan, batches, warm_up, say)
        views = tuple(bench.measure(shape) for shape in plan.shapes)
    return ShapesReport(plan, setup, ingested, size, views, describe_machine(spark, load_before))


@dataclass(frozen=True, slots=True)
class _Bench:
    """The two sides, and the changes that every view goes through."""

    spark: SparkSession
    home: ShapeHome
    plain: PlainSpark
    duck: DuckTables
    plan: ShapesPlan
    batches: Mapping[Change, list[ChangeBatch]]
    warm_up: ChangeBatch
    say: Say

    def measure(self, shape: Shape) -> ShapeFigures:
        """All figures of a view, or those up to what failed."""
        figures = ShapeFigures(shape.name, shape.title)
        try:
            for fuller in self._stages(shape):
                figures = fuller
        except Exception as problem:
            # Whatever a view raises is a figure of this one; the others are still to be measured.
            figures = replace(figures, problem=describe(problem))
            self.say(f"{shape.name}: {figures.problem}")
        return figures

    def _stages(self, shape: Shape) -> Iterator[ShapeFigures]:
        """The figures with more and more in them."""
        figures = ShapeFigures(shape.name, shape.title)
        recompute = self._limited(partial(self._recompute, shape))
        self.say(f"{shape.name}: plain Spark {recompute}")
        yield (figures := replace(figures, recompute=recompute))
        yield (figures := replace(figures, duckdb=self._in_duckdb(shape)))
        release_heap(self.spark)
        with self.home.keep(shape) as view:
            yield from self._kept_stages(view, figures)

    def _kept_stages(self, view: KeptShape, figures: ShapeFigures) -> Iterator[ShapeFigures]:
        fill, size = self._limited(view.fill)
        self.say(f"{figures.name}: filled in {fill.cost}")
        yield (figures := replace(figures, fill=fill, state_bytes=size))
        wait_for_merges(view.clock)
        self._follow(view, [self.warm_up])
        for change, batches in self.batches.items():
            usual = self._follow(view, batches)
            self.say(f"{figures.name}: {change} {usual.refresh}")
            figures = replace(figures, refreshes={**figures.refreshes, change: usual})
            yield figures
        yield (figures := replace(figures, read=self._limited(view.read)))
        if self.plan.verify:
            found = self._limited(view.difference)
            yield replace(figures, exact=found is None, difference=short_text(found or ""))

    def _limited(self, work: Callable[[], _Done]) -> _Done:
        with time_limit(self.spark, self.plan.limit):
            return work()

    def _recompute(self, shape: Shape) -> Cost:
        for name, sql in shape.below.items():
            self.plain.name_query(name, sql)
        return self.plain.recompute(shape.sql, self.plan.repeat)

    def _in_duckdb(self, shape: Shape) -> Cost | None:
        """None if DuckDB cannot do it, which is no fault of the view."""
        if not shape.duckdb_sql:
            return None
        try:
            return self.duck.recompute(shape.duckdb_sql, shape.below, self.plan.repeat)
        except duckdb.Error as problem:
            self.say(f"{shape.name}: DuckDB {describe(problem)}")
            return None

    def _follow(self, view: KeptShape, batches: list[ChangeBatch]) -> ChangeFigures:
        """Refresh after each change; to take a change in is never interrupted half-way."""
        ingests, runs = [], []
        for batch in batches:
            ingests.append(view.ingest(batch))
            runs.append(self._limited(view.refresh))
        return usual_change(ingests, runs)


def describe(problem: Exception) -> str:
    """A problem of a view in one line."""
    if isinstance(problem, TooSlowError):
        return problem.what
    return short_text(f"{type(problem).__name__}: {problem}")


def short_text(text: str) -> str:
    """The beginning of an error or a difference, on one line.

    >>> short_text("no such   table")
    'no such table'
    """
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]} ..."
