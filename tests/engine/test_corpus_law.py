"""Law 1: after every run each view of the corpus is what plain Spark gives on the same data.

The histories hold inserts, deletes, updates, a batch without rows and one that undoes the one
before. Every second home is filled before any row has come, so that the load itself goes
through the rules. The homes of the sample take the three ways in turn; the whole corpus goes
each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.workloads.change_stream import ChangeSpec

from .corpus import CORPUS, Group, groups, sample
from .harness import Way, data_set, keep, view_of

_SAMPLE = groups(sample(56, seed=7), size=16)
_ALL = groups(CORPUS, size=16)
_WAYS = tuple(Way)


def _history(seed: int, batches: int) -> ChangeSpec:
    return ChangeSpec(
        seed=seed,
        batches=batches,
        delete_share=0.25,
        update_share=0.3,
        include_empty=True,
        include_undo=True,
    )


def _check(
    spark: SparkSession,
    folder: Path,
    group: Group,
    spec: ChangeSpec,
    *,
    every: int,
    ways: Sequence[Way],
) -> None:
    views = [view_of(query) for query in group.queries]
    data = data_set(group.data).read_by(views)
    broken = keep(
        spark,
        folder,
        data,
        views,
        data.history(spec),
        empty_first=spec.seed % 2 == 0,
        every=every,
        ways=ways,
    )
    found = [str(each) for each in broken]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("group", _SAMPLE, ids=str)
def test_sample_stays_exact(group: Group, spark: SparkSession, tmp_path: Path) -> None:
    history = _history(seed=group.number, batches=5)
    _check(spark, tmp_path, group, history, every=2, ways=[_WAYS[group.number % len(_WAYS)]])


@pytest.mark.deep
@pytest.mark.parametrize("group", _ALL, ids=str)
def test_corpus_stays_exact(group: Group, spark: SparkSession, tmp_path: Path) -> None:
    history = _history(seed=group.number, batches=7)
    _check(spark, tmp_path, group, history, every=1, ways=_WAYS)
