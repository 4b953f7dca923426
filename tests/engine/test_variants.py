"""Columns of variants, which Spark neither hashes nor compares, in sources and answers."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import slackwater as sw


def rows(spark: SparkSession, *pairs: tuple[int, str]) -> DataFrame:
    values = ", ".join(f"({number}L, parse_json('{text}'))" for number, text in pairs)
    return spark.sql(f"SELECT * FROM VALUES {values} AS t(id, doc)")


def test_variants_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("keyed", "id BIGINT, doc VARIANT", key=["id"])
        session.create_source("bag", "id BIGINT, doc VARIANT")
        session.create_view("docs", "SELECT * FROM keyed UNION ALL SELECT * FROM bag")
        session.ingest("keyed", rows(spark, (1, '{"a": 1}'), (2, "[1]")))
        session.ingest("bag", rows(spark, (3, "1"), (3, "1"), (3, "2")))
        session.refresh()
        session.ingest("keyed", rows(spark, (2, "[2]")), op="upsert")
        session.ingest("bag", rows(spark, (3, "1")), op="delete")
        assert [view.action for view in session.refresh().views] == ["incremental"]
        texts = session.view("docs").read().selectExpr("id", "to_json(doc) AS text")
        assert sorted((row.id, row.text) for row in texts.collect()) == [
            (1, '{"a":1}'),
            (2, "[2]"),
            (3, "1"),
            (3, "2"),
        ]
        assert session.verify("docs").equal
