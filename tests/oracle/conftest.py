"""The data sets that corpus queries read: opened for planning and for plain Spark side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from slackwater.compiler.batch import compile_batch
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.sources.parquet_folder import open_folder
from slackwater.workloads.adversarial import write_adversarial
from slackwater.workloads.orderbook import write_order_book
from slackwater.workloads.tpch import ensure_tpch

from .run_batch import run_batch


@dataclass(frozen=True)
class DataSet:
    """One folder of tables, seen by our planner and by a plain Spark session."""

    spark: SparkSession
    planner: Planner
    frames: Mapping[str, DataFrame]
    plain: SparkSession
    planned: dict[str, Query] = field(default_factory=dict)

    def plan(self, sql: str) -> Query:
        """Our plan of a query; planned once however often it is asked for."""
        if sql not in self.planned:
            self.planned[sql] = self.planner.plan_sql(sql)
        return self.planned[sql]

    def run(self, query: Query) -> DataFrame:
        """The answer by way of our algebra."""
        statement = compile_batch(query.rel, query.names)
        return run_batch(self.spark, statement, self.frames, query.fragments)


WITHOUT_CODEGEN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Compiling each query to Java takes longer than the few rows take without it."""


def quick_session(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    for name, value in WITHOUT_CODEGEN.items():
        session.conf.set(name, value)
    return session


def open_data_set(shared: SparkSession, folder: Path) -> DataSet:
    spark, plain = quick_session(shared), quick_session(shared)
    tables = open_folder(spark, folder)
    for name, table in tables.items():
        path = folder / f"{name}.parquet"
        plain.read.parquet(str(path)).createOrReplaceTempView(name)
        assert table.definition.name == name
    planner = Planner(spark, [table.definition for table in tables.values()])
    frames = {name: table.frame for name, table in tables.items()}
    return DataSet(spark, planner, frames, plain)


@pytest.fixture(scope="session")
def data_sets(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataSet]:
    """TPC-H at scale 0.01, the adversarial tables and an order book."""
    adversarial = tmp_path_factory.mktemp("adversarial")
    finance = tmp_path_factory.mktemp("finance")
    write_adversarial(adversarial)
    write_order_book(finance, seed=1, orders=400)
    folders = {"tpch": ensure_tpch(0.01), "adversarial": adversarial, "finance": finance}
    return {name: open_data_set(spark, folder) for name, folder in folders.items()}
