"""The catalog as a value: what it says of sources, views and their readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Scan, Values
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import base_sources, filled_state, is_behind, is_filled
from slackwater.catalog.logs import NOTHING_READ, Logs
from slackwater.catalog.stored_files import Pending
from slackwater.catalog.stored_records import goal_records
from slackwater.errors import CatalogError, InvariantError
from slackwater.optimizer.rules.arrangement_keys import contents
from slackwater.plan.facts import Facts
from slackwater.plan.stored_plans import dump_view_plan
from slackwater.planning.plans import Plans, make_plan
from slackwater.state.metadata.records import (
    ArrangementRecord,
    ProgressRecord,
    SourceRecord,
    Transaction,
    ViewRecord,
)
from slackwater.state.metadata.store import MetadataStore
from slackwater.types import INTEGER

from ..contracts.metadata_values import commit, ingest

_SCHEMA = StructType([StructField("a", IntegerType())]).json()
_COLUMN = Column(1, "a", INTEGER, nullable=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MetadataStore]:
    with MetadataStore.open(tmp_path / "metadata.db") as store:
        commit(store, _source("orders"), _source("parts", append_only=True))
        yield store


def _source(name: str, *, append_only: bool = False) -> Transaction:
    definition = SourceDefinition(name, _SCHEMA, append_only=append_only).dump()
    return Transaction(
        "create_source",
        add_arrangements=(ArrangementRecord(name, "{}"),),
        add_sources=(SourceRecord(name, definition, name),),
    )


def _view(
    name: str, reads: str | None, goal: Goal | None = None, answer: str | None = None
) -> Transaction:
    """A view of a source or view, or of no row at all."""
    plan = Values((_COLUMN,), ()) if reads is None else Scan(reads, (_COLUMN,))
    view = ViewDefinition(name, None, plan, ("a",), _SCHEMA, goal=goal)
    return Transaction(
        "create_view",
        add_arrangements=(ArrangementRecord(answer or f"answer of {name}", "{}"),),
        add_views=(ViewRecord(name, view.dump(), answer or f"answer of {name}"),),
        goals=goal_records([view]),
    )


def test_a_view_has_its_goal_and_its_answer(store: MetadataStore) -> None:
    commit(store, _view("soon", "orders", Goal(slack="5m")), _view("plain", "orders"))
    catalog = Catalog(store.state())
    assert [view.goal for view in catalog.views.values()] == [Goal(slack="5m"), None]
    assert catalog.view("soon").plan == catalog.view("plain").plan
    assert catalog.answer("plain") == "answer of plain"
    assert catalog.contents("parts") == "parts"
    for ask in (catalog.answer, catalog.view):
        with pytest.raises(CatalogError, match=r"no view called orders(.|\n)*plain, soon"):
            ask("orders")
    with pytest.raises(CatalogError, match="no source called soon"):
        catalog.contents("soon")


def test_facts_follow_settings_losses_and_promises(store: MetadataStore) -> None:
    known = Catalog(store.state()).facts
    assert (known.ansi, known.append_only, known.sums_fit) == (False, {"orders", "parts"}, True)
    pinned = {"spark.sql.ansi.enabled": "TRUE", "spark.sql.session.timeZone": "UTC"}
    commit(store, Transaction("run", pinned=pinned, lossy=("orders",), sums_outgrown=True))
    catalog = Catalog(store.state())
    assert catalog.pinned == {**pinned, "spark.sql.ansi.enabled": "true"}
    assert catalog.facts == replace(known, ansi=True, append_only={"parts"}, sums_fit=False)
    assert Catalog(store.state(2)).facts == known
    assert Catalog(store.state(2)).declared_facts == replace(known, append_only={"parts"})


def test_a_view_is_filled_once_it_has_read_all_its_sources(store: MetadataStore) -> None:
    commit(store, _view("below", "orders"), _view("above", "below"))
    above = Catalog(store.state()).view("above")
    assert base_sources(above, Catalog(store.state())) == {"orders"}
    assert not is_filled(above, Catalog(store.state()))
    assert is_behind(above, Catalog(store.state()))
    waiting = {"answer of above", "answer of below"}
    assert waiting.isdisjoint(filled_state(Catalog(store.state())))
    read = tuple(ProgressRecord(name, "orders", 0) for name in ("above", "below"))
    commit(store, Transaction("run", progress=read))
    assert is_filled(above, Catalog(store.state()))
    assert not is_behind(above, Catalog(store.state()))
    assert waiting < filled_state(Catalog(store.state()))
    commit(store, ingest(1))
    assert is_behind(above, Catalog(store.state()))


def test_a_view_of_no_source_is_filled_by_a_run_even_with_no_row(store: MetadataStore) -> None:
    commit(store, _view("nothing", None))
    nothing = Catalog(store.state()).view("nothing")
    assert not is_filled(nothing, Catalog(store.state()))
    commit(store, Transaction("run", filled=("nothing",)))
    assert is_filled(nothing, Catalog(store.state()))
    assert not is_behind(nothing, Catalog(store.state()))


def test_pending_rows_are_those_behind_the_cursor(store: MetadataStore) -> None:
    commit(store, _view("v", "orders"), ingest(1), ingest(2))
    before = Pending.of(Catalog(store.state()))
    assert (before.rows["orders"], before.changed["orders"]) == (6, 6)
    commit(store, Transaction("run", progress=(ProgressRecord("v", "orders", 1),)))
    after = Pending.of(Catalog(store.state()))
    assert after.over(frozenset({"orders", "parts"})) == (6, 3)


def test_a_reader_that_has_read_nothing_differs_from_one_of_an_empty_log() -> None:
    logs = Logs({"full": 3}, {("early", "full"): 1, ("late", "full"): 3, ("late", "empty"): 0})
    assert [logs.end(log) for log in ("full", "empty")] == [3, 0]
    assert logs.cursor("early", "empty") == NOTHING_READ
    assert (logs.has_read("late", "empty"), logs.has_read("early", "empty")) == (True, False)
    assert (logs.is_behind("late", "empty"), logs.is_behind("early", "empty")) == (False, True)
    assert logs.readers("full") == ("early", "late")
    assert (logs.first_cursor("full"), logs.last_cursor("full")) == (1, 3)
    assert (logs.first_cursor("none"), logs.last_cursor("none")) == (0, NOTHING_READ)


def test_a_view_that_is_planned_anew_keeps_its_answer_where_it_is(store: MetadataStore) -> None:
    scan = Scan("orders", (_COLUMN,))
    first = make_plan(ViewDefinition("v", None, scan, ("a",), _SCHEMA), Facts())
    elsewhere = replace(first, answer=contents(scan, ()))
    commit(store, _view("v", "orders", answer=elsewhere.answer.id))
    commit(store, Transaction("run", plans={"v": dump_view_plan(elsewhere)}))
    catalog = Catalog(store.state())
    assert catalog.facts.append_only != elsewhere.facts.append_only
    plans = Plans(catalog, catalog.facts)
    assert plans.new.keys() == {"v"}
    assert plans["v"].answer == elsewhere.answer != first.answer
    forgotten = Catalog(replace(catalog.state, plans={}))
    with pytest.raises(InvariantError, match=f"view v is kept as {elsewhere.answer.id}"):
        Plans(forgotten, forgotten.facts)


def test_a_home_without_the_lock_hands_out_no_writer(store: MetadataStore, tmp_path: Path) -> None:
    home = Home(tmp_path, store, None)
    with pytest.raises(CatalogError, match="open for reading only"):
        _ = home.writer
    with pytest.raises(CatalogError, match="open for reading only"):
        home.commit(Transaction("run"))
    assert home.catalog().sources.keys() == {"orders", "parts"}
