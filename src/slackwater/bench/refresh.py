"""What keeping a TPC-H view costs, beside computing it again with plain Spark.

Every view is filled from the tables of one home and then refreshed after changes of several
sizes. The changes are made for the first view and undone for the second, in turn, so that all
views see tables of the same size.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.machine import Clock, Cost, Machine, describe_machine
from slackwater.bench.plain import PlainSpark, typical
from slackwater.state.metadata.collect import Retention
from slackwater.workloads.bags import negate
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.tpch import TPCH_KEYS, plain_table
from slackwater.workloads.tpch_changes import TpchChanges

KEEP_LITTLE = Retention(commits=1, age=timedelta(0))
"""Old commits of large tables would fill the disk."""
_VIEW = "measured"
ROWS_IN_MEMORY = 10_000_000
"""Larger tables are ingested as DataFrames."""


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What is measured, and how often."""

    queries: tuple[CorpusQuery, ...]
    shares: tuple[float, ...] = (0.001, 0.01)
    repeat: int = 5
    verify: bool = False


@dataclass(frozen=True, slots=True)
class ShareFigures:
    """Refreshes after changes of one size."""

    changed_rows: int
    refresh: Cost
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ViewFigures:
    """One view: costs are medians, `load` is the one run that filled it."""

    name: str
    recompute: Cost
    load: Cost
    refreshes: Mapping[float, ShareFigures]
    state_bytes: int
    exact: bool | None
    """Whether plain Spark gives the same answer in the end; None if nobody looked."""

    def ratio(self, share: float, figure: str) -> float:
        """A figure of a refresh as a part of the same figure of recomputation."""
        ours, theirs = self.refreshes[share].refresh, self.recompute
        return float(getattr(ours, figure)) / max(float(getattr(theirs, figure)), 1e-9)


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """All figures of one measurement."""

    scale: float
    plan: RefreshPlan
    ingest_seconds: Mapping[str, float]
    views: tuple[ViewFigures, ...]
    machine: Machine
    means: Mapping[float, Mapping[str, float]] = field(init=False)
    """By share of changed rows: the geometric mean of the ratios over all views."""

    def __post_init__(self) -> None:
        """Sum up."""
        means = {
            share: {
                figure: _geometric_mean([view.ratio(share, figure) for view in self.views])
                for figure in ("seconds", "cpu", "rows")
            }
            for share in self.plan.shares
        }
        object.__setattr__(self, "means", means)


def _geometric_mean(ratios: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(np.maximum(ratios, 1e-6))))) if ratios else 0.0


def measure_refresh(
    spark: SparkSession, home: Path, folder: Path, plan: RefreshPlan, say: Callable[[str], None]
) -> tuple[Mapping[str, float], tuple[ViewFigures, ...], Machine]:
    """Load the tables of a folder into a new home and measure view after view."""
    load_before = os.getloadavg()
    clock = Clock(spark)
    plain = PlainSpark(spark, folder, clock)
    with open_home(home, spark, retention=KEEP_LITTLE) as session:
        ingested = dict(load_tables(session, folder, clock, say))
        say("making changes")
        changes = TpchChanges(folder)
        batches = {
            share: [changes.take(share) for _ in range(plan.repeat)] for share in plan.shares
        }
        # All tables are as they were loaded while views are filled for the first time.
        loads = [_Keeping(session, clock, say).load(query) for query in plan.queries]
        views = []
        for number, query in enumerate(plan.queries):
            recompute = plain.recompute(query.sql, plan.repeat)
            say(f"{query.name}: plain Spark {recompute}")
            keeping = _Keeping(session, clock, say, undo=number % 2 == 1)
            alone = Alone(recompute, loads[number])
            views.append(keeping.measure(query, alone, batches, plan))
    return ingested, tuple(views), describe_machine(spark, load_before)


def load_tables(
    session: Session, folder: Path, clock: Clock, say: Callable[[str], None]
) -> Iterator[tuple[str, float]]:
    """Ingest the TPC-H tables of a folder; the seconds of each as it is done."""
    for name, keys in TPCH_KEYS.items():
        file = folder / f"{name}.parquet"
        rows = pq.read_metadata(file).num_rows
        frame = session.spark.read.parquet(str(file))
        session.create_source(name, frame.schema, key=keys.primary)
        with clock.measure() as cost:
            session.ingest(name, plain_table(file) if rows < ROWS_IN_MEMORY else frame)
        say(f"ingested {rows:,} rows of {name}: {cost.seconds:.1f} s")
        yield name, cost.seconds


@dataclass(frozen=True, slots=True)
class Alone:
    """What a view costs before anything changes."""

    recompute: Cost
    load: Cost


class _Keeping:
    """One view on its way through all changes."""

    def __init__(
        self, session: Session, clock: Clock, say: Callable[[str], None], *, undo: bool = False
    ):
        """`undo` takes the changes back, last first."""
        self._session = session
        self._clock = clock
        self._say = say
        self._undo = undo

    def measure(
        self,
        query: CorpusQuery,
        alone: Alone,
        batches: Mapping[float, list[ChangeBatch]],
        plan: RefreshPlan,
    ) -> ViewFigures:
        """Fill the view, change the tables, drop it."""
        self._session.create_view(_VIEW, query.sql)
        self._refresh()
        shares = {}
        for share in reversed(plan.shares) if self._undo else plan.shares:
            shares[share] = self._changed(batches[share])
            self._say(f"{query.name}: {share:.2%} {shares[share].refresh}")
        size = self._session.status().state_bytes
        exact = self._session.verify(_VIEW).equal if plan.verify else None
        self._session.drop_view(_VIEW)
        ordered = {share: shares[share] for share in plan.shares}
        return ViewFigures(query.name, alone.recompute, alone.load, ordered, size, exact)

    def load(self, query: CorpusQuery) -> Cost:
        """What it costs to fill the view for the first time."""
        self._session.create_view(_VIEW, query.sql)
        cost, _ = self._refresh()
        self._say(f"{query.name}: filled in {cost}")
        self._session.drop_view(_VIEW)
        return cost

    def _changed(self, batches: list[ChangeBatch]) -> ShareFigures:
        costs, actions, changed = [], [], 0
        for batch in reversed(batches) if self._undo else batches:
            changed = sum(change.num_rows for change in batch.values())
            for name, change in batch.items():
                self._session.ingest(name, negate(change) if self._undo else change)
            cost, action = self._refresh()
            costs.append(cost)
            actions.append(action)
        return ShareFigures(changed, typical(costs), tuple(sorted(set(actions))))

    def _refresh(self) -> tuple[Cost, str]:
        with self._clock.measure() as cost:
            result = self._session.refresh()
        cost.rows = result.metrics.rows_read
        return cost, next(each.action for each in result.views if each.view == _VIEW)
