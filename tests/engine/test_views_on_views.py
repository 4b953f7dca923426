"""Views that read views: what the inner one orders is of no account, what it limits is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import slackwater as sw

ROWS = pa.table({"g": [1, 1, 2, 3, 3, 3], "v": [5, 7, 1, 2, 2, 9]})


def test_the_order_of_a_view_is_no_part_of_it(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", "g BIGINT, v BIGINT")
        totals = "SELECT g, sum(v) AS s FROM item GROUP BY g ORDER BY s DESC"
        session.create_view("totals", totals)
        session.create_view("all_groups", "SELECT count(*) AS n, sum(s) AS s FROM totals")
        session.create_view("largest", f"{totals} LIMIT 2")
        session.create_view("large", "SELECT count(*) AS n, sum(s) AS s FROM largest")
        assert "Sort" not in str(session.view("all_groups").explain("plan"))
        assert "Sort" in str(session.view("large").explain("plan"))
        session.ingest("item", ROWS)
        session.refresh()
        session.ingest("item", ROWS.slice(5), op="delete")
        session.refresh()
        read = {name: session.view(name).read().collect()[0] for name in ("all_groups", "large")}
        assert (tuple(read["all_groups"]), tuple(read["large"])) == ((3, 17), (2, 16))
        assert all(session.verify(name).equal for name in session.views())


NEVER_NULL = {
    "sum": "id + 1",
    "product": "id * 2",
    "decimals": "d + d",
    "negative": "-id",
    "size": "abs(id)",
    "narrowed": "CAST(id AS INT)",
    "nested": "array(id, id + 1)",
    "struct": "named_struct('a', id + 1)",
}


def test_views_read_what_spark_knows_never_to_be_null(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", "id BIGINT NOT NULL, d DECIMAL(10,2) NOT NULL")
        for name, text in NEVER_NULL.items():
            session.create_view(name, f"SELECT {text} AS m FROM item")
            session.create_view(f"of_{name}", f"SELECT m, m IS NULL AS missing FROM {name}")
        session.create_view("counted", "SELECT count(*) + 1 AS n FROM item")
        session.create_view("of_counted", "SELECT n + 1 AS n FROM counted")
        session.ingest(
            "item", pa.table({"id": [1, 2], "d": pa.array([1, 2], pa.decimal128(10, 2))})
        )
        session.refresh()
        assert all(session.verify(name).equal for name in session.views())
