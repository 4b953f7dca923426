"""What a session refuses to declare, and what it forgets with what is dropped."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.engine.home import LOSES_ROWS
from slackwater.errors import CatalogError, UnsupportedStatementError

SCHEMA = "id BIGINT, v BIGINT"
ROWS = pa.table({"id": [1, 2], "v": [10, 20]})


@pytest.mark.parametrize(
    ("scope", "what"), [("window", "'window' is not kept yet"), ("day", "'day' is not a scope")]
)
def test_a_scope_that_is_not_kept(
    spark: SparkSession, tmp_path: Path, scope: str, what: str
) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        with pytest.raises(CatalogError, match=what) as refused:
            session.create_view("copy", "SELECT * FROM item", scope=scope)
        assert (refused.value.where, refused.value.hint) == ("view copy", 'Use scope="all".')
        assert session.views() == ()


REFLECT = "reflect('java.lang.Math', 'abs', id) AS id"


def test_a_dataframe_of_which_a_part_has_no_form(spark: SparkSession, tmp_path: Path) -> None:
    """Its plan lives in this process only; text can be planned again by another."""
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        with pytest.raises(UnsupportedStatementError, match="CallMethodViaReflection") as refused:
            session.create_view("sizes", session.table("item").selectExpr(REFLECT))
        assert refused.value.where == "view sizes"
        assert "SQL text" in str(refused.value.hint)
        session.create_view("sizes", f"SELECT {REFLECT} FROM item")
        session.ingest("item", ROWS)
        session.refresh()
    with sw.open(tmp_path, spark) as session:
        session.ingest("item", pa.table({"id": [-3], "v": [0]}))
        session.refresh()
        assert {row.id for row in session.view("sizes").read().collect()} == {"1", "2", "3"}


def test_what_is_remembered_of_a_source_goes_with_it(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        store = session.keeper.home.store
        before = store.settings()
        for name in ("item", "items"):
            session.create_source(name, SCHEMA)
            session.ingest(name, ROWS, marks={"a.csv": "1", "b.csv": "2"})
            session.ingest(name, ROWS.slice(0, 1), op="delete")
        assert session.marks("item") == {"a.csv": "1", "b.csv": "2"}
        assert LOSES_ROWS + "item" in store.settings()
        session.drop_source("item")
        assert session.marks("items") == {"a.csv": "1", "b.csv": "2"}
        assert LOSES_ROWS + "items" in store.settings()
        session.create_source("item", SCHEMA)
        assert session.marks("item") == {}
        session.drop_source("item")
        session.drop_source("items")
        assert store.settings() == before


def test_a_refresh_without_news_leaves_no_trace(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        session.create_view("copy", "SELECT * FROM item")
        session.ingest("item", ROWS)
        filled = session.refresh()
        idle = session.refresh()
        assert [view.action for view in idle.views] == ["skipped"]
        assert idle.commit == filled.commit == session.status().commit
        assert [row.commit for row in session.history("copy")] == [filled.commit]
