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


@pytest.mark.parametrize(
    ("fault", "batches", "doing"), [("segment.writing", 2, "ingest"), ("segment.written", 3, "run")]
)
def test_what_fails_because_its_workers_die_changes_nothing(
    spark: SparkSession, tmp_path: Path, fault: str, batches: int, doing: str
) -> None:
    keeping = Keeping(tmp_path, spark)
    require_sound(keeping.run(batches=batches))
    ended = keeping.run(batches=1, worker_fault=fault)
    assert (ended.signal, ended.last) == (0, "failed")
    assert ended.journal[-2]["event"] == {"ingest": "ingest", "run": "recovered"}[doing]
    keeping.let_time_pass()
    ended = keeping.run(batches=2)
    require_sound(ended)
    recovered = ended.facts("recovered")
    assert recovered["item"] + recovered["label"] == batches


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
        assert "AssertionError" not in (ended.failure or "")
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
