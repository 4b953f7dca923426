"""The page that follows a change through TPC-H's question 17 tells what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.compiler.blocks import fuse
from slackwater.compiler.refresh import write_program
from slackwater.compiler.spark_sql import print_step
from slackwater.compiler.tasks import Action, RunFacts
from slackwater.plan.program import ComputeStep
from slackwater.planning.plans import Plans
from slackwater.running.situation import view_task
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "one-change-through-q17.md"
QUERY = ROOT / "tests" / "oracle" / "queries" / "tpch" / "q17.sql"
FRAME = re.compile(r"\b(?:scan|project|aggregate|join|filter)\d+_\w+")


def rows(table: pa.Table, *changed: dict[str, object]) -> pa.Table:
    """The first row of a table again and again, with other values in some columns."""
    first = table.slice(0, 1).to_pylist()[0]
    return pa.Table.from_pylist([{**first, **values} for values in changed], table.schema)


def line(number: int, quantity: int, price: int) -> dict[str, object]:
    return {
        "l_partkey": 1,
        "l_linenumber": number,
        "l_quantity": quantity,
        "l_extendedprice": price,
    }


@pytest.fixture
def home(spark: SparkSession, tmp_path: Path) -> sw.Session:
    """The home of the page: one matching part, and three lines of it."""
    tables = read_tpch(ensure_tpch(0.001))
    session = sw.open(tmp_path / "home", spark=spark)
    for name in ("lineitem", "part"):
        schema = spark.createDataFrame(tables[name].slice(0, 1)).schema
        session.create_source(name, schema, key=TPCH_KEYS[name].primary)
    session.create_view("q17", QUERY.read_text(encoding="utf-8"))
    part = {"p_partkey": 1, "p_brand": "Brand#23", "p_container": "MED BOX"}
    session.ingest("part", rows(tables["part"], part))
    old = (line(1, 10, 1000), line(2, 50, 5000), line(3, 50, 6000))
    session.ingest("lineitem", rows(tables["lineitem"], *old))
    session.refresh()
    return session


def frames_of_the_run(session: sw.Session) -> set[str]:
    """All names in the program of a run in which only `lineitem` has changed."""
    catalog = session.keeper.catalog()
    plan = Plans(catalog, catalog.facts)["q17"]
    run = RunFacts(
        sources={name: source.columns for name, source in catalog.sources.items()},
        changed=frozenset({"lineitem"}),
        stored={each: catalog.rows(each) for each in catalog.state.arrangements},
    )
    program = fuse(write_program(run, (view_task(catalog.view("q17"), Action.INCREMENTAL, plan),)))
    texts = (print_step(step) for step in program.steps if isinstance(step, ComputeStep))
    return {step.name for step in program.steps} | set(FRAME.findall("\n".join(texts)))


def test_every_name_on_the_page_is_real(home: sw.Session) -> None:
    text = PAGE.read_text(encoding="utf-8")
    with home as session:
        view = session.view("q17")
        known = str(view.explain("why")) + "".join(session.keeper.catalog().state.arrangements)
        real = frames_of_the_run(session)
    states = set(re.findall(r"\ba[0-9a-f]{16}\b", text))
    frames = set(FRAME.findall(text))
    assert len(states) == 8
    assert len(frames) > 10
    assert {name for name in states if name not in known} == set()
    assert frames - real == set()


def written_by(session: sw.Session, commit: int) -> int:
    """How many segments a run wrote."""
    segments = session.keeper.catalog().state.segments.values()
    return sum(each.created == commit for several in segments for each in several)


def test_the_two_changes_go_as_told(home: sw.Session) -> None:
    lineitem = read_tpch(ensure_tpch(0.001))["lineitem"]
    with home as session:
        view = session.view("q17")
        assert view.read().collect() == [(None,)]
        assert session.ingest("lineitem", rows(lineitem, line(4, 1, 100))).commit == 8
        told = session.refresh()
        assert (told.commit, written_by(session, 9)) == (9, 6)
        assert [(each.action, each.reason) for each in told.views] == [
            ("incremental", "1 of 5 rows changed")
        ]
        assert str(view.read().collect()[0][0]).startswith("14.285714")
        session.ingest("lineitem", rows(lineitem, line(2, 50, 5000)), op="delete")
        assert session.refresh().commit == 11
        assert written_by(session, 11) == 4
        assert view.changes(since=9).count() == 0
