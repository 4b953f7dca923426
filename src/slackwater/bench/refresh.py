"""The cost of keeping a TPC-H view, beside computing it again with plain Spark.

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

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.keeping import Keeping, usual_load, usual_step
from slackwater.bench.machine import Clock, Cost, describe_machine
from slackwater.bench.memory import release_heap
from slackwater.bench.plain import PlainSpark, plain_setup
from slackwater.bench.refresh_report import RefreshPlan, RefreshReport, ViewFigures
from slackwater.bench.runs import RunCost
from slackwater.state.metadata.collect import Retention
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.table_keys import TableKeys
from slackwater.workloads.tpch import TPCH_KEYS, plain_table
from slackwater.workloads.tpch_changes import TpchChanges

KEEP_LITTLE = Retention(commits=1, age=timedelta(0))
"""Old commits of large tables would fill the disk."""
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
    session: Session,
    folder: Path,
    clock: Clock,
    say: Say,
    tables: Mapping[str, TableKeys] = TPCH_KEYS,
) -> Iterator[tuple[str, float]]:
    """Ingest the tables of a folder; the seconds of each as it is done."""
    for name, keys in tables.items():
        file = folder / f"{name}.parquet"
        rows = pq.read_metadata(file).num_rows
        frame = session.spark.read.parquet(str(file))
        session.create_source(name, frame.schema, key=keys.primary)
        with clock.measure() as cost:
            session.ingest(name, plain_table(file) if rows < ROWS_IN_MEMORY else frame)
        say(f"ingested {rows:,} rows of {name}: {cost.seconds:.1f} s")
        yield name, cost.seconds


def _measure_views(bench: _Bench, plain: PlainSpark, folder: Path) -> list[ViewFigures]:
    plan, session, clock = bench.plan, bench.session, bench.clock
    bench.say("making changes")
    changes = TpchChanges(folder)
    count = plan.warm_ups + plan.refreshes
    batches = {share: [changes.take(share) for _ in range(count)] for share in plan.shares}
    # All tables are as they were loaded while views are filled for the first time.
    loads = []
    for query in plan.queries:
        loads.append(usual_load(session, clock, query.sql, plan.loads))
        bench.say(f"{query.name}: filled in {loads[-1]}")
    if plan.cached:
        bench.say("taking the tables into Spark's memory")
        plain.hold_tables(query.sql for query in plan.queries)
    views = []
    for number, query in enumerate(plan.queries):
        recompute = plain.recompute(query.sql, plan.repeat)
        release_heap(session.spark)
        bench.say(f"{query.name}: plain Spark {recompute}")
        undo = number % 2 == 1
        views.append(bench.keep(query, batches, recompute, loads[number], undo=undo))
    plain.let_go()
    return views


@dataclass(frozen=True, slots=True)
class _Bench:
    """One home, and what is measured in it."""

    session: Session
    clock: Clock
    plan: RefreshPlan
    say: Say

    def keep(
        self,
        query: CorpusQuery,
        batches: Mapping[float, list[ChangeBatch]],
        recompute: Cost,
        load: RunCost,
        *,
        undo: bool,
    ) -> ViewFigures:
        """Keep a view through all changes; `undo` takes them back, last first."""
        plan = self.plan
        view = Keeping(self.session, self.clock, query.sql)
        view.fill()
        view.wait_for_merges()
        shares = {}
        for share in reversed(plan.shares) if undo else plan.shares:
            changes = reversed(batches[share]) if undo else batches[share]
            steps = [view.change(batch, undo=undo) for batch in changes]
            shares[share] = usual_step(steps[plan.warm_ups :])
            self.say(f"{query.name}: {share:.2%} {shares[share].refresh}")
        # The next view must not pay for what this one left to the background.
        merging = view.wait_for_merges()
        exact = view.is_exact() if plan.verify else None
        view.drop()
        ordered = {share: shares[share] for share in plan.shares}
        return ViewFigures(
            query.name,
            recompute,
            load,
            ordered,
            merging,
            view.state_bytes,
            exact,
            tuple(view.forecasts),
        )
