"""What a run of ours costs, with what it left to Spark, and what goes on behind it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.api import Session
from slackwater.bench.machine import Clock, Cost, typical
from slackwater.running.results import RunResult
from slackwater.spark.metering import Metrics
from slackwater.workloads.bags import negate
from slackwater.workloads.database import ChangeBatch

_MERGE_THREAD = "slackwater-merge"
"""The name of the thread in which a home merges its files."""


@dataclass(slots=True)
class RunCost(Cost):
    """What a run cost, and how much of it was Spark's."""

    jobs: int = 0
    """Spark jobs; of several runs the most."""
    left_to_spark: tuple[str, ...] = ()
    """Why there are jobs: the driver's own reasons, or that it was not for the driver."""

    @property
    def remark(self) -> str:
        """The jobs and their reasons; empty without jobs.

        >>> RunCost(jobs=2, left_to_spark=("a column of type double",)).remark
        '2 Spark jobs (a column of type double)'
        """
        if not self.jobs:
            return ""
        plural = "s" if self.jobs != 1 else ""
        return f"{self.jobs} Spark job{plural} ({'; '.join(self.left_to_spark)})"


def typical_run(runs: Sequence[RunCost]) -> RunCost:
    """The median of each figure, the most jobs, and all reasons."""
    usual = typical(runs)
    reasons = dict.fromkeys(reason for each in runs for reason in each.left_to_spark)
    return RunCost(
        usual.seconds, usual.cpu, usual.rows, max(each.jobs for each in runs), tuple(reasons)
    )


def timed_refresh(session: Session, clock: Clock) -> tuple[RunCost, RunResult]:
    """Refresh, and what that cost."""
    with clock.measure() as cost:
        result = session.refresh()
    metrics = result.metrics
    run = RunCost(cost.seconds, cost.cpu, metrics.rows_read, metrics.jobs, spark_reasons(metrics))
    return run, result


def spark_reasons(metrics: Metrics) -> tuple[str, ...]:
    """Why a run has Spark jobs."""
    if metrics.left_to_spark or not metrics.jobs:
        return metrics.left_to_spark
    return ("all of it, cheaper there by its prices",)


def timed_ingest(session: Session, clock: Clock, batch: ChangeBatch, *, undo: bool = False) -> Cost:
    """Take a change of several tables in, or back, and what that cost."""
    changes = {name: negate(each) if undo else each for name, each in batch.items()}
    with clock.measure() as cost:
        for name, change in changes.items():
            session.ingest(name, change)
    cost.rows = sum(change.num_rows for change in changes.values())
    return cost


def wait_for_merges(clock: Clock) -> Cost:
    """Let what is merged in the background come to its end, and what that still cost.

    Nobody else's clock should run meanwhile. The next refresh makes the files part of its home.
    """
    with clock.measure() as cost:
        for thread in threading.enumerate():
            if thread.name == _MERGE_THREAD:
                thread.join()
    return cost
