from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.config import SparkSettings
from slackwater.spark.session import local_cores, open_spark, spark_properties

SCRATCH = Path("/scratch")


def test_a_local_session_is_tuned_for_small_runs() -> None:
    properties = spark_properties(SparkSettings(master="local[3]", driver_memory="3g"), SCRATCH)
    assert properties["spark.master"] == "local[3]"
    assert properties["spark.driver.memory"] == "3g"
    assert properties["spark.sql.shuffle.partitions"] == "3"
    assert properties["spark.sql.adaptive.enabled"] == "false"
    assert properties["spark.sql.warehouse.dir"] == "/scratch/warehouse"


def test_one_core_still_shuffles_into_two_partitions() -> None:
    assert spark_properties(SparkSettings("local"), SCRATCH)["spark.sql.shuffle.partitions"] == "2"


def test_a_cluster_keeps_its_own_partitions_and_address() -> None:
    properties = spark_properties(SparkSettings("spark://host:7077"), SCRATCH)
    assert "spark.sql.shuffle.partitions" not in properties
    assert "spark.driver.host" not in properties


def test_the_users_properties_win() -> None:
    settings = SparkSettings(
        "local[2]", shuffle_partitions=9, conf=(("spark.sql.adaptive.enabled", "true"),)
    )
    properties = spark_properties(settings, SCRATCH)
    assert properties["spark.sql.shuffle.partitions"] == "9"
    assert properties["spark.sql.adaptive.enabled"] == "true"


def test_semantics_are_left_to_spark() -> None:
    """Time zone, ANSI mode and caches decide answers and plans: not ours to set."""
    properties = spark_properties(SparkSettings(), SCRATCH)
    untouched = ("timeZone", "ansi", "localRelationCacheThreshold")
    assert not [name for name in properties if any(part in name for part in untouched)]


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[4]", 4), ("local[4,2]", 4), ("local-cluster[2,1,512]", None)],
)
def test_local_cores(master: str, cores: int | None) -> None:
    assert local_cores(master) == cores


def test_every_core_of_the_machine_counts() -> None:
    cores = local_cores("local[*]")
    assert cores is not None
    assert 1 <= cores <= (os.cpu_count() or 1)


def test_a_users_session_is_left_untouched(spark: SparkSession) -> None:
    before = spark.conf.getAll
    with open_spark(SparkSettings(shuffle_partitions=77), spark) as session:
        assert session is spark
        assert session.conf.getAll == before
    assert spark.range(3).count() == 3


def test_a_running_session_is_shared_and_survives_its_guests(spark: SparkSession) -> None:
    first, second = open_spark(), open_spark(SparkSettings(shuffle_partitions=77))
    assert first.spark is second.spark
    first.stop()
    first.stop()
    second.stop()
    assert spark.range(3).count() == 3


def test_python_workers_run(spark: SparkSession) -> None:
    def executables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            names = [sys.executable] * batch.num_rows
            yield pa.RecordBatch.from_arrays([pa.array(names)], names=["executable"])

    rows = spark.range(4).mapInArrow(executables, "executable string").distinct().collect()
    assert [row.executable for row in rows] == [sys.executable]


# A process of its own shows what a user's terminal and folder look like afterwards.
ALONE = """
import json, os, sys
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from slackwater.config import SparkSettings
from slackwater.spark.session import open_spark

def refused(spark, query):
    try:
        spark.sql(query).collect()
    except PySparkException as problem:
        return problem.getCondition()

def variables():
    names = ("JAVA_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON")
    return {name: os.environ.get(name) for name in names}

seen = {}
before = variables()
with open_spark(SparkSettings(master="local[2]", driver_memory="700m")) as spark:
    seen["sum"] = spark.range(10, numPartitions=4).selectExpr("sum(id)").first()[0]
    seen["unknown column"] = refused(spark, "SELECT nope FROM range(1)")
    seen["failed task"] = refused(spark, "SELECT 1 / (id - 1) FROM range(3)")
    spark.range(1).write.saveAsTable("kept")
    seen["scratch"] = os.path.dirname(spark.conf.get("spark.sql.warehouse.dir"))
    heap = spark._jvm.java.lang.Runtime.getRuntime().maxMemory()
    seen["heap in MB"] = heap // 2**20
    seen["environment"] = variables() == before
seen["active"] = SparkSession.getActiveSession() is not None
again = open_spark()
seen["after a stop"] = again.owned and again.spark.range(3).count()
again.spark.stop()
third, fourth = open_spark(), open_spark()
again.stop()
third.stop()
seen["stopped by hand"] = fourth.spark.range(3).count()
fourth.stop()
seen["loggers"] = not PySparkLogger.getLogger("SQLQueryContextLogger").disabled
foreign = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
properties = foreign.conf.getAll
guest = open_spark(SparkSettings(shuffle_partitions=77))
seen["foreign untouched"] = not guest.owned and guest.spark.conf.getAll == properties
guest.stop()
seen["foreign runs on"] = foreign.range(3).count()
foreign.stop()
print(json.dumps(seen))
"""


@dataclass(frozen=True)
class Aftermath:
    """What a process that used Spark left behind."""

    seen: dict[str, Any]
    stderr: str
    folder: Path


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Aftermath:
    folder = tmp_path_factory.mktemp("cwd")
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return Aftermath(json.loads(done.stdout), done.stderr, folder)


@pytest.mark.spark
class TestSessionOfOurOwn:
    def test_it_works(self, aftermath: Aftermath) -> None:
        assert aftermath.seen["sum"] == 45
        assert 500 < aftermath.seen["heap in MB"] <= 700

    def test_it_prints_nothing(self, aftermath: Aftermath) -> None:
        assert aftermath.stderr == ""

    def test_failures_are_raised_not_printed(self, aftermath: Aftermath) -> None:
        assert aftermath.seen["unknown column"].startswith("UNRESOLVED_COLUMN")
        assert aftermath.seen["failed task"] == "DIVIDE_BY_ZERO"

    def test_it_leaves_nothing_behind(self, aftermath: Aftermath) -> None:
        assert list(aftermath.folder.iterdir()) == []
        assert aftermath.seen["scratch"].startswith("file:/")
        assert not Path(aftermath.seen["scratch"].removeprefix("file:")).exists()

    def test_it_ends_with_its_last_user(self, aftermath: Aftermath) -> None:
        assert aftermath.seen["active"] is False
        assert aftermath.seen["after a stop"] == 3
        assert aftermath.seen["stopped by hand"] == 3

    def test_it_leaves_the_process_as_it_was(self, aftermath: Aftermath) -> None:
        assert aftermath.seen["environment"]
        assert aftermath.seen["loggers"]

    def test_a_session_started_by_others_is_borrowed(self, aftermath: Aftermath) -> None:
        assert aftermath.seen["foreign untouched"]
        assert aftermath.seen["foreign runs on"] == 3


TOO_MUCH = """
from slackwater.config import SparkSettings
from slackwater.errors import SetupError
from slackwater.spark.session import open_spark

try:
    open_spark(SparkSettings(driver_memory="900t"))
except SetupError as problem:
    print(problem.render())
"""


@pytest.mark.spark
def test_a_session_that_cannot_start_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOO_MUCH],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Spark did not start: " in done.stdout
    assert "driver memory 900t" in done.stdout
    assert "Traceback" not in done.stderr
