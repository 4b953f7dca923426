"""What a session refuses to declare, and what it forgets with what is dropped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api.forced import open_forced
from slackwater.errors import CatalogError, UnsupportedStatementError
from slackwater.events import Progress

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
        home = session.keeper.home
        before = home.catalog().pinned
        for name in ("item", "items"):
            session.create_source(name, SCHEMA)
            session.ingest(name, ROWS, marks={"a.csv": "1", "b.csv": "2"})
            session.ingest(name, ROWS.slice(0, 1), op="delete")
        assert session.marks("item") == {"a.csv": "1", "b.csv": "2"}
        assert "item" in home.catalog().state.lossy
        session.drop_source("item")
        assert session.marks("items") == {"a.csv": "1", "b.csv": "2"}
        assert home.catalog().state.lossy == {"items"}
        session.create_source("item", SCHEMA)
        assert session.marks("item") == {}
        assert home.catalog().facts.append_only == {"item"}
        session.drop_source("item")
        session.drop_source("items")
        assert home.catalog().state.lossy == set()
        assert home.store.positions("item") == home.store.positions("items") == {}
        assert home.catalog().pinned == before


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


BAD_SOURCES = {
    "a type that is none": ({"schema": "id BIGNT"}, "the columns cannot be read: "),
    "a schema of Arrow": ({"schema": ROWS.schema}, "a schema cannot be given as Schema"),
    "no name": ({"name": " ", "schema": SCHEMA}, "a source needs a name"),
}
BAD_VIEWS = {
    "no query": ({"query": None}, "a query cannot be given as NoneType"),
    "a goal as text": ({"goal": "30s"}, "a goal cannot be given as str"),
    "no name": ({"name": ""}, "a view needs a name"),
}


@pytest.mark.parametrize("case", BAD_SOURCES)
def test_what_cannot_be_a_source(spark: SparkSession, tmp_path: Path, case: str) -> None:
    given, what = BAD_SOURCES[case]
    with sw.open(tmp_path, spark) as session:
        with pytest.raises(CatalogError, match=what) as refused:
            session.create_source(**{"name": "item", **given})
        assert refused.value.hint
        assert session.sources() == ()


@pytest.mark.parametrize("case", BAD_VIEWS)
def test_what_cannot_be_a_view(spark: SparkSession, tmp_path: Path, case: str) -> None:
    given, what = BAD_VIEWS[case]
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        with pytest.raises(CatalogError, match=what) as refused:
            session.create_view(**{"name": "copy", "query": "SELECT * FROM item", **given})
        assert refused.value.hint
        assert session.views() == ()


def test_a_key_may_be_one_name_in_any_case(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        assert session.create_source("item", SCHEMA, key="ID").definition.key == ("id",)
        session.ingest("item", ROWS)
        session.ingest("item", pa.table({"id": [1], "v": [11]}), op="upsert")
        session.create_view("copy", "SELECT * FROM item")
        session.refresh()
        assert sorted(map(tuple, session.view("copy").read().collect())) == [(1, 11), (2, 20)]


def test_a_closed_session_does_nothing_more(spark: SparkSession, tmp_path: Path) -> None:
    closed = sw.open(tmp_path, spark)
    closed.create_source("item", SCHEMA)
    view = closed.create_view("copy", "SELECT * FROM item")
    closed.close()
    closed.close()
    with sw.open(tmp_path, spark) as session:
        session.ingest("item", ROWS)
        attempts = (
            lambda: closed.ingest("item", ROWS),
            closed.refresh,
            closed.compact,
            closed.history,
            closed.status,
            view.read,
            lambda: closed.create_source("other", SCHEMA),
        )
        for attempt in attempts:
            with pytest.raises(CatalogError, match="the session is closed"):
                attempt()
        session.refresh()
        assert session.view("copy").read().count() == 2


def test_views_of_the_same_rows_share_them(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        for name in ("one", "other"):
            session.create_view(name, "SELECT id FROM item")
        session.ingest("item", ROWS)
        session.refresh()
        assert session.status().state_bytes == 0


def test_batches_that_nobody_reads_are_merged_too(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        for number in range(12):
            session.ingest("item", pa.table({"id": [number], "v": [0]}))
        session.compact()
        assert len(_segments(session, "item")) == 1
        session.create_view("copy", "SELECT * FROM item")
        assert session.verify("copy").equal
        session.refresh()
        assert session.view("copy").read().count() == 12
        assert session.verify("copy").equal


def _segments(session: sw.Session, source: str) -> tuple[object, ...]:
    catalog = session.keeper.catalog()
    return catalog.segments(catalog.source(source).arrangement.id)


@pytest.mark.parametrize(
    ("driver_rows", "last"), [(10, "step 3 of 3: writing state"), (0, "running the Spark job")]
)
def test_progress_is_told(spark: SparkSession, tmp_path: Path, driver_rows: int, last: str) -> None:
    told: list[str] = []
    with open_forced(tmp_path, spark, driver_rows=driver_rows) as session:
        session.subscribe(lambda event: told.append(str(event)), Progress)
        session.create_source("item", SCHEMA)
        session.create_view("copy", "SELECT id FROM item")
        session.ingest("item", ROWS)
        session.refresh()
    assert told[-1] == last
    assert "refreshing" in told


def test_a_view_without_sources_is_filled_once(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        for name, condition in (("none", "FALSE"), ("one", "TRUE")):
            session.create_view(name, f"SELECT 1 AS x WHERE {condition}")
        filled = session.refresh()
        assert {view.action for view in filled.views} == {"filled"}
        assert session.refresh().commit == filled.commit
        session.drop_view("none")
        session.create_view("none", "SELECT 2 AS x WHERE FALSE")
        again = {view.view: view.action for view in session.refresh().views}
        assert again == {"one": "skipped", "none": "filled"}


def test_names_with_dots_keep_their_own_marks(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        created = session.create_source("s", SCHEMA)
        commit = session.keeper.catalog().state.sources["s"].created
        other = f"s.{commit}"
        session.create_source(other, SCHEMA)
        created.ingest(ROWS)
        session.ingest(other, ROWS, marks={"a.csv": "1"})
        assert session.marks("s") == {}
        session.drop_source("s")
        assert session.marks(other) == {"a.csv": "1"}


def test_threads_wait_for_one_another(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        names = [f"item_{n}" for n in range(3)]
        for name in names:
            session.create_source(name, SCHEMA)
            session.create_view(f"of_{name}", f"SELECT count(*) AS n, sum(v) AS s FROM {name}")

        def take(name: str) -> None:
            for _ in range(5):
                session.ingest(name, ROWS)
                session.refresh()

        with ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(take, names))
        session.refresh()
        read = [tuple(session.view(f"of_{name}").read().collect()[0]) for name in names]
        assert read == [(10, 150)] * len(names)
