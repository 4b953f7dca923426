"""What keeping a TPC-H view costs, beside computing it again with plain Spark.

Every view is filled from the tables of one home and then refreshed after changes of several
sizes. The changes are made for the first view and undone for the second, in turn, so that all
views see tables of the same size.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.machine import Clock, Cost, describe_machine, typical
from slackwater.bench.memory import release_heap
from slackwater.bench.plain import PlainSpark, plain_setup
from slackwater.bench.refresh_report import RefreshPlan, RefreshReport, ShareFigures, ViewFigures
from slackwater.bench.runs import (
    RunCost,
    timed_ingest,
    timed_refresh,
    typical_run,
    wait_for_merges,
)
from slackwater.engine.results import ViewRun
from slackwater.state.metadata.collect import Retention
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.tpch import TPCH_KEYS, plain_table
from slackwater.workloads.tpch_changes import TpchChanges

KEEP_LITTLE = Retention(commits=1, age=timedelta(0))
"""Old commits of large tables would fill the disk."""
_VIEW = "measured"
ROWS_IN_MEMORY = 10_000_000
"""Larger tables are ingested as DataFrames."""

Say = Callable[[str], None]


def measure_refresh(
    spark: SparkSession, home: Path, folder: Path, plan: RefreshPlan, say: Say
) -> RefreshReport:
    """Load the tables of a folder into a new home and measure view after view."""
    load_before = os.getloadavg()
    clock = Clock(spark)
    setup = plain_setup(spark, folder, cached=plan.cached)
    plain = PlainSpark(spark, folder, clock, setup)
    with open_home(home, spark, retention=KEEP_LITTLE) as session:
        ingested = dict(load_tables(session, folder, clock, say))
        sources = sum(source.bytes for source in session.status().sources)
        views = _measure_views(_Bench(session, clock, plan, say), plain, folder)
    machine = describe_machine(spark, load_before)
    return RefreshReport(plan, setup, ingested, sources, tuple(views), machine)


def load_tables(
    session: Session, folder: Path, clock: Clock, say: Say
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


def _measure_views(bench: _Bench, plain: PlainSpark, folder: Path) -> list[ViewFigures]:
    plan = bench.plan
    bench.say("making changes")
    changes = TpchChanges(folder)
    count = plan.warm_ups + plan.refreshes
    batches = {share: [changes.take(share) for _ in range(count)] for share in plan.shares}
    # All tables are as they were loaded while views are filled for the first time.
    loads = [bench.load(query) for query in plan.queries]
    if plan.cached:
        bench.say("taking the tables into Spark's memory")
        plain.hold_tables(query.sql for query in plan.queries)
    views = []
    for number, query in enumerate(plan.queries):
        recompute = plain.recompute(query.sql, plan.repeat)
        release_heap(bench.session.spark)
        bench.say(f"{query.name}: plain Spark {recompute}")
        keeping = _Keeping(bench, batches, undo=number % 2 == 1)
        views.append(keeping.measure(query, recompute, loads[number]))
    plain.let_go()
    return views


@dataclass(frozen=True, slots=True)
class _Bench:
    """One home, and what is measured in it."""

    session: Session
    clock: Clock
    plan: RefreshPlan
    say: Say

    def load(self, query: CorpusQuery) -> RunCost:
        """What it usually costs to fill the view for the first time."""
        costs = []
        for _ in range(self.plan.loads):
            self.session.create_view(_VIEW, query.sql)
            cost, _ = self.refresh()
            costs.append(cost)
            self.session.drop_view(_VIEW)
            # Tables that nobody changed have nothing to merge: this gives the disk back.
            self.session.compact()
        usual = typical_run(costs)
        self.say(f"{query.name}: filled in {usual}")
        return usual

    def refresh(self) -> tuple[RunCost, ViewRun]:
        """A refresh, and what it did to the view."""
        cost, result = timed_refresh(self.session, self.clock)
        return cost, next(each for each in result.views if each.view == _VIEW)


class _Keeping:
    """One view on its way through all changes."""

    def __init__(self, bench: _Bench, batches: Mapping[float, list[ChangeBatch]], *, undo: bool):
        """`undo` takes the changes back, last first."""
        self._bench = bench
        self._batches = batches
        self._undo = undo
        self._state_bytes = 0

    def measure(self, query: CorpusQuery, recompute: Cost, load: RunCost) -> ViewFigures:
        """Fill the view, change the tables, drop it."""
        session, plan = self._bench.session, self._bench.plan
        session.create_view(_VIEW, query.sql)
        self._refresh()
        wait_for_merges(self._bench.clock)
        shares = {}
        for share in reversed(plan.shares) if self._undo else plan.shares:
            shares[share] = self._changed(self._batches[share])
            self._bench.say(f"{query.name}: {share:.2%} {shares[share].refresh}")
        # The next view must not pay for what this one left to the background.
        merging = wait_for_merges(self._bench.clock)
        exact = session.verify(_VIEW).equal if plan.verify else None
        session.drop_view(_VIEW)
        ordered = {share: shares[share] for share in plan.shares}
        return ViewFigures(query.name, recompute, load, ordered, merging, self._state_bytes, exact)

    def _changed(self, batches: list[ChangeBatch]) -> ShareFigures:
        ingests, runs, actions = [], [], set()
        for number, batch in enumerate(reversed(batches) if self._undo else batches):
            ingest = timed_ingest(self._bench.session, self._bench.clock, batch, undo=self._undo)
            run, action = self._refresh()
            if number >= self._bench.plan.warm_ups:
                ingests.append(ingest)
                runs.append(run)
                actions.add(action)
        changed = round(median(each.rows for each in ingests))
        return ShareFigures(changed, typical(ingests), typical_run(runs), tuple(sorted(actions)))

    def _refresh(self) -> tuple[RunCost, str]:
        cost, view = self._bench.refresh()
        # A view that nothing reached is not looked at.
        self._state_bytes = view.state_bytes or self._state_bytes
        return cost, view.action
