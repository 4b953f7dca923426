"""Plain Spark's part: the history in Spark's memory, all three queries anew after each change.

Changes are merged while the history is read, which spares Spark from writing it again: the
least that recomputation can cost. Answers are kept in memory.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast

from slackwater.bench.machine import bench_spark
from slackwater.bench.peers.task import Task, task_of_this_process, tell, write_answer
from slackwater.bench.plain import plain_setup


def main() -> None:
    """Load, follow the changes, hand over the answers."""
    task = task_of_this_process()
    with bench_spark() as spark:
        tell(version=spark.version)
        for name, value in plain_setup(spark, Path(task.data)).properties.items():
            spark.conf.set(name, value)
        started = perf_counter()
        tables = _Tables(spark, task)
        answers = _Answers(spark, task)
        answers.compute()
        tell(loaded=perf_counter() - started)
        for number in range(task.changes):
            started = perf_counter()
            tables.take(number)
            ingested = perf_counter()
            answers.compute()
            tell(ingest=ingested - started, refresh=perf_counter() - started)
        for view in task.views:
            write_answer(task, view, answers.read(view))


class _Tables:
    """The tables by their names, as of the changes taken so far."""

    def __init__(self, spark: SparkSession, task: Task):
        self._spark = spark
        self._task = task
        self._history: dict[str, DataFrame] = {}
        for name in task.keys:
            history = spark.read.parquet(str(task.table(name))).cache()
            tell(rows=history.count())
            history.createOrReplaceTempView(name)
            self._history[name] = history

    def take(self, last: int) -> None:
        """Take one more change."""
        for name, key in self._task.keys.items():
            files = [self._task.change(number, name) for number in range(last + 1)]
            changes = self._spark.createDataFrame(pa.concat_tables(map(pq.read_table, files)))
            deleted = broadcast(changes.where("_w < 0").select(key))
            inserted = changes.where("_w > 0").drop("_w")
            current = self._history[name].join(deleted, key, "left_anti").unionByName(inserted)
            current.createOrReplaceTempView(name)


class _Answers:
    """The answers of all views, in Spark's memory."""

    def __init__(self, spark: SparkSession, task: Task):
        self._spark = spark
        self._views = task.views
        self._answers: dict[str, DataFrame] = {}

    def compute(self) -> None:
        """Replace all answers."""
        for view, sql in self._views.items():
            old = self._answers.pop(view, None)
            if old is not None:
                old.unpersist()
            answer = self._spark.sql(sql).cache()
            answer.count()
            self._answers[view] = answer

    def read(self, view: str) -> object:
        """One answer, as an Arrow table."""
        return self._answers[view].toArrow()


if __name__ == "__main__":
    main()
