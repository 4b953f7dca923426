"""The same small change while the tables grow: what a refresh costs should not follow them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.bench.machine import Machine
from slackwater.bench.refresh import measure_refresh
from slackwater.bench.refresh_report import RefreshPlan, RefreshReport, ShareFigures, ViewFigures
from slackwater.bench.targets import Target
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.tpch import ensure_tpch

_FLAT = 1.5
WARM_UPS = 1
"""Refreshes of a view that are not measured."""


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    """Which views, tables of which sizes, and how many rows change."""

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
        """From the first measurement to the last."""
        first, *others = (report.machine for report in self.reports.values())
        return first.until(others[-1]) if others else first

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
    """Measure at one scale factor after the other, each in a home of its own."""
    reports: dict[float, RefreshReport] = {}
    for scale in plan.scales:
        say(f"making the data of scale factor {scale:g}, unless it is in the cache")
        folder = ensure_tpch(scale, cache_dir)
        rows = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
        part = RefreshPlan(
            scale,
            plan.queries,
            (plan.changed_rows / rows,),
            repeat=plan.repeat,
            refreshes=plan.refreshes,
            warm_ups=WARM_UPS,
            loads=plan.repeat,
        )
        home = scratch / f"home-{scale:g}"
        reports[scale] = measure_refresh(spark, home, folder, part, say)
        # All homes together would take the disk of all sizes together.
        shutil.rmtree(home)
    return GrowthReport(plan, reports)
