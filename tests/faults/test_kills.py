"""Killed anywhere, the next process goes on from the last commit: nothing lost, nothing doubled."""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.faults import POINTS

from .kills import Keeping, require_sound

FAULTS = (
    "migrate.inside",
    "recover.before",
    "recover.after",
    "commit.inside:3",  # while sources and views are declared
    "ingest.before",
    "ingest.written",
    "run.before:2",
    "run.written:2",
    "segment.writing",
    "segment.written:2",
    "pack.writing:2",
    "pack.written",
    "commit.before:2",
    "commit.inside:2",
    "commit.after:2",
    "compact.before",
    "compact.written",
    "collect.pruned:2",
    "collect.deleting:2",
    "collect.deleted:2",
    "sweep.deleting",
)
IN_WORKERS = {"block.taken"}
"""The points that no process which keeps a home comes to; `test_workers.py` kills there."""
REPEATED = sorted(set(POINTS) - {"migrate.inside"} - IN_WORKERS)
"""The points that an old home comes to as well."""
DEATHS = 200
LONGEST_LIFE = 8.0
"""Seconds; enough for a process to recover and to work for a while."""


def test_every_point_is_killed_at() -> None:
    assert {fault.partition(":")[0] for fault in FAULTS} == set(POINTS) - IN_WORKERS


@pytest.fixture(scope="module")
def keeping(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeping]:
    """One home for all kills of this module: each begins where the last one died."""
    keeping = Keeping(tmp_path_factory.mktemp("kills"), spark)
    yield keeping
    ended = keeping.run(batches=1)
    require_sound(ended)


@pytest.mark.parametrize("fault", FAULTS)
def test_killed_at_a_point(keeping: Keeping, fault: str) -> None:
    ended = keeping.run(batches=12, fault=fault, verify=False)
    assert ended.failure is None, ended.failure
    assert ended.signal == signal.SIGKILL, f"{fault} was never reached"
    keeping.let_time_pass()


@pytest.mark.deep
def test_killed_at_any_time(spark: SparkSession, tmp_path: Path) -> None:
    """Many deaths of one home, in turn at a random arrival at a point and at a random time.

    Two lives on the driver are followed by two that leave everything to Spark.
    """
    keeping, chance = Keeping(tmp_path, spark), random.Random(1)
    died: Counter[str] = Counter()
    removed = number = 0
    while died.total() < DEATHS:
        number += 1
        in_spark = number % 4 > 1
        if number % 2:
            fault = f"{chance.choice(REPEATED)}:{chance.randint(1, 4)}"
            ended = keeping.run(20, fault=fault, verify=number % 10 == 1, in_spark=in_spark)
            where = fault.partition(":")[0]
        else:
            life = chance.uniform(0.1, LONGEST_LIFE)
            ended = keeping.run(20, life, verify=False, in_spark=in_spark)
            where = f"after {ended.last}"
        assert ended.failure is None, ended.failure
        died[where] += ended.signal == signal.SIGKILL
        removed += ended.removed
        keeping.let_time_pass()
        assert number < 2 * DEATHS, f"most lives end by themselves: {died}"
    last = keeping.run(batches=4)
    require_sound(last)
    batches = sum(last.facts("done")[name] for name in ("item", "label"))
    summary = {"lives": number, "died": died, "removed": removed, "batches": batches}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
