"""Plain Spark over the same files: what users do today, and what we are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from slackwater.bench.machine import Clock, Cost, typical
from slackwater.spark.metering import Meter
from slackwater.spark.session import local_cores

_BYTES_PER_PARTITION = 64 << 20
_BROADCAST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class PlainSetup:
    """How plain Spark works here; printed beside its figures."""

    heap_bytes: int
    partitions: int
    """Of a shuffle, before adaptive execution coalesces them."""
    broadcast_bytes: int = _BROADCAST_BYTES
    cached: bool = False
    """Whether the tables are in Spark's memory; else they are Parquet files."""

    @property
    def properties(self) -> dict[str, str]:
        """Spark's own advice for queries over whole tables; our session has it off."""
        adaptive = "spark.sql.adaptive"
        return {
            f"{adaptive}.enabled": "true",
            f"{adaptive}.coalescePartitions.enabled": "true",
            f"{adaptive}.coalescePartitions.initialPartitionNum": str(self.partitions),
            f"{adaptive}.skewJoin.enabled": "true",
            f"{adaptive}.localShuffleReader.enabled": "true",
            "spark.sql.shuffle.partitions": str(self.partitions),
            "spark.sql.autoBroadcastJoinThreshold": str(self.broadcast_bytes),
        }

    def __str__(self) -> str:
        """For the foot of a report.

        >>> print(PlainSetup(2 << 30, 6))
        plain Spark: heap 2.0 GB, shuffles of 6 partitions that adaptive execution coalesces,
        broadcasts up to 64 MB, Parquet in the page cache
        """
        tables = "tables in memory" if self.cached else "Parquet in the page cache"
        return (
            f"plain Spark: heap {self.heap_bytes / (1 << 30):.1f} GB, shuffles of "
            f"{self.partitions} partitions that adaptive execution coalesces, broadcasts up to "
            f"{self.broadcast_bytes >> 20} MB, {tables}"
        )


def partitions_for(size: int, cores: int) -> int:
    """Partitions that suit tables of that many bytes: work for all cores, and none too large.

    >>> partitions_for(1_000, 2), partitions_for(3 << 30, 2)
    (4, 48)
    """
    return max(2 * cores, -(-size // _BYTES_PER_PARTITION))


def plain_setup(spark: SparkSession, folder: Path, *, cached: bool = False) -> PlainSetup:
    """What suits the Parquet tables of a folder on this machine."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    heap = int(jvm.java.lang.Runtime.getRuntime().maxMemory())
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    cores = local_cores(spark.sparkContext.master or "local[*]")
    cores = cores or spark.sparkContext.defaultParallelism
    return PlainSetup(heap, partitions_for(size, cores), cached=cached)


def open_plain(spark: SparkSession, setup: PlainSetup) -> SparkSession:
    """A session that knows nothing of Slackwater."""
    session = spark.newSession()
    for key, value in setup.properties.items():
        session.conf.set(key, value)
    return session


class PlainSpark:
    """Plain Spark over a folder of Parquet tables."""

    def __init__(self, spark: SparkSession, folder: Path, clock: Clock, setup: PlainSetup):
        """Name the tables."""
        self._spark = open_plain(spark, setup)
        self._clock = clock
        self._tables: dict[str, DataFrame] = {}
        self._rows: dict[str, int] = {}
        for file in sorted(folder.glob("*.parquet")):
            table = self._tables[file.stem] = self._spark.read.parquet(str(file))
            table.createOrReplaceTempView(file.stem)

    def name_query(self, name: str, sql: str) -> None:
        """Let other queries read a query by its name; it is computed as a part of theirs."""
        self._spark.sql(sql).createOrReplaceTempView(name)

    def hold_tables(self, queries: Iterable[str]) -> None:
        """Take the tables into Spark's memory.

        From there Spark counts the batches it reads, not their rows. What the queries read is
        therefore counted before.
        """
        self._rows = {sql: self.compute(sql).rows for sql in queries}
        for table in self._tables.values():
            table.cache().count()

    def let_go(self) -> None:
        """Give the memory back."""
        for table in self._tables.values():
            table.unpersist()

    def compute(self, sql: str) -> Cost:
        """Compute a query once; its rows go nowhere."""
        meter = Meter(self._spark, reads_files=True)
        # The meter asks Spark about its stages in the end, which is no part of the query.
        with meter.measure("plain Spark"), self._clock.measure() as cost:
            self._spark.sql(sql).write.format("noop").mode("overwrite").save()
        cost.rows = self._rows.get(sql, meter.metrics.rows_read)
        return cost

    def recompute(self, sql: str, repeat: int) -> Cost:
        """The usual cost, once everything is warm."""
        self.compute(sql)
        return typical([self.compute(sql) for _ in range(repeat)])
