"""Groups by intervals: stored in another form than computed with, and not all comparable."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw

_KEYS = {
    "months": "make_ym_interval(0, m)",
    "calendar": "make_interval(0, m, 0, 1)",
    "nested": "named_struct('one', make_interval(0, coalesce(m, 5)))",
}


def _rows(*pairs: tuple[int, int | None]) -> pa.Table:
    ids, months = zip(*pairs, strict=True)
    return pa.table({"id": pa.array(ids, pa.int64()), "m": pa.array(months, pa.int32())})


@pytest.mark.parametrize("engine", ["auto", "spark"], ids=["driver", "spark"])
def test_groups_follow_changes_and_deletes(
    engine: str, spark: SparkSession, tmp_path: Path
) -> None:
    with sw.open(tmp_path, spark=spark, engine=engine) as session:
        session.create_source("t", "id BIGINT, m INT", key=["id"])
        for name, key in _KEYS.items():
            sql = f"SELECT {key} AS k, count(*) AS n, sum(m) AS total FROM t GROUP BY {key}"
            session.create_view(name, sql, refresh="incremental")
        session.ingest("t", _rows((1, 1), (2, 1), (3, 14), (4, None)))
        session.ingest("t", _rows((7, None), (8, None)))
        session.refresh()
        assert all(session.verify(name).equal for name in ("months", "calendar"))
        session.ingest("t", _rows((5, 1), (6, 2)))
        session.refresh()
        session.ingest("t", _rows((3, 14), (4, None), (7, None), (8, None)), op="delete")
        run = session.refresh()
        assert {each.action for each in run.views} == {"incremental"}
        for name in _KEYS:
            assert session.verify(name).equal
            assert session.view(name).read().count() == 2
