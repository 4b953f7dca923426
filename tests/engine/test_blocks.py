"""Programs in blocks: one job, exact, whatever becomes of a task."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark import TaskContext, cloudpickle
from pyspark.sql import SparkSession

from slackwater.api import Session
from slackwater.api.forced import open_forced
from slackwater.errors import ExecutionError
from slackwater.executors.spark import block_executor
from slackwater.executors.spark.block_task import BlockTask
from slackwater.workloads.change_stream import ChangeSpec

from .corpus import CORPUS
from .harness import Way, data_set, keep, quick_session, view_of

VIEWS = {
    "joined": "SELECT a.k, a.v, b.w FROM a JOIN b ON a.k = b.k",
    "sums": "SELECT g, count(*) n, sum(v) s, max(v) m FROM a GROUP BY g",
    "ranks": "SELECT k, v, row_number() OVER (PARTITION BY g ORDER BY v, k) n FROM a",
    "lefts": "SELECT a.k, a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w",
    "groups": "SELECT DISTINCT g FROM a",
    "shares": "SELECT g, sum(v * w) s FROM a JOIN b ON a.k = b.k GROUP BY g",
    "all": "SELECT count(*) n, sum(w) s FROM b",
}


def a(numbers: range) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([n * 7 % 41 for n in numbers], pa.int64()),
            "v": pa.array(list(numbers), pa.int64()),
            "g": [f"g{n % 5}" for n in numbers],
        }
    )


def b(numbers: range) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([n * 3 % 41 for n in numbers], pa.int64()),
            "w": pa.array(list(numbers), pa.int64()),
        }
    )


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    with open_forced(tmp_path / "home", quick_session(spark), driver_rows=0, partitions=2) as it:
        it.create_source("a", "k BIGINT, v BIGINT, g STRING")
        it.create_source("b", "k BIGINT, w BIGINT")
        yield it


def make(session: Session) -> None:
    for name, sql in VIEWS.items():
        session.create_view(name, sql)
    session.ingest("a", a(range(200)))
    session.ingest("b", b(range(60)))


def require_exact(session: Session) -> None:
    assert [name for name in session.views() if not session.verify(name).equal] == []


def test_all_views_of_a_run_are_one_job_of_few_stages(session: Session) -> None:
    make(session)
    session.refresh()
    session.ingest("a", a(range(200, 220)))
    session.ingest("b", b(range(10)), op="delete")
    metrics = session.refresh().metrics
    assert (metrics.engine, metrics.jobs) == ("spark", 1)
    assert metrics.stages == metrics.exchanges + 1
    assert metrics.tasks == 2 * metrics.stages
    assert not metrics.left_to_spark
    assert metrics.bytes_exchanged > 0
    require_exact(session)
    told = str(session.view("sums").explain("cost"))
    assert f"exchanges between blocks {metrics.exchanges}" in told
    assert "s in all, in Spark" in told


def test_what_only_spark_knows_is_left_to_its_statements(session: Session) -> None:
    make(session)
    session.create_view("texts", "SELECT g, to_xml(named_struct('k', k % 3)) x FROM a")
    metrics = session.refresh().metrics
    assert any("texts" not in reason and reason for reason in metrics.left_to_spark)
    session.ingest("a", a(range(200, 205)))
    session.refresh()
    require_exact(session)


def test_a_statement_that_fails_in_tasks_is_judged_by_spark(session: Session) -> None:
    make(session)
    session.create_view("tens", "SELECT CAST(concat('1', g) AS INT) t FROM a WHERE v >= 1000")
    session.refresh()
    session.ingest("b", b(range(60, 70)))
    session.ingest("a", a(range(1000, 1003)))
    with pytest.raises(ExecutionError, match="CAST_INVALID_INPUT"):
        session.refresh()
    session.drop_view("tens")
    session.refresh()
    require_exact(session)


def test_tpch_views_in_blocks_are_what_plain_spark_computes(
    spark: SparkSession, tmp_path: Path
) -> None:
    wanted = {f"tpch/q{n:02}" for n in (1, 3, 13, 17, 18, 22)}
    views = [view_of(query) for query in CORPUS if query.name in wanted]
    assert len(views) == len(wanted)
    data = data_set("tpch").read_by(views)
    spec = ChangeSpec(seed=3, batches=4, delete_share=0.25, update_share=0.3)
    broken = keep(spark, tmp_path, data, views, data.history(spec), ways=(Way.INDEX,))
    assert [str(each) for each in broken] == []


class FailsOnce(BlockTask):
    """The second block of a run fails once everywhere, when all of it is done."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from super().__call__(batches)
        context = TaskContext.get()
        assert context is not None
        mark = self.home / f"failed-{self.stem}-{context.partitionId()}"
        if self.blocks[0] == 1:
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            raise OSError("a task that fails for once")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    monkeypatch.setattr(block_executor, "BlockTask", FailsOnce)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.usefixtures("failing")
def test_a_task_that_fails_is_taken_again_or_changes_nothing(
    spark: SparkSession, session: Session
) -> None:
    make(session)
    if spark.sparkContext.master.startswith("local["):
        # Nobody takes a task again.
        with pytest.raises(ExecutionError, match="changed nothing"):
            session.refresh()
        assert not session.view("sums").read().count()
        return
    session.refresh()
    session.ingest("a", a(range(200, 220)))
    session.ingest("a", a(range(5)), op="delete")
    session.refresh()
    require_exact(session)
