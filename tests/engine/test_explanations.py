"""What `explain` returns is data that says what its text says."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import (
    CostExplanation,
    ExplainedOperator,
    PlanExplanation,
    ProgramExplanation,
    Session,
    WhyExplanation,
)
from slackwater.errors import CatalogError

VIEWS = {
    "totals": "SELECT g, sum(v) AS s, max(v) AS m FROM item GROUP BY g ORDER BY s LIMIT 3",
    "medians": "SELECT g, percentile(v, 0.5) AS p FROM item GROUP BY g",
    "pairs": "SELECT a.v FROM item a JOIN item b ON a.g = b.v WHERE a.v > 0",
    "odd": "SELECT reflect('java.lang.Math', 'abs', v) AS v FROM item",
}


@pytest.fixture(scope="module")
def session(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with sw.open(tmp_path_factory.mktemp("home"), spark, engine="driver") as session:
        session.create_source("item", "g BIGINT, v BIGINT")
        for name, sql in VIEWS.items():
            session.create_view(name, sql)
        session.create_view("late", "SELECT g FROM item")
        session.create_view("full", "SELECT g FROM item WHERE g > 1", refresh="full")
        for start in (0, 50):
            numbers = pa.array(range(start, start + 50), pa.int64())
            session.ingest("item", pa.table({"g": pa.compute.divide(numbers, 7), "v": numbers}))
            session.refresh()
        session.create_view("new", "SELECT g % 5 AS h, sum(g) AS s FROM item GROUP BY g % 5")
        yield session


def operators(root: ExplainedOperator) -> Iterator[ExplainedOperator]:
    yield root
    for each in root.inputs:
        yield from operators(each)


@pytest.mark.parametrize("view", [*VIEWS, "full", "new"])
@pytest.mark.parametrize("kind", ["plan", "why", "program", "cost"])
def test_every_explanation_is_json_and_text(session: Session, view: str, kind: str) -> None:
    found = session.view(view).explain(kind)
    assert (found.kind, found.view) == (kind, view)
    assert found == session.view(view).explain(kind)
    assert json.loads(json.dumps(found.as_dict()))["view"] == view
    assert str(found).strip()


@pytest.mark.parametrize("view", VIEWS)
def test_the_text_says_what_the_operators_say(session: Session, view: str) -> None:
    plan, why = session.view(view).explain("plan"), session.view(view).explain("why")
    assert isinstance(plan, PlanExplanation)
    assert isinstance(why, WhyExplanation)
    for found in (plan, why):
        lines = [line.strip() for line in str(found).splitlines()]
        for each in operators(found.root):
            if found is plan:
                assert any(line.startswith(each.operator.splitlines()[0]) for line in lines)
            for state in each.keeps:
                assert f"keeps {state}" in lines
            for refused in each.refused:
                assert f"not {refused.method}: {refused.reason}" in lines
    assert [each.method for each in operators(plan.root)] == [
        each.method for each in operators(why.root)
    ]


def test_state_has_sizes_once_it_is_filled(session: Session) -> None:
    plan, new = session.view("totals").explain("plan"), session.view("new").explain("plan")
    assert isinstance(plan, PlanExplanation)
    assert isinstance(new, PlanExplanation)
    assert plan.answer.size is not None
    assert plan.answer.size.filled
    assert plan.answer.size.rows > 0
    (kept,) = (state for each in operators(new.root) for state in each.keeps)
    assert kept.size is not None
    assert not kept.size.filled
    assert str(kept).endswith(": not filled yet")
    assert [each.split(" ")[0] for each in plan.when_read] == ["Limit", "Sort"]
    assert any(each.seen for each in operators(plan.root))


def test_a_program_has_its_steps_in_order(session: Session) -> None:
    program = session.view("pairs").explain("program")
    assert isinstance(program, ProgramExplanation)
    assert program.steps[0].kind == "source_changes"
    assert {"compute", "look_up", "append"} <= {step.kind for step in program.steps}
    made: set[str] = set()
    for step in program.steps:
        assert set(step.reads) <= made
        made.add(step.name)
    assert str(program) == "\n".join(step.text for step in program.steps)


def test_costs_are_those_of_the_last_run_that_did_something(session: Session) -> None:
    cost, new = session.view("totals").explain("cost"), session.view("new").explain("cost")
    assert isinstance(cost, CostExplanation)
    assert isinstance(new, CostExplanation)
    assert cost.run == session.history("totals")[0]
    assert new.run is None
    assert str(new) == "view new has not been refreshed yet"


def test_a_kind_that_does_not_exist_is_refused(session: Session) -> None:
    with pytest.raises(CatalogError, match="'colour' cannot be explained") as refused:
        session.view("totals").explain("colour")
    assert refused.value.hint == "Ask for plan, why, program, cost."
