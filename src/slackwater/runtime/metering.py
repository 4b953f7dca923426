"""Measures what a piece of work costs on Spark: time, processor seconds, rows and bytes."""

from __future__ import annotations

import os
import resource
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark.accumulators import Accumulator
from pyspark.sql import SparkSession

_NANO = 1e-9


@dataclass(slots=True)
class Metrics:
    """What was measured; bytes and rows are Spark's own counts over all stages."""

    wall_seconds: float = 0.0
    driver_cpu_seconds: float = 0.0
    """Processor time of the driver's Python process, with what it merges in the background."""
    executor_cpu_seconds: float = 0.0
    """Processor time of tasks inside the JVM."""
    worker_cpu_seconds: float = 0.0
    """Processor time of Python workers in look-ups and writers."""
    jobs: int = 0
    stages: int = 0
    tasks: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    rows_shuffled: int = 0
    bytes_shuffled: int = 0
    rows_written: int = 0
    state_bytes_written: int = 0
    phases: dict[str, float] = field(default_factory=dict)
    """Wall seconds by phase: planning, on the driver, building, computing, committing."""
    parts: dict[str, float] = field(default_factory=dict)
    """Wall seconds of the phase on the driver by kind of work."""

    @property
    def cpu_seconds(self) -> float:
        """All processor time."""
        return self.driver_cpu_seconds + self.executor_cpu_seconds + self.worker_cpu_seconds

    def as_dict(self) -> dict[str, Any]:
        """For history and JSON."""
        return {**asdict(self), "cpu_seconds": self.cpu_seconds}


class Meter:
    """Counts the Spark work that is done while it is open."""

    def __init__(self, session: SparkSession):
        """Nothing is counted yet."""
        self._context = session.sparkContext
        self.metrics = Metrics()
        self.worker_cpu: Accumulator[int] = self._context.accumulator(0)

    @contextmanager
    def measure(self, description: str) -> Iterator[Metrics]:
        """Meter everything that runs in the block."""
        group = f"slackwater-{uuid.uuid4().hex}"
        self._context.setJobGroup(group, description)
        started, cpu = time.perf_counter(), _own_cpu()
        try:
            yield self.metrics
        finally:
            self.metrics.wall_seconds = time.perf_counter() - started
            self.metrics.driver_cpu_seconds = _own_cpu() - cpu
            self.metrics.worker_cpu_seconds = self.worker_cpu.value * _NANO
            self._context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
            self._read_stages(group)

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

    def _read_stages(self, group: str) -> None:
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
        for stage in sorted(stages):
            try:
                data = store.lastStageAttempt(stage)
            except Py4JError:
                continue
            if data.numCompleteTasks():
                self._add_stage(data)

    def _add_stage(self, data: Any) -> None:
        totals = self.metrics
        totals.stages += 1
        totals.tasks += int(data.numCompleteTasks())
        totals.executor_cpu_seconds += float(data.executorCpuTime()) * _NANO
        totals.rows_read += int(data.inputRecords())
        totals.bytes_read += int(data.inputBytes())
        totals.rows_shuffled += int(data.shuffleWriteRecords())
        totals.bytes_shuffled += int(data.shuffleWriteBytes())


def _own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def machine_load() -> float:
    """The machine's load over the last minute, to be noted beside figures."""
    return os.getloadavg()[0]
