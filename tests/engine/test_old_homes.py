"""Homes of earlier versions open, and go on from the state they have.

Each archive in `tests/fixtures/homes` is a home as a version left it:

- `statements_as_text`: keys of state were texts of SQL, and so were statements.
"""

from __future__ import annotations

import tarfile
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw

HOMES = Path(__file__).parents[1] / "fixtures" / "homes"
_SCHEMA = "id BIGINT, g STRING, x INT, d DECIMAL(12,2), f DOUBLE, m MAP<STRING,INT>, i INT"


def _rows(first: int, last: int) -> list[tuple[object, ...]]:
    """Rows as the home has them."""
    return [
        (n, "abc"[n % 3], n % 5, Decimal(n) / 4, n * 0.5 if n % 7 else -0.0, {"k": n % 2}, None)
        for n in range(first, last)
    ]


@pytest.mark.parametrize("archive", sorted(HOMES.glob("*.tar.gz")), ids=lambda path: path.name)
def test_state_is_kept_and_taken_on(spark: SparkSession, tmp_path: Path, archive: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "home", filter="data")
    with sw.open(tmp_path / "home", spark=spark) as session:
        views = list(session.views())
        before = {view: str(session.view(view).explain("why")) for view in views}
        session.ingest("t", spark.createDataFrame(_rows(3, 5) + _rows(50, 60), _SCHEMA))
        session.ingest("t", spark.createDataFrame(_rows(10, 13), _SCHEMA), op="delete")
        session.ingest("u", spark.createDataFrame([("c", "C")], "g STRING, name STRING"))
        result = session.refresh()
        actions = dict.fromkeys(views, "incremental")
        # Sums of floating-point numbers were kept by the rows of their groups.
        actions["fl"] = "rebuilt"
        assert {run.view: run.action for run in result.views} == actions
        assert len(views) == len(before) > 10
        assert [view for view in views if "not filled yet" in before[view]] == ["fl"]
        assert [view for view in views if not session.verify(view).equal] == []
