"""The same small change while the tables grow: what a refresh costs should not follow them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.bench.machine import Machine
from slackwater.bench.refresh import RefreshPlan, ViewFigures, measure_refresh
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.tpch import ensure_tpch


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    """Which views, tables of which sizes, and how many rows change."""

    queries: tuple[CorpusQuery, ...]
    scales: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)
    changed_rows: int = 5_000
    repeat: int = 5


@dataclass(frozen=True, slots=True)
class GrowthReport:
    """The figures of every view by scale factor."""

    plan: GrowthPlan
    views: Mapping[float, tuple[ViewFigures, ...]]
    machine: Machine

    def seconds(self, name: str) -> dict[float, tuple[float, float]]:
        """Of one view, by scale factor: seconds of a refresh and of recomputation."""
        found = {}
        for scale, views in self.views.items():
            (view,) = (each for each in views if each.name == name)
            (share,) = view.refreshes.values()
            found[scale] = (share.refresh.seconds, view.recompute.seconds)
        return found

    def spread(self, name: str) -> float:
        """The slowest refresh of a view as a multiple of the quickest."""
        seconds = [refresh for refresh, _ in self.seconds(name).values()]
        return max(seconds) / min(seconds)


def measure_growth(
    spark: SparkSession,
    scratch: Path,
    cache_dir: Path,
    plan: GrowthPlan,
    say: Callable[[str], None],
) -> GrowthReport:
    """Measure at one scale factor after the other, each in a home of its own."""
    views: dict[float, tuple[ViewFigures, ...]] = {}
    machine: Machine | None = None
    for scale in plan.scales:
        say(f"making the data of scale factor {scale:g}, unless it is in the cache")
        folder = ensure_tpch(scale, cache_dir)
        rows = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
        share = plan.changed_rows / rows
        part = RefreshPlan(plan.queries, (share,), plan.repeat)
        home = scratch / f"home-{scale:g}"
        _, views[scale], here = measure_refresh(spark, home, folder, part, say)
        machine = here if machine is None else machine.until(here)
    assert machine is not None
    return GrowthReport(plan, views, machine)
