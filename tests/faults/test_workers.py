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

from .kills import Keeping, read_journal, require_sound


def on_cluster(spark: SparkSession) -> None:
    """Skip where nobody retries a task."""
    if not spark.sparkContext.master.startswith("local-cluster"):
        pytest.skip("needs SLACKWATER_TEST_MASTER=local-cluster[2,1,1024]")


@pytest.mark.parametrize(
    ("fault", "batches", "doing"), [("segment.writing", 2, "ingest"), ("block.taken", 3, "run")]
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


@pytest.mark.parametrize("victim", ["worker_daemon", "CoarseGrainedExecutorBackend"])
def test_a_process_of_the_cluster_dies(spark: SparkSession, tmp_path: Path, victim: str) -> None:
    """Whether Spark's retries save the run or not, what is committed is right."""
    on_cluster(spark)
    keeping = Keeping(tmp_path, spark)
    process, journal = keeping.start(batches=3, verify=False, in_spark=True)
    while process.is_alive() and not any(e["event"] == "refresh" for e in read_journal(journal)):
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(_processes(spark, victim)[-1], signal.SIGKILL)
    ended = keeping.finish(process, journal)
    assert ended.signal == 0
    assert "AssertionError" not in (ended.failure or "")
    keeping.let_time_pass()
    require_sound(keeping.run(batches=1))


def _processes(spark: SparkSession, name: str) -> list[int]:
    """The processes of the cluster whose command holds a name."""
    jvm: Any = spark.sparkContext._jvm
    java = int(jvm.java.lang.ProcessHandle.current().pid())
    return [
        process
        for process in descendants(java)
        if name.encode() in Path(f"/proc/{process}/cmdline").read_bytes()
    ]
