"""What runs report of their cost: the same counts on the driver and in Spark, of known state."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.api import Session
from slackwater.api.forced import open_forced
from slackwater.cli.history import detail_lines
from slackwater.running.results import RunResult
from slackwater.spark.metering import Meter, Metrics

CUSTOMERS, ORDERS = 10, 1_000
OF_EACH = ORDERS // CUSTOMERS
IN_SPARK = {"driver_rows": 0}
HERE = {"driver_rows": sys.maxsize}


def orders(start: int, stop: int) -> pa.Table:
    numbers = range(start, stop)
    return pa.table({"id": numbers, "customer": [number % CUSTOMERS for number in numbers]})


def customers(start: int, stop: int) -> pa.Table:
    return pa.table({"id": range(start, stop), "name": [f"c{n}" for n in range(start, stop)]})


def filled(
    spark: SparkSession,
    home: Path,
    forms: dict[str, int],
    look_ups: str,
    partitions: int | None = None,
) -> Session:
    session = open_forced(
        home, spark, driver_rows=forms["driver_rows"], look_ups=look_ups, partitions=partitions
    )
    session.create_source("orders", "id BIGINT, customer BIGINT")
    session.create_source("customers", "id BIGINT, name STRING")
    session.create_view(
        "named",
        "SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer = c.id",
        refresh="incremental",
    )
    session.create_view(
        "numbered",
        "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id) AS n FROM orders",
        refresh="incremental",
    )
    session.ingest("orders", orders(0, ORDERS))
    session.ingest("customers", customers(0, CUSTOMERS))
    session.refresh()
    return session


def one_more_customer(session: Session) -> RunResult:
    """Customer 3 becomes two, so that the join finds its orders."""
    session.ingest("customers", customers(3, 4))
    return session.refresh()


def check_cpu(metrics: Metrics) -> None:
    told = metrics.as_dict()
    kinds = ("driver", "jvm", "executor", "worker")
    parts = [told[f"{kind}_cpu_seconds"] for kind in kinds]
    assert told["cpu_seconds"] == pytest.approx(sum(parts))
    assert min(parts) >= 0.0
    assert told["driver_cpu_seconds"] > 0.0


@pytest.mark.parametrize(
    ("look_ups", "scanned", "kinds"),
    [("index", OF_EACH, {"look-ups"}), ("scan", ORDERS, {"Python", "reading state"})],
    ids=["index", "scan"],
)
def test_runs_in_spark_count_the_stored_rows_they_read(
    look_ups: str, scanned: int, kinds: set[str], spark: SparkSession, tmp_path: Path
) -> None:
    with filled(spark, tmp_path, IN_SPARK, look_ups) as session:
        metrics = one_more_customer(session).metrics
        assert metrics.jobs == 1
        # The batch has one row. Frames that are read again in the run are no rows of state.
        assert metrics.rows_read == 1 + scanned
        assert metrics.bytes_read > 16 * scanned
        check_cpu(metrics)
        assert min(metrics.jvm_cpu_seconds, metrics.executor_cpu_seconds) > 0.0
        assert metrics.worker_cpu_seconds > 0.0
        assert {"planning", "building", "computing", "committing"} <= set(metrics.phases)
        assert {"scheduling", "Java", "writing state", *kinds} <= set(metrics.task_parts)
        assert all(spent >= 0.0 for spent in metrics.task_parts.values())
        told = str(session.view("named").explain("cost"))
        assert f"rows read {1 + scanned:,}, bytes read {metrics.bytes_read:,}" in told
        assert "driver's Java" in told
        assert "s of tasks" in told


def test_shuffled_bytes_are_shown(spark: SparkSession, tmp_path: Path) -> None:
    shuffling = spark.newSession()
    shuffling.conf.set("spark.sql.shuffle.partitions", "2")
    with filled(shuffling, tmp_path, IN_SPARK, "index", partitions=2) as session:
        session.ingest("orders", orders(ORDERS - 1, ORDERS), op="delete")
        metrics = session.refresh().metrics
        # The orders of customer 9 are read with their old numbers; the join looks its name up. The
        # change is read once or twice, as it is wanted divided and whole.
        assert metrics.rows_read - (OF_EACH + OF_EACH) - 1 in {1, 2, 3}
        assert metrics.bytes_shuffled > 0
        told = str(session.view("numbered").explain("cost"))
        assert f"bytes shuffled {metrics.bytes_shuffled:,}" in told
        assert metrics.exchanges > 0
        assert f"bytes exchanged {metrics.bytes_exchanged:,}" in told


@pytest.mark.parametrize("forms", [IN_SPARK, HERE], ids=["in Spark", "on the driver"])
def test_filling_a_view_reads_its_sources(
    forms: dict[str, int], spark: SparkSession, tmp_path: Path
) -> None:
    with open_forced(tmp_path, spark, **forms) as session:
        session.create_source("orders", "id BIGINT, customer BIGINT")
        session.create_view("few", "SELECT customer FROM orders WHERE id < 7")
        session.ingest("orders", orders(0, ORDERS))
        metrics = session.refresh().metrics
        assert metrics.rows_read == ORDERS
        # Two columns and the weight, eight bytes each.
        assert metrics.bytes_read == 24 * ORDERS


def test_the_driver_counts_what_spark_would(spark: SparkSession, tmp_path: Path) -> None:
    found = {}
    for name, forms in (("spark", IN_SPARK), ("here", HERE)):
        with filled(spark, tmp_path / name, forms, "index") as session:
            metrics = one_more_customer(session).metrics
            check_cpu(metrics)
            found[name] = (metrics.rows_read, metrics.bytes_read)
            assert bool(metrics.parts) == (name == "here")
            assert bool(metrics.task_parts) == (name == "spark")
    assert found["here"] == found["spark"]


def test_what_the_driver_leaves_to_spark_is_told(spark: SparkSession, tmp_path: Path) -> None:
    with open_forced(tmp_path, spark, **HERE) as session:
        session.create_source("orders", "id BIGINT, customer BIGINT")
        numbers = "WITH RECURSIVE n(i) AS (SELECT 0L UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
        session.create_view("whole", f"{numbers} SELECT i, o.id FROM n JOIN orders o ON i = o.id")
        session.ingest("orders", orders(0, ORDERS))
        run = session.refresh()
        assert run.metrics.left_to_spark == ("a part of a plan that Spark runs whole",)
        told = str(session.view("whole").explain("cost"))
    assert "not done on the driver: a part of a plan that Spark runs whole" in told


def test_details_of_the_history_tell_of_each_run_once(spark: SparkSession, tmp_path: Path) -> None:
    with filled(spark, tmp_path, HERE, "auto") as session:
        run = one_more_customer(session)
        lines = list(detail_lines(session.history()))
    assert lines[0].startswith(f"commit {run.commit}, started ")
    assert sum(line == "the run, of all views together:" for line in lines) == 2
    assert any(line.startswith(f"view named: incremental by commit {run.commit}") for line in lines)
    assert any(line.startswith(f"view numbered: skipped by commit {run.commit}") for line in lines)
    assert "  rows in 1, rows out 100" in lines
    assert any(line.startswith("  could be rebuilt: touches ") for line in lines)
    assert any(line.startswith(f"rows read {1 + OF_EACH:,}, bytes read ") for line in lines)


def test_a_meter_of_plain_spark_counts_what_spark_reads(
    spark: SparkSession, tmp_path: Path
) -> None:
    spark.range(123).write.parquet(str(tmp_path / "numbers"))
    found = {}
    for reads_files in (True, False):
        meter = Meter(spark, reads_files=reads_files)
        with meter.measure("numbers"):
            spark.read.parquet(str(tmp_path / "numbers")).write.format("noop").mode(
                "overwrite"
            ).save()
        found[reads_files] = (meter.metrics.rows_read, meter.metrics.bytes_read > 0)
    assert found == {True: (123, True), False: (0, False)}
