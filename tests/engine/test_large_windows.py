"""Windows are kept by ranges of their order once their partitions are known to be large."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session

from .large_windows import count_as_large

_GAPS = "SELECT id, v - lag(v) OVER (PARTITION BY k ORDER BY at, id) AS gap FROM t"
_START = datetime(2024, 1, 1, tzinfo=UTC)


def _rows(first: int, count: int, partitions: int) -> pa.Table:
    ids = range(first, first + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": pa.array([each % partitions for each in ids], pa.int64()),
            "at": pa.array(
                [_START + timedelta(minutes=7 * each) for each in ids],
                pa.timestamp("us", tz="UTC"),
            ),
            "v": pa.array([each * each % 101 for each in ids], pa.int64()),
        }
    )


def _declare(session: Session) -> None:
    session.create_source("t", "id BIGINT, k BIGINT, at TIMESTAMP, v BIGINT", key=["id"])


def _by_ranges(session: Session, view: str = "gaps") -> bool:
    plan = str(session.view(view).explain("plan"))
    return re.search(r"^ +window_ranges: ", plan, re.MULTILINE) is not None


def test_view_is_planned_anew_once_partitions_are_large(
    spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path, spark=spark) as session:
        _declare(session)
        session.create_view("gaps", _GAPS, refresh="incremental")
        session.ingest("t", _rows(0, 100, 2))
        session.refresh()
        text = str(session.view("gaps").explain("plan"))
        assert "not window_ranges: its partitions are not known to be large" in text
        session.ingest("t", _rows(100, 13_000, 2))
        (large,) = session.refresh().views
        assert large.action == "rebuilt"
        assert large.reason.startswith("partitions of a window have become large")
        (event,) = (row for row in session.history() if row.action == "replanned")
        assert "by window_ranges instead of window" in event.reason
        session.ingest("t", _rows(13_100, 5, 2))
        (small,) = session.refresh().views
        assert small.action == "incremental"
        assert session.history("gaps")[0].metrics["rows_read"] < 2_000
        assert session.verify("gaps").equal
    with sw.open(tmp_path, spark=spark) as session:
        assert _by_ranges(session)
        session.ingest("t", _rows(13_105, 20_000, 2))
        session.refresh()
        assert len([row for row in session.history() if row.action == "replanned"]) == 1
        assert session.verify("gaps").equal


@pytest.mark.parametrize(
    ("sql", "partitions", "by_ranges"),
    [
        (_GAPS, 2, True),
        (_GAPS, 3_000, False),
        (_GAPS.replace("PARTITION BY k ", ""), 3_000, True),
        (_GAPS.replace("at, id", "v, id"), 2, True),
        (_GAPS.replace("at, id", "k, id"), 2, False),
        (_GAPS.replace("k ORDER", "k % 2 ORDER"), 2, False),
    ],
)
def test_view_over_many_rows_is_planned_by_a_sample_of_them(
    sql: str, partitions: int, by_ranges: bool, spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path, spark=spark) as session:
        _declare(session)
        session.ingest("t", _rows(0, 14_000, partitions))
        session.create_view("gaps", sql)
        assert _by_ranges(session) is by_ranges


def test_buckets_of_another_width_take_other_state(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sw.open(tmp_path, spark=spark) as session:
        _declare(session)
        count_as_large(monkeypatch, shift=30)
        session.create_view("gaps", _GAPS, refresh="incremental")
        session.ingest("t", _rows(0, 300, 2))
        session.refresh()
        count_as_large(monkeypatch, shift=34)
        session.ingest("t", _rows(300, 40, 2))
        (moved,) = session.refresh().views
        assert moved.action == "rebuilt"
        (event,) = (row for row in session.history() if row.action == "replanned")
        assert event.reason.endswith("by order buckets of another width")
        session.ingest("t", _rows(340, 2, 2))
        (after,) = session.refresh().views
        assert after.action == "incremental"
        assert session.verify("gaps").equal


def test_views_of_one_window_are_kept_alike(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark=spark) as session:
        _declare(session)
        session.create_view("gaps", _GAPS, refresh="incremental")
        session.ingest("t", _rows(0, 14_000, 2))
        session.create_view(
            "wide", f"SELECT id, gap FROM ({_GAPS}) WHERE gap > 3", refresh="incremental"
        )
        session.refresh()
        session.ingest("t", _rows(5, 1, 2), op="delete")
        assert {each.action for each in session.refresh().views} == {"incremental"}
        for name in ("gaps", "wide"):
            assert _by_ranges(session, name)
            assert session.verify(name).equal
