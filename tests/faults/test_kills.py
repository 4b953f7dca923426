"""Law 2: killed anywhere, the next process goes on from the last commit; nothing lost or doubled."""

from __future__ import annotations

import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.faults import POINTS

from .kills import Ended, Keeping

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


def test_every_point_is_killed_at() -> None:
    assert {fault.partition(":")[0] for fault in FAULTS} == set(POINTS)


@pytest.fixture(scope="module")
def keeping(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeping]:
    """One home for all kills of this module: each begins where the last one died."""
    keeping = Keeping(tmp_path_factory.mktemp("kills"), spark)
    yield keeping
    ended = keeping.run(batches=1)
    require_sound(ended)


def require_sound(ended: Ended) -> None:
    """It recovered, found everything right, and came to its own end."""
    assert ended.failure is None, ended.failure
    assert ended.signal == 0
    assert ended.facts("swept")["orphans"] == ended.facts("swept")["removed"]
    assert ended.facts("end")["orphans"] == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_killed_at_a_point(keeping: Keeping, fault: str) -> None:
    ended = keeping.run(batches=12, fault=fault, verify=False)
    assert ended.failure is None, ended.failure
    assert ended.signal == signal.SIGKILL, f"{fault} was never reached"
    keeping.let_time_pass()


@pytest.mark.deep
def test_killed_at_any_time(spark: SparkSession, tmp_path: Path) -> None:
    """Two hundred deaths of one home: half at points with random numbers, half at random times."""
    keeping, random_ = Keeping(tmp_path, spark), random.Random(SEED)
    for _ in range(KILLS // 2):
        _die(keeping, fault=f"{random_.choice(sorted(POINTS))}:{random_.randint(1, 12)}")
        _die(keeping, kill_after=random_.uniform(0.2, LIFE))
    require_sound(keeping.run(batches=4))
