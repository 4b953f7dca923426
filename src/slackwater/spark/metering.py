"""Measures what a piece of work costs on Spark: time, processor seconds, rows and bytes."""

from __future__ import annotations

import os
import resource
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from py4j.protocol import Py4JError
from pyspark.accumulators import Accumulator
from pyspark.sql import SparkSession

from slackwater.spark.session import local_cores
from slackwater.state.counters import ReadCounters
from slackwater.state.worker import ReadCountersParam

_NANO = 1e-9
_MILLI = 1e-3


@dataclass(frozen=True, slots=True)
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
    exchanges: int = 0
    """Between blocks of a program that tasks carry out themselves."""
    bytes_exchanged: int = 0
    """What these moved, before Spark compresses it; state that stays where it is does not count."""
    rows_written: int = 0
    state_bytes_written: int = 0
    phases: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds by phase: planning, on the driver, building, computing, committing.

    What is built are Spark's frames and plans; what is computed is its job.
    """
    parts: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds of the phase on the driver by kind of work."""
    task_parts: Mapping[str, float] = field(default_factory=dict)
    """Seconds of Spark's tasks by kind of work.

    Tasks run side by side, so that they may add up to more than the phase took.
    """
    estimates: Mapping[str, float | None] = field(default_factory=dict)
    """How good the forecast of the run was: the median factor of rows, and the seconds it told."""
    left_to_spark: tuple[str, ...] = ()
    """Why parts of a run were left to statements of Spark's."""
    engine: str = ""
    """Where most of a run was done."""

    @property
    def cpu_seconds(self) -> float:
        """All processor time."""
        driver = self.driver_cpu_seconds + self.jvm_cpu_seconds
        return driver + self.executor_cpu_seconds + self.worker_cpu_seconds

    def with_phase(self, name: str, seconds: float) -> Metrics:
        """The same with a phase that came after the measuring."""
        phases = {**self.phases, name: self.phases.get(name, 0.0) + seconds}
        return replace(self, wall_seconds=self.wall_seconds + seconds, phases=phases)

    def as_dict(self) -> dict[str, Any]:
        """For history and JSON."""
        return {**asdict(self), "cpu_seconds": self.cpu_seconds}


@dataclass(slots=True)
class Told:
    """What work says of itself while it is metered."""

    engine: str = ""
    """Where most of it is done."""
    parts: dict[str, float] = field(default_factory=dict)
    task_parts: dict[str, float] = field(default_factory=dict)
    exchanges: int = 0
    bytes_exchanged: int = 0
    left_to_spark: list[str] = field(default_factory=list)


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
        """The result, once the measured block has ended."""
        self.read_here = ReadCounters()
        """For what is read on the driver."""
        self.phases: dict[str, float] = {}
        """Wall seconds by phase, also of those after the measured block."""
        self.told = Told()
        """What the work says of itself."""

    @cached_property
    def read_in_workers(self) -> Accumulator[ReadCounters]:
        """For what Python workers read and do."""
        return self._context.accumulator(ReadCounters(), ReadCountersParam())

    @contextmanager
    def measure(self, description: str) -> Iterator[None]:
        """Meter everything that runs in the block."""
        group = f"slackwater-{uuid.uuid4().hex}"
        self._context.setJobGroup(group, description)
        java = _java_cpu_gauge(self._context._gateway)
        started, cpu, java_cpu = time.perf_counter(), _own_cpu(), java.getValue()
        try:
            yield
        finally:
            wall = time.perf_counter() - started
            own = _own_cpu() - cpu
            of_java = (java.getValue() - java_cpu) * _NANO
            self._context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
            work = self._work(group)
            if local_cores(self._context.master or "local") is not None:
                # Tasks are threads of the same process.
                of_java -= work.executor_cpu_seconds
            self.metrics = replace(
                work,
                wall_seconds=wall,
                driver_cpu_seconds=own,
                jvm_cpu_seconds=max(0.0, of_java),
                phases=dict(self.phases),
                parts=dict(self.told.parts),
                left_to_spark=tuple(self.told.left_to_spark),
                engine=self.told.engine,
                exchanges=self.told.exchanges,
                bytes_exchanged=self.told.bytes_exchanged,
            )

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Wall time of a part, by name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self.phases[name] = self.phases.get(name, 0.0) + spent

    def add_parts(self, seconds: Mapping[str, float]) -> None:
        """Add wall seconds by kind of work."""
        _add(self.told.parts, seconds)

    def add_task_parts(self, seconds: Mapping[str, float]) -> None:
        """Add what a task says of its seconds by kind of work."""
        _add(self.told.task_parts, seconds)

    def note_exchanges(self, count: int, size: int) -> None:
        """Count exchanges between blocks, and the bytes that they moved."""
        self.told.exchanges += count
        self.told.bytes_exchanged += size

    def leave_to_spark(self, reason: str) -> None:
        """Remember why a part is left to statements of Spark's."""
        if reason not in self.told.left_to_spark:
            self.told.left_to_spark.append(reason)

    def _work(self, group: str) -> Metrics:
        """The work of Spark's jobs in a group, with what was counted here and in workers."""
        jobs, stages = self._stages(group)
        here, workers = self.read_here, self._counted_in_workers()
        own = [each for each in stages if self._reads_files]
        return Metrics(
            executor_cpu_seconds=sum(each.cpu for each in stages) * _NANO,
            worker_cpu_seconds=workers.cpu * _NANO,
            jobs=jobs,
            stages=len(stages),
            tasks=sum(each.tasks for each in stages),
            rows_read=here.rows + workers.rows + sum(each.rows_read for each in own),
            bytes_read=here.bytes + workers.bytes + sum(each.bytes_read for each in own),
            rows_shuffled=sum(each.rows_shuffled for each in stages),
            bytes_shuffled=sum(each.bytes_shuffled for each in stages),
            task_parts=_task_parts(stages, workers, self.told.task_parts) if stages else {},
        )

    def _counted_in_workers(self) -> ReadCounters:
        # Nobody may have asked for the accumulator, as in runs on the driver.
        return self.read_in_workers.value if "read_in_workers" in vars(self) else ReadCounters()

    def _stages(self, group: str) -> tuple[int, list[_Stage]]:
        """The number of jobs of a group, and what Spark's status store knows of their stages."""
        tracker = self._context.statusTracker()
        context: Any = self._context._jsc.sc()
        found = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        jobs = [job for job in found if job is not None]
        stages = {stage for job in jobs for stage in job.stageIds}
        if stages:
            context.listenerBus().waitUntilEmpty()
        store = context.statusStore()
        known = []
        for stage in sorted(stages):
            try:
                data = store.lastStageAttempt(stage)
                if data.numCompleteTasks():
                    known.append(_Stage.of(data, store.executorSummary(stage, data.attemptId())))
            except Py4JError:
                continue
        return len(jobs), known


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage as Spark counts it: processor time in nanoseconds, other times in milliseconds."""

    tasks: int
    cpu: int
    """Processor time of its tasks, to read what they are to do included."""
    rows_read: int
    bytes_read: int
    rows_shuffled: int
    bytes_shuffled: int
    launched: int
    """Time of its tasks from their launch until the driver has their results."""
    running: int
    """From the first row until the last."""
    running_cpu: int
    """Processor time of the running."""
    shuffle_waits: int

    @staticmethod
    def of(data: Any, executors: Any) -> _Stage:
        """Read it from what the status store gives."""
        launched = 0
        each = executors.valuesIterator()
        while each.hasNext():
            launched += int(each.next().taskTime())
        running_cpu = int(data.executorCpuTime())
        return _Stage(
            tasks=int(data.numCompleteTasks()),
            cpu=running_cpu + int(data.executorDeserializeCpuTime()),
            rows_read=int(data.inputRecords()),
            bytes_read=int(data.inputBytes()),
            rows_shuffled=int(data.shuffleWriteRecords()),
            bytes_shuffled=int(data.shuffleWriteBytes()),
            launched=launched,
            running=int(data.executorRunTime()),
            running_cpu=running_cpu,
            shuffle_waits=int(data.shuffleFetchWaitTime()),
        )


def _task_parts(
    stages: list[_Stage], workers: ReadCounters, told: Mapping[str, float]
) -> dict[str, float]:
    """Seconds of tasks by kind of work; beside it, Java waits for workers and processors.

    What tasks have `told` themselves is more exact than what Spark and the workers count.
    """
    running = sum(each.running for each in stages) * _MILLI
    counted = {
        "Python": (workers.cpu - workers.files_cpu) * _NANO,
        "reading state": workers.reading * _NANO,
        "writing state": workers.writing * _NANO,
    }
    known = {
        "Java": sum(each.running_cpu for each in stages) * _NANO,
        **(told or counted),
        "shuffle waits": sum(each.shuffle_waits for each in stages) * _MILLI,
    }
    return {
        "scheduling": max(0.0, sum(each.launched for each in stages) * _MILLI - running),
        **known,
        "other waits": max(0.0, running - sum(known.values())),
    }


def _add(totals: dict[str, float], seconds: Mapping[str, float]) -> None:
    for kind, spent in seconds.items():
        totals[kind] = totals.get(kind, 0.0) + spent


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
