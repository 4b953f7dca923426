from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession

from slackwater.workloads.adversarial import adversarial_tables, write_adversarial

SCHEMAS = {
    "t_nulls": "id INT, k INT, g STRING, v INT, d DECIMAL(10,2), ts TIMESTAMP",
    "t_right": "id INT, k INT, g STRING, w BIGINT, x DOUBLE",
    "t_nonull": "id INT, k INT, g STRING, v INT",
    "t_empty": "id INT, k INT, g STRING, v INT, d DECIMAL(10,2), ts TIMESTAMP",
    "t_skew": "id INT, k INT, v BIGINT, s STRING",
    "t_dec": "id INT, g STRING, small DECIMAL(5,2), big DECIMAL(38,0), wide DECIMAL(38,18), "
    "money DECIMAL(18,4)",
    "t_time": "id INT, d DATE, ts TIMESTAMP, tsn TIMESTAMP_NTZ, note STRING",
    "t_float": "id INT, g STRING, f FLOAT, x DOUBLE",
    "t_str": "id INT, s STRING, t STRING, b BINARY",
    "t_nested": "id INT, tags ARRAY<STRING>, nums ARRAY<INT>, "
    "point STRUCT<x: INT, y: DOUBLE, label: STRING>, attrs MAP<STRING, INT>, "
    "items ARRAY<STRUCT<sku: STRING, qty: INT>>",
    "t_names": "`_w` INT, `key` STRING, `count` BIGINT, `a.b` INT, `with space` STRING, "
    "`back``tick` INT, `select` DATE",
}


@pytest.fixture(scope="module")
def frames(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataFrame]:
    paths = write_adversarial(tmp_path_factory.mktemp("adversarial"))
    return {name: spark.read.parquet(str(path)) for name, path in paths.items()}


def as_bag(rows: list[dict[str, object]]) -> list[str]:
    return sorted(repr(row) for row in rows)


@pytest.mark.parametrize("name", adversarial_tables())
def test_spark_reads_the_declared_types(
    name: str, frames: dict[str, DataFrame], spark: SparkSession
) -> None:
    assert frames[name].schema == spark.createDataFrame([], SCHEMAS[name]).schema


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_spark_reads_the_values_in_any_time_zone(
    zone: str, frames: dict[str, DataFrame], spark: SparkSession
) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    for name, table in adversarial_tables().items():
        read = frames[name].toArrow().to_pylist()
        assert as_bag(read) == as_bag(table.to_pylist()), name


def test_aggregates_at_the_limits_do_not_overflow(frames: dict[str, DataFrame]) -> None:
    decimals = frames["t_dec"].groupBy("g")
    sums = decimals.agg({"small": "sum", "big": "sum", "wide": "sum", "money": "sum"})
    assert sums.count() == decimals.agg({"money": "avg", "small": "avg"}).count()
    assert len(sums.collect()) == 11


def test_spark_groups_both_zeros_and_all_nans_together(frames: dict[str, DataFrame]) -> None:
    special = frames["t_float"].where("x = 0 OR isnan(x)").groupBy("x").count()
    assert sorted(row["count"] for row in special.collect()) == [3, 6]
