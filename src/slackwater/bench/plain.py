"""Plain Spark over the same files: what users do today, and what we are compared with."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from slackwater.bench.machine import Clock, Cost
from slackwater.runtime.metering import Meter

PLAIN_SETTINGS = {
    # Spark's own advice for queries over whole tables; our session has it off for small runs.
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": str(64 << 20),
}


class PlainSpark:
    """A session that knows nothing of Slackwater, over a folder of Parquet tables."""

    def __init__(self, spark: SparkSession, folder: Path, clock: Clock):
        """Name the tables."""
        self._spark = spark.newSession()
        self._clock = clock
        for key, value in PLAIN_SETTINGS.items():
            self._spark.conf.set(key, value)
        for file in sorted(folder.glob("*.parquet")):
            self._spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)

    def compute(self, sql: str) -> Cost:
        """Compute a query once; its rows go nowhere."""
        meter = Meter(self._spark, reads_files=True)
        with self._clock.measure() as cost, meter.measure("plain Spark") as metrics:
            self._spark.sql(sql).write.format("noop").mode("overwrite").save()
        cost.rows = metrics.rows_read
        return cost

    def recompute(self, sql: str, repeat: int) -> Cost:
        """The usual cost, once everything is warm."""
        self.compute(sql)
        return typical([self.compute(sql) for _ in range(repeat)])


def typical(costs: list[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        median(each.seconds for each in costs),
        median(each.cpu for each in costs),
        round(median(each.rows for each in costs)),
    )
