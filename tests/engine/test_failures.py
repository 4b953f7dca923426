"""A run that fails changes nothing, and says whose rows it could not compute."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.cli.history import detail_lines
from slackwater.errors import ExecutionError
from slackwater.state.packs import files_of

_COLUMNS = pa.schema([("id", pa.int32()), ("v", pa.int32())])
GOOD = pa.table({"id": [1], "v": [2]}, schema=_COLUMNS)
BAD = pa.table({"id": [2], "v": [0]}, schema=_COLUMNS)


@pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
def test_a_failed_run_names_the_view(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("item", "id INT, v INT")
        session.create_view("fine", "SELECT id FROM item")
        session.create_view("shares", "SELECT id, 10 / v AS share FROM item")
        session.create_view("above", "SELECT max(share) AS m FROM shares")
        session.ingest("item", GOOD)
        done = session.refresh()
        session.ingest("item", BAD)
        for _ in range(2):
            with pytest.raises(ExecutionError) as failed:
                session.refresh()
            assert failed.value.where == "view shares; DIVIDE_BY_ZERO"
        rows = [row for row in session.history() if row.action == "failed"]
        assert {row.view for row in rows} == {"fine", "shares", "above"}
        assert len(rows) == 3, "trying again leaves no pile"
        (shares,) = (row.reason for row in rows if row.view == "shares")
        assert "DIVIDE_BY_ZERO" in shares
        (fine,) = (row.reason for row in rows if row.view == "fine")
        assert fine == "view shares made the run fail"
        assert next(detail_lines(session.history())).startswith(f"after commit {done.commit + 1}")
        assert "failed" not in str(session.view("shares").explain("cost"))
        assert session.view("fine").read().count() == 1
        home = session.keeper.home.folder
        stored = {path.relative_to(home).as_posix() for path in home.glob("state/*/*")}
        assert stored == files_of(session.keeper.home.store.named_paths())
        session.ingest("item", BAD, op="delete")
        session.refresh()
        assert all(session.verify(name).equal for name in session.views())
