"""Texts with a collation in small runs, where Spark would not compile what it computes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw

_TEXTS = ["a", "long text", "é", "z", "y", "", "b"]
_VIEWS = {
    "declared": "SELECT min(s) AS lo, max(s) AS hi FROM t",
    "said": "SELECT max(p COLLATE UNICODE_CI) AS hi FROM t",
    "running": "SELECT id, max(s) OVER (ORDER BY id) AS hi FROM t",
    "left_to_spark": "WITH RECURSIVE r(n, s) AS (SELECT id, s FROM t UNION ALL "
    "SELECT n + 100, s FROM r WHERE n < 100) SELECT max(s) AS hi FROM r",
}


@pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
def test_extremes_are_whole_texts(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    """Where Spark interprets it keeps the place of a text that the next row overwrites."""
    rows = pa.table({"id": range(len(_TEXTS)), "s": _TEXTS, "p": _TEXTS})
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", "id BIGINT, s STRING COLLATE UTF8_LCASE, p STRING")
        for name, sql in _VIEWS.items():
            session.create_view(name, sql, refresh="incremental")
        session.refresh()
        for op, part in (("insert", rows), ("delete", rows.slice(2, 1))):
            session.ingest("t", spark.createDataFrame(part), op=op)
            session.refresh()
            greatest = max(text for text in _TEXTS if op == "insert" or text != "é")
            read = {name: session.view(name).read().collect() for name in _VIEWS}
            assert read["declared"] == [("", greatest)]
            assert read["left_to_spark"] == [(greatest,)]
            assert read["said"] == [("z",)]
            assert max(row.hi for row in read["running"]) == greatest
            assert all(session.verify(name).equal for name in _VIEWS)


_INSIDE = {
    "found": "SELECT id FROM t WHERE array_contains(tags, 'a')",
    "grouped": "SELECT tags, count(*) AS n FROM t GROUP BY tags",
    "known": "SELECT id, notes['A'] AS note FROM t",
    "met": "SELECT a.id, b.id AS other FROM t a JOIN t b ON a.tags = b.tags",
}


@pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
def test_texts_inside_of_values_are_collated(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    declared = "tags ARRAY<STRING COLLATE UTF8_LCASE>"
    notes = "notes MAP<STRING COLLATE UTF8_LCASE, INT>"
    rows = pa.table(
        {
            "id": range(4),
            "tags": [["A"], ["a"], ["b", "A"], None],
            "notes": pa.array([[("a", 1)], [("A", 2)], [], None], pa.map_(pa.string(), pa.int32())),
        }
    )
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", f"id BIGINT, {declared}, {notes}")
        for name, sql in _INSIDE.items():
            session.create_view(name, sql)
        for op, part in (("insert", rows), ("delete", rows.slice(0, 1))):
            session.ingest("t", part, op=op)
            session.refresh()
            found = {name: session.verify(name).difference for name in _INSIDE}
            assert not any(found.values()), found
        assert {row.id for row in session.view("found").read().collect()} == {1, 2}
