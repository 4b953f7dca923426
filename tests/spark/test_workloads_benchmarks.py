from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.workloads.orderbook import write_order_book
from slackwater.workloads.tpch import ensure_tpch

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
