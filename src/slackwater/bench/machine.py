"""The machine of a measurement, and the processor time of all that worked for it."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.bench.memory import descendants
from slackwater.config import load_settings
from slackwater.spark.java_process import JavaProcess
from slackwater.spark.session import SparkHandle, local_cores, open_spark

Load = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of a measurement, and what else it had to do (its load averages)."""

    cores: int
    python: str
    spark: str
    load_before: Load
    load_after: Load

    def __str__(self) -> str:
        """For the foot of a report."""
        cores = f"{self.cores} core{'s' if self.cores != 1 else ''}"
        return (
            f"{cores}, Spark {self.spark}, Python {self.python}; load average before "
            f"{self.load_before[0]:.2f}, after {self.load_after[0]:.2f}"
        )


def describe_machine(spark: SparkSession, load_before: Load) -> Machine:
    """The machine at the end of a measurement that began under `load_before`."""
    return machine_here(spark.version, load_before)


def machine_here(spark_version: str, load_before: Load) -> Machine:
    """The same, for who has no Spark session."""
    return Machine(
        cores=local_cores("local[*]") or 1,
        python=platform.python_version(),
        spark=spark_version,
        load_before=load_before,
        load_after=os.getloadavg(),
    )


@dataclass(slots=True)
class Cost:
    """The cost of a piece of work."""

    seconds: float = 0.0
    cpu: float = 0.0
    """Processor seconds of this process, Java and Spark's Python workers."""
    rows: int = 0
    """Rows read; whoever measures sets it."""

    def __str__(self) -> str:
        """For a log."""
        return f"{self.seconds:.2f} s, {self.cpu:.2f} processor seconds, {self.rows:,} rows read"


def typical(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        median(each.seconds for each in costs),
        median(each.cpu for each in costs),
        round(median(each.rows for each in costs)),
    )


def total(costs: Sequence[Cost]) -> Cost:
    """All together."""
    return Cost(
        sum(each.seconds for each in costs),
        sum(each.cpu for each in costs),
        sum(each.rows for each in costs),
    )


def local_spark() -> SparkHandle:
    """A Spark as users get it."""
    return open_spark()


def bench_spark() -> SparkHandle:
    """A Spark with memory enough for the larger joins of plain Spark."""
    settings = load_settings().spark
    gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return open_spark(replace(settings, driver_memory=f"{max(2, gigabytes // 3)}g"))


class Clock:
    """Measures work done by this process and by a local Spark."""

    def __init__(self, spark: SparkSession):
        """Find Spark's process."""
        self._java = JavaProcess(spark).number
        self._used: dict[int, float] = {}
        """Processor seconds by process, ended ones too: Spark's daemon leaves its own out."""

    @contextmanager
    def measure(self) -> Iterator[Cost]:
        """The cost of a block, known at its end."""
        cost = Cost()
        # To look at all processes takes time itself, which is nobody's cost.
        before = self._cpu()
        started = time.perf_counter()
        yield cost
        cost.seconds = time.perf_counter() - started
        cost.cpu = self._cpu() - before

    def _cpu(self) -> float:
        for process in {os.getpid(), self._java, *descendants(self._java)}:
            used = _processor_seconds(process)
            self._used[process] = max(used, self._used.get(process, 0.0))
        return sum(self._used.values())


def _processor_seconds(process: int) -> float:
    """Processor seconds of a process and of its ended children."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    # The name in brackets may itself hold brackets and blanks.
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
