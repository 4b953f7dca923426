"""The base of the callables that run in Spark's Python workers."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext
from pyspark.accumulators import AccumulatorParam

from slackwater.state.counters import Ledger, ReadCounters, StepLedger

Batches = Iterator[pa.RecordBatch]

_MANY_OBJECTS = 10_000


def metered(
    work: Callable[[Batches, ReadCounters], Batches], batches: Batches, ledger: Ledger | None
) -> Batches:
    """The batches of some work; what it counted goes to the ledger when they are through."""
    if TaskContext.get() is not None:
        spare_the_collector()
    counters, started = ReadCounters(), time.thread_time_ns()
    given, made = _Counter(), _Counter()
    try:
        yield from made.count(work(given.count(batches), counters))
    finally:
        if ledger is not None:
            counters.cpu = time.thread_time_ns() - started
            if isinstance(ledger, StepLedger):
                counters.steps[ledger.step] = given.rows, made.rows
            ledger.add(counters)


@dataclass(slots=True)
class _Counter:
    """Counts the rows of batches as they pass."""

    rows: int = 0

    def count(self, batches: Batches) -> Batches:
        """The same batches."""
        for batch in batches:
            self.rows += batch.num_rows
            yield batch


def spare_the_collector() -> None:
    """Exclude loaded modules from a worker's garbage collection.

    Spark's worker collects garbage after every task, which walks all that was ever imported: 40
    ms, many times what a small task takes. What is still there after that is here to stay.
    """
    if len(gc.get_objects(generation=2)) > _MANY_OBJECTS:
        gc.freeze()


def task_numbers() -> tuple[int, int]:
    """The partition this task computes and the unique number of its attempt."""
    context = TaskContext.get()
    if context is None:
        return 0, 0
    return context.partitionId(), context.taskAttemptId()


class ReadCountersParam(AccumulatorParam[ReadCounters]):
    """How Spark adds up the counters of workers.

    A task that is repeated, because it failed or was slow, is counted each time.
    """

    def zero(self, value: ReadCounters) -> ReadCounters:
        """Nothing is counted yet."""
        return type(value)()

    def addInPlace(self, value1: ReadCounters, value2: ReadCounters) -> ReadCounters:  # noqa: N802 - Spark's name
        """Both together."""
        value1.add(value2)
        return value1
