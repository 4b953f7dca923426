"""Slackwater's part: `ingest` of both tables and one `refresh`, both committed and on disk."""

from __future__ import annotations

from time import perf_counter

import pyarrow.parquet as pq

from slackwater.api import Session, open_home
from slackwater.bench.peers.task import Task, task_of_this_process, tell, write_answer
from slackwater.bench.refresh import KEEP_LITTLE, ROWS_IN_MEMORY
from slackwater.spark.session import open_spark


def main() -> None:
    """Load, follow the changes, hand over the answers."""
    task = task_of_this_process()
    home = f"{task.work}/home"
    # With the heap that users get: what the product needs is part of what is compared.
    with open_spark() as spark, open_home(home, spark, retention=KEEP_LITTLE) as session:
        tell(version=f"on Spark {spark.version}")
        started = perf_counter()
        _load(session, task)
        session.refresh()
        tell(loaded=perf_counter() - started)
        for number in range(task.changes):
            _follow(session, task, number)
        for view in task.views:
            write_answer(task, view, session.view(view).read().toArrow())


def _load(session: Session, task: Task) -> None:
    for name, key in task.keys.items():
        file = task.table(name)
        rows = pq.read_metadata(file).num_rows
        frame = session.spark.read.parquet(str(file))
        session.create_source(name, frame.schema, key=[key])
        session.ingest(name, pq.read_table(file) if rows < ROWS_IN_MEMORY else frame)
        tell(rows=rows)
    for view, sql in task.views.items():
        session.create_view(view, sql)


def _follow(session: Session, task: Task, number: int) -> None:
    started = perf_counter()
    for name in task.keys:
        session.ingest(name, pq.read_table(task.change(number, name)))
    ingested = perf_counter()
    session.refresh()
    tell(ingest=ingested - started, refresh=perf_counter() - started)


if __name__ == "__main__":
    main()
