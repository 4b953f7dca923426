"""Tasks and executors die: the run is retried, or fails and changes nothing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from slackwater.bench.memory import descendants

from .kills import Ended, Keeping, read_journal, require_sound


def on_cluster(spark: SparkSession) -> None:
    """Skip where nobody retries a task."""
    if not spark.sparkContext.master.startswith("local-cluster"):
        pytest.skip("needs SLACKWATER_TEST_MASTER=local-cluster[2,1,1024]")


@pytest.mark.parametrize("fault", ["segment.writing", "segment.written"])
def test_a_run_whose_workers_always_die_changes_nothing(
    spark: SparkSession, tmp_path: Path, fault: str
) -> None:
    keeping = Keeping(tmp_path, spark)
    require_sound(keeping.run(batches=2))
    ended = keeping.run(batches=1, worker_fault=fault)
    assert ended.journal[-1]["kind"] == "ExecutionError"
    keeping.let_time_pass()
    ended = keeping.run(batches=2)
    require_sound(ended)
    assert ended.facts("recovered")["item"] == 1


def test_tasks_are_retried(spark: SparkSession, tmp_path: Path) -> None:
    on_cluster(spark)
    ended = Keeping(tmp_path, spark).run(batches=4, worker_fault="segment.written:3")
    require_sound(ended)


def test_an_executor_dies(spark: SparkSession, tmp_path: Path) -> None:
    on_cluster(spark)
    keeping = Keeping(tmp_path, spark)
    for _ in range(3):
        ended = _with_executor_killed(spark, keeping)
        assert ended.signal == 0
        if ended.failure is not None:
            assert ended.journal[-1]["kind"] == "ExecutionError", ended.failure
        keeping.let_time_pass()
    require_sound(keeping.run(batches=2))


def _with_executor_killed(spark: SparkSession, keeping: Keeping) -> Ended:
    """A process that loses an executor in the middle of a run."""
    process, journal = keeping.start(batches=4, verify=False)
    while process.is_alive() and not any(e["event"] == "refresh" for e in read_journal(journal)):
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(_executors(spark)[0], signal.SIGKILL)
    return keeping.finish(process, journal)


def _executors(spark: SparkSession) -> list[int]:
    jvm: Any = spark.sparkContext._jvm
    java = int(jvm.java.lang.ProcessHandle.current().pid())
    return [
        process
        for process in descendants(java)
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes()
    ]
