from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from slackwater.bench import plain as plain_module
from slackwater.bench.growth import GrowthPlan, measure_growth
from slackwater.bench.keeping import Keeping, Step
from slackwater.bench.machine import Clock, Cost
from slackwater.bench.plain import PlainSpark, open_plain, plain_setup
from slackwater.bench.refresh import measure_refresh
from slackwater.bench.refresh_report import RefreshPlan
from slackwater.spark.metering import Meter
from slackwater.workloads.corpus import CorpusQuery, load_corpus
from slackwater.workloads.orderbook import write_order_book
from slackwater.workloads.tpch import ensure_tpch, ensure_tpch_doubles

QUERIES = Path(__file__).parents[1] / "oracle/queries/tpch"
LINEITEM = (
    "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, "
    "l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), "
    "l_tax DECIMAL(15,2), l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, "
    "l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, "
    "l_comment STRING"
)
PARTSUPP = (
    "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(15,2), "
    "ps_comment STRING"
)
ORDERS_OF_A_BOOK = "t BIGINT, order_id BIGINT, broker_id INT, price DECIMAL(12,2), volume BIGINT"


@pytest.mark.parametrize(("table", "schema"), [("lineitem", LINEITEM), ("partsupp", PARTSUPP)])
def test_spark_reads_tpch_with_plain_types(
    table: str, schema: str, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = ensure_tpch(0.001, tmp_path_factory.getbasetemp() / "cache")
    frame = spark.read.parquet(str(folder / f"{table}.parquet"))
    assert [(f.name, f.dataType) for f in frame.schema] == [
        (f.name, f.dataType) for f in spark.createDataFrame([], schema).schema
    ]
    assert frame.count() > 500


def test_spark_runs_a_query_on_the_order_book(spark: SparkSession, tmp_path: Path) -> None:
    for name, path in write_order_book(tmp_path, seed=1, orders=1000).items():
        frame = spark.read.parquet(str(path))
        assert frame.schema == spark.createDataFrame([], ORDERS_OF_A_BOOK).schema
        frame.createOrReplaceTempView(name)
    answer = spark.sql(
        "SELECT b.broker_id, SUM(a.volume - b.volume) FROM bids b, asks a "
        "WHERE b.broker_id = a.broker_id "
        "AND (a.price - b.price > 1000 OR b.price - a.price > 1000) GROUP BY b.broker_id"
    )
    assert answer.count() == 10


# Measurements on tables of a few thousand rows ---------------------------------------------------


def queries(*names: str) -> tuple[CorpusQuery, ...]:
    corpus = {each.name: each for each in load_corpus(QUERIES)}
    return tuple(corpus[name] for name in names)


def test_plain_spark_has_what_suits_the_tables(spark: SparkSession, tmp_path: Path) -> None:
    with (tmp_path / "large.parquet").open("wb") as file:
        file.truncate(640 << 20)
    setup = plain_setup(spark, tmp_path)
    assert setup.partitions == 10
    assert setup.heap_bytes > 1 << 28
    plain = open_plain(spark, setup)
    assert plain.conf.get("spark.sql.shuffle.partitions") == "10"
    assert plain.conf.get("spark.sql.adaptive.enabled") == "true"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"


def test_what_metering_takes_is_not_plain_sparks(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []

    class NotedClock(Clock):
        @contextmanager
        def measure(self) -> Iterator[Cost]:
            order.append("clock starts")
            yield Cost()
            order.append("clock stops")

    class NotedMeter(Meter):
        @contextmanager
        def measure(self, description: str) -> Iterator[None]:
            with super().measure(description):
                yield
            order.append("metered")

    monkeypatch.setattr(plain_module, "Meter", NotedMeter)
    spark.range(5).toPandas().to_parquet(tmp_path / "t.parquet")
    setup = plain_setup(spark, tmp_path)
    cost = PlainSpark(spark, tmp_path, NotedClock(spark), setup).compute("SELECT * FROM t")
    assert order == ["clock starts", "clock stops", "metered"]
    assert cost.rows == 5


def kept_in_memory(spark: SparkSession) -> set[int]:
    """The numbers of what Spark keeps; other tests may have left something there."""
    return set(spark.sparkContext._jsc.getPersistentRDDs())


def test_views_are_measured_beside_tables_in_memory(
    spark: SparkSession, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = ensure_tpch(0.001, tmp_path_factory.getbasetemp() / "cache")
    said: list[str] = []
    plan = RefreshPlan(
        0.001, queries("q06", "q14"), (0.01,), 1, 2, loads=2, verify=True, cached=True
    )
    before = kept_in_memory(spark)
    report = measure_refresh(spark, tmp_path / "home", folder, plan, said.append)
    assert report.plain.cached
    assert report.source_bytes > 100_000
    loads = [number for number, text in enumerate(said) if "filled in" in text]
    changes = [number for number, text in enumerate(said) if "1.00%" in text]
    assert len(loads) == len(changes) == 2
    assert max(loads) < min(changes)
    for view in report.views:
        share = view.refreshes[0.01]
        assert view.exact
        assert share.changed_rows == share.ingest.rows > 20
        assert share.ingest.seconds > 0
        assert view.state_bytes > 0
        # Rows, not batches of rows, although they come from Spark's memory.
        assert view.recompute.rows > 5_000
    assert kept_in_memory(spark) <= before


def test_decimals_as_doubles_are_measured_alike(
    spark: SparkSession, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = ensure_tpch_doubles(0.001, tmp_path_factory.getbasetemp() / "cache")
    plan = RefreshPlan(0.001, queries("q06"), (0.01,), 1, 1, loads=1, verify=True, doubles=True)
    report = measure_refresh(spark, tmp_path / "home", folder, plan, lambda _: None)
    (view,) = report.views
    assert view.exact
    assert view.refreshes[0.01].changed_rows > 20


def test_growth_leaves_no_home_behind_and_takes_sizes_in_turn(
    spark: SparkSession,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = tmp_path_factory.getbasetemp() / "cache"
    order: list[int] = []
    change = Keeping.change

    def noted(view: Keeping, *args: Any, **options: Any) -> Step:
        order.append(id(view))
        return change(view, *args, **options)

    monkeypatch.setattr(Keeping, "change", noted)
    plan = GrowthPlan(queries("q06"), (0.001, 0.002), 100, 1, 2)
    report = measure_growth(spark, tmp_path, cache, plan, lambda _: None)
    assert list(tmp_path.iterdir()) == []
    assert len(set(order)) == 2
    assert order == order[:2] * 3
    assert list(report.reports) == [0.001, 0.002]
    assert report.spread("q06") >= 1
    for each in report.reports.values():
        assert (each.plan.refreshes, each.plan.warm_ups) == (2, 1)
