"""Large answers are compared by Spark itself."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.reading import verify
from slackwater.reading.reader import Reader
from slackwater.reading.verify import large_difference


def test_bags_are_compared_with_their_multiplicities(spark: SparkSession) -> None:
    one = spark.sql("SELECT * FROM VALUES (1, 'a'), (1, 'a'), (2, NULL) AS t(n, s)")
    other = spark.sql("SELECT * FROM VALUES (1, 'a'), (2, NULL), (2, NULL) AS t(n, s)")
    assert large_difference(one, one) is None
    told = large_difference(one, other)
    assert told is not None
    assert "only in the view: {'n': 1, 's': 'a'}" in told
    assert "only in plain Spark: {'n': 2, 's': None}" in told
    assert "columns are" in (large_difference(one, other.selectExpr("n", "n AS s")) or "")


def test_a_large_view_is_verified_without_collecting_it(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "_COLLECTED", 2)
    monkeypatch.setattr(verify, "compare_bags", None)
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("t", "n INT")
        session.create_view("v", "SELECT n FROM t")
        session.ingest("t", pa.table({"n": pa.array(range(10), pa.int32())}))
        session.refresh()
        assert session.verify("v").equal


def test_which_of_equals_a_limit_keeps_is_left_open(spark: SparkSession, tmp_path: Path) -> None:
    """Reading and recomputing choose among tied rows as they come, and both are right."""
    rows = pa.table({"n": pa.array(range(1000), pa.int32()), "v": pa.array([7] * 1000, pa.int32())})
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("t", "n INT, v INT")
        session.create_view("first", "SELECT n, v FROM t ORDER BY v LIMIT 5")
        session.create_view("doubled", "SELECT 2 * n AS m FROM t ORDER BY v LIMIT 5")
        session.create_view("any_row", "SELECT n FROM t LIMIT 1")
        session.ingest("t", rows)
        session.refresh()
        assert session.view("first").read().count() == 5
        assert all(session.verify(name).equal for name in session.views())


def test_ties_hide_no_other_difference(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sw.open(tmp_path / "home", spark=spark) as session:
        session.create_source("t", "n INT")
        session.create_view("first", "SELECT n FROM t ORDER BY n LIMIT 2")
        session.ingest("t", pa.table({"n": pa.array([1, 2, 3], pa.int32())}))
        session.refresh()
        wrong = spark.sql("SELECT * FROM VALUES (1), (9), (3) AS t(k0)")
        monkeypatch.setattr(Reader, "stored", lambda *_: wrong)
        assert not session.verify("first").equal
