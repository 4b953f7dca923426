"""Measures what a piece of work costs on Spark: time, processor seconds, rows and bytes."""

from __future__ import annotations

import os
import resource
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from py4j.protocol import Py4JError
from pyspark.accumulators import Accumulator
from pyspark.sql import SparkSession

from slackwater.spark.session import local_cores
from slackwater.state.counters import ReadCounters, ReadCountersParam

_NANO = 1e-9
_MILLI = 1e-3


@dataclass(slots=True)
class Metrics:
    """Measurements of work. What Spark did twice, because a task failed, is counted twice."""

    wall_seconds: float = 0.0
    driver_cpu_seconds: float = 0.0
    """Processor time of the driver's Python process, with what it merges in the background."""
    jvm_cpu_seconds: float = 0.0
    """Processor time of the driver's Java outside of tasks, to a hundredth of a second.

    Planning and scheduling; but also compiling, collecting garbage, and whatever else runs in
    that Java at the time, for another session or home.
    """
    executor_cpu_seconds: float = 0.0
    """Processor time of tasks inside the JVM."""
    worker_cpu_seconds: float = 0.0
    """Processor time of Python workers in look-ups, readers and writers."""
    jobs: int = 0
    stages: int = 0
    tasks: int = 0
    rows_read: int = 0
    """Rows of state and of batches, as they are stored, each time they were read."""
    bytes_read: int = 0
    """Bytes of the columns of these rows that were read, in Arrow's form as files hold it."""
    rows_shuffled: int = 0
    bytes_shuffled: int = 0
    rows_written: int = 0
    state_bytes_written: int = 0
    phases: dict[str, float] = field(default_factory=dict)
    """Wall seconds by phase: planning, on the driver, building, computing, committing.

    What is built are Spark's frames and plans; what is computed is its job.
    """
    parts: dict[str, float] = field(default_factory=dict)
    """Wall seconds of the phase on the driver by kind of work."""
    task_parts: dict[str, float] = field(default_factory=dict)
    """Seconds of Spark's tasks by kind of work.

    Tasks run side by side, so that they may add up to more than the phase took.
    """
    estimates: dict[str, float | None] = field(default_factory=dict)
    """The errors of the run's forecast: the median factor of rows, and the seconds it told."""
    left_to_spark: list[str] = field(default_factory=list)
    """Reasons why parts of a run that was for the driver went to Spark all the same."""

    @property
    def cpu_seconds(self) -> float:
        """All processor time."""
        driver = self.driver_cpu_seconds + self.jvm_cpu_seconds
        return driver + self.executor_cpu_seconds + self.worker_cpu_seconds

    def as_dict(self) -> dict[str, Any]:
        """For history and JSON."""
        return {**asdict(self), "cpu_seconds": self.cpu_seconds}


class Meter:
    """Counts the Spark work that is done while it is open."""

    def __init__(self, session: SparkSession, *, reads_files: bool = False):
        """Nothing is counted yet.

        With `reads_files` Spark itself reads what is worked on, and its own count of that is
        taken. In runs it would be of rows that are read again within a run.
        """
        self._context = session.sparkContext
        self._reads_files = reads_files
        self.metrics = Metrics()
        self.read_here = ReadCounters()
        """For what is read on the driver."""

    @cached_property
    def read_in_workers(self) -> Accumulator[ReadCounters]:
        """For what Python workers read and do."""
        return self._context.accumulator(ReadCounters(), ReadCountersParam())

    @contextmanager
    def measure(self, description: str) -> Iterator[Metrics]:
        """Meter everything that runs in the block."""
        group = f"slackwater-{uuid.uuid4().hex}"
        self._context.setJobGroup(group, description)
        java = _java_cpu_gauge(self._context._gateway)
        started, cpu, java_cpu = time.perf_counter(), _own_cpu(), java.getValue()
        try:
            yield self.metrics
        finally:
            self.metrics.wall_seconds = time.perf_counter() - started
            self.metrics.driver_cpu_seconds = _own_cpu() - cpu
            of_java = (java.getValue() - java_cpu) * _NANO
            self._context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
            tasks = self._read_stages(group)
            if local_cores(self._context.master or "local") is not None:
                # Tasks are threads of the same process.
                of_java -= self.metrics.executor_cpu_seconds
            self.metrics.jvm_cpu_seconds = max(0.0, of_java)
            self._read_tallies(tasks)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Wall time of a part, by name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self.metrics.phases[name] = self.metrics.phases.get(name, 0.0) + spent

    def add_parts(self, seconds: Mapping[str, float]) -> None:
        """Add wall seconds by kind of work."""
        parts = self.metrics.parts
        for kind, spent in seconds.items():
            parts[kind] = parts.get(kind, 0.0) + spent

    def leave_to_spark(self, reason: str) -> None:
        """Remember why the driver did not do a part."""
        if reason not in self.metrics.left_to_spark:
            self.metrics.left_to_spark.append(reason)

    def _read_tallies(self, tasks: _TaskTimes) -> None:
        """Take in what was counted here and in workers."""
        workers = self._counted_in_workers()
        totals = self.metrics
        totals.rows_read += self.read_here.rows + workers.rows
        totals.bytes_read += self.read_here.bytes + workers.bytes
        totals.worker_cpu_seconds = workers.cpu * _NANO
        if totals.tasks:
            totals.task_parts = tasks.parts(workers)

    def _counted_in_workers(self) -> ReadCounters:
        # Nobody may have asked for the accumulator, as in runs on the driver.
        return self.read_in_workers.value if "read_in_workers" in vars(self) else ReadCounters()

    def _read_stages(self, group: str) -> _TaskTimes:
        """Add up what Spark's own status store knows of the jobs of the group."""
        tracker = self._context.statusTracker()
        context: Any = self._context._jsc.sc()
        stages: set[int] = set()
        for job in tracker.getJobIdsForGroup(group):
            info = tracker.getJobInfo(job)
            if info is not None:
                self.metrics.jobs += 1
                stages.update(info.stageIds)
        if stages:
            context.listenerBus().waitUntilEmpty()
        store = context.statusStore()
        times = _TaskTimes()
        for stage in sorted(stages):
            try:
                data = store.lastStageAttempt(stage)
                if data.numCompleteTasks():
                    self._add_stage(data)
                    times.add(data, store.executorSummary(stage, data.attemptId()))
            except Py4JError:
                continue
        return times

    def _add_stage(self, data: Any) -> None:
        totals = self.metrics
        totals.stages += 1
        totals.tasks += int(data.numCompleteTasks())
        worked = int(data.executorCpuTime()) + int(data.executorDeserializeCpuTime())
        totals.executor_cpu_seconds += worked * _NANO
        if self._reads_files:
            totals.rows_read += int(data.inputRecords())
            totals.bytes_read += int(data.inputBytes())
        totals.rows_shuffled += int(data.shuffleWriteRecords())
        totals.bytes_shuffled += int(data.shuffleWriteBytes())


@dataclass(slots=True)
class _TaskTimes:
    """Seconds of tasks, as Spark counts them."""

    whole: float = 0.0
    """From their launch until the driver has their results."""
    running: float = 0.0
    """From the first row until the last."""
    java: float = 0.0
    """Processor time of the running."""
    shuffle_waits: float = 0.0

    def add(self, stage: Any, executors: Any) -> None:
        """Add those of a stage."""
        self.running += int(stage.executorRunTime()) * _MILLI
        self.java += int(stage.executorCpuTime()) * _NANO
        self.shuffle_waits += int(stage.shuffleFetchWaitTime()) * _MILLI
        each = executors.valuesIterator()
        while each.hasNext():
            self.whole += int(each.next().taskTime()) * _MILLI

    def parts(self, workers: ReadCounters) -> dict[str, float]:
        """Seconds by kind of work; what Java waits for beside it are workers and processors."""
        known = {
            "Java": self.java,
            "Python": (workers.cpu - workers.files_cpu) * _NANO,
            "reading state": workers.reading * _NANO,
            "writing state": workers.writing * _NANO,
            "shuffle waits": self.shuffle_waits,
        }
        return {
            "scheduling": max(0.0, self.whole - self.running),
            **known,
            "other waits": max(0.0, self.running - sum(known.values())),
        }


@lru_cache(maxsize=1)
def _java_cpu_gauge(gateway: Any) -> Any:
    """Spark's own gauge of its Java's processor time; to find it takes longer than to read it.

    Java does not let us call the bean that the gauge asks.
    """
    source = gateway.jvm.org.apache.spark.metrics.source.JVMCPUSource()
    return source.metricRegistry().getGauges().get("jvmCpuTime")


def _own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def machine_load() -> float:
    """The machine's load over the last minute, to be noted beside figures."""
    return os.getloadavg()[0]
