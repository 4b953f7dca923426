"""What the callables that run in Spark's Python workers have in common."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa
from pyspark import TaskContext
from pyspark.accumulators import Accumulator

Batches = Iterator[pa.RecordBatch]


def metered(batches: Batches, cpu: Accumulator[int] | None) -> Batches:
    """The same batches; the nanoseconds this thread worked go to `cpu` when they are through."""
    started = time.thread_time_ns()
    try:
        yield from batches
    finally:
        if cpu is not None:
            cpu.add(time.thread_time_ns() - started)


def task_numbers() -> tuple[int, int]:
    """The partition this task computes and the unique number of its attempt."""
    context = TaskContext.get()
    if context is None:
        return 0, 0
    return context.partitionId(), context.taskAttemptId()
