"""Batches given as frames that Spark may compute differently each time it is asked."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import slackwater as sw

KEYS = 1_000


def test_an_upsert_replaces_the_rows_that_come(spark: SparkSession, tmp_path: Path) -> None:
    """No key may go without another row under it: what comes is computed once."""
    with sw.open(tmp_path, spark, engine="spark") as session:
        session.create_source("item", "id BIGINT, v BIGINT", key="id")
        session.create_view("keys", "SELECT id, v FROM item")
        session.ingest("item", pa.table({"id": range(KEYS), "v": [0] * KEYS}))
        moody = spark.range(1).selectExpr(
            f"CAST(floor(rand() * {KEYS}) AS BIGINT) AS id", "1L AS v"
        )
        for _ in range(3):
            session.ingest("item", moody, op="upsert")
        session.refresh()
        read = session.view("keys").read().collect()
        assert sorted(row.id for row in read) == list(range(KEYS))
        assert any(row.v for row in read)
