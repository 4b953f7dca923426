"""Parts of views that Spark runs itself: each its own, also after the home is opened again."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import SlackwaterError

from .harness import quick_session

FIELD = "to_xml(named_struct('{}', id % 3))"
"""A function that is left to Spark."""
WIDE = ", ".join(f"id + {n} AS c{n}" for n in range(30))
VIEWS = {
    "both": f"SELECT {FIELD.format('a')} AS x FROM eu UNION ALL SELECT {FIELD.format('a')} FROM us",
    "in_eu": f"SELECT {FIELD.format('a')} AS x, count(*) AS n FROM eu GROUP BY 1",
    "in_us": f"SELECT {FIELD.format('a')} AS x, count(*) AS n FROM us GROUP BY 1",
    "wide_a": f"SELECT {WIDE}, {FIELD.format('a')} AS x FROM eu",
    "wide_b": f"SELECT {WIDE}, {FIELD.format('b')} AS x FROM eu",
    "near": "SELECT e.id, hex(count_min_sketch(c.x + e.id, 0.5d, 0.5d, 1)) AS h FROM eu e "
    "JOIN VALUES (1L, 10), (2L, 20) AS c(id, x) ON e.id = c.id GROUP BY e.id",
    "far": "SELECT e.id, hex(count_min_sketch(c.x + e.id, 0.5d, 0.5d, 1)) AS h FROM eu e "
    "JOIN VALUES (1L, 77), (2L, 88) AS c(id, x) ON e.id = c.id GROUP BY e.id",
    "two_texts": f"SELECT {FIELD.format('a')} AS x, array('a', 'b') AS t FROM eu",
    "one_text": f"SELECT {FIELD.format('a')} AS x, array('a, b') AS t FROM eu",
    "up_eu": "WITH RECURSIVE up(n) AS (SELECT id FROM eu UNION ALL "
    "SELECT n + 1 FROM up WHERE n < 12) SELECT n, count(*) AS c FROM up GROUP BY n",
    "up_us": "WITH RECURSIVE up(n) AS (SELECT id FROM us UNION ALL "
    "SELECT n + 1 FROM up WHERE n < 12) SELECT n, count(*) AS c FROM up GROUP BY n",
}


def rows(*numbers: int) -> pa.Table:
    texts = [f'{{"a": {n % 3}, "b": {n + 100}}}' for n in numbers]
    return pa.table({"id": pa.array(numbers, pa.int64()), "s": texts})


def opened(spark: SparkSession, home: Path) -> Session:
    return sw.open(home, quick_session(spark))


def make(session: Session) -> None:
    for name in ("eu", "us"):
        session.create_source(name, "id BIGINT, s STRING")


def require_exact(session: Session) -> None:
    assert [name for name in session.views() if not session.verify(name).equal] == []


def test_parts_that_look_alike_stay_apart(spark: SparkSession, tmp_path: Path) -> None:
    with opened(spark, tmp_path) as session:
        make(session)
        for name, sql in VIEWS.items():
            session.create_view(name, sql)
        session.ingest("eu", rows(1, 2, 3, 4))
        session.ingest("us", rows(7, 8))
        session.refresh()
        require_exact(session)
    with opened(spark, tmp_path) as session:
        session.ingest("us", rows(9, 10))
        session.ingest("eu", rows(2), op="delete")
        actions = {each.view: each for each in session.refresh().views}
        require_exact(session)
        assert actions["up_eu"].action == "recomputed"
        assert "operator UnionLoop is not known" in actions["up_eu"].reason


def test_a_view_whose_function_is_gone_stands_in_nobodys_way(
    spark: SparkSession, tmp_path: Path
) -> None:
    knowing = quick_session(spark)
    knowing.udf.register("twice", lambda n: 2 * n, LongType())
    query = f"SELECT twice(id) AS t, {FIELD.format('a')} AS x FROM eu"
    with sw.open(tmp_path, knowing) as session:
        make(session)
        session.create_view("doubled", query)
        session.create_view("counted", "SELECT count(*) AS n FROM eu")
        session.ingest("eu", rows(1, 2))
        session.refresh()
    with opened(spark, tmp_path) as session:
        assert session.view("counted").read().collect()[0].n == 2
        session.ingest("eu", rows(3))
        with pytest.raises(SlackwaterError, match="twice"):
            session.refresh()
        session.drop_view("doubled")
        session.refresh()
        assert session.view("counted").read().collect()[0].n == 3
