"""Plans of views are values: printed, compared, stored, and the same when they come back."""

from __future__ import annotations

import json

import pytest

from slackwater.algebra.rel import Rel
from slackwater.algebra.root import stored_scan
from slackwater.compiler.lowering.table import LOWERINGS
from slackwater.errors import DataError, InvariantError
from slackwater.explain.explanations import plan_lines
from slackwater.explain.plan_text import Sizes, explain_view_plan
from slackwater.optimizer.choose import LAST_RESORT, RULES, alternatives, choose_plan
from slackwater.plan.facts import Facts
from slackwater.plan.stored_plans import dump_view_plan, load_view_plan
from slackwater.plan.view_plan import RECOMPUTE, Alternative, OperatorPlan, ViewPlan

from ..golden.relations import KEPT, ORDERS

_GROWN = Facts(append_only=frozenset({"orders"}))


def _plan(rel: Rel, facts: Facts = Facts()) -> ViewPlan:  # noqa: B008 - frozen
    return choose_plan(rel, stored_scan("v", rel), facts, recomputed=False)


@pytest.mark.parametrize("title", KEPT)
def test_comes_back_from_the_catalog_as_it_was(title: str) -> None:
    rel = KEPT[title]
    for facts in (Facts(), _GROWN):
        plan = _plan(rel, facts)
        assert load_view_plan(dump_view_plan(plan), rel, stored_scan("v", rel)) == plan


def test_another_layout_is_refused() -> None:
    content = json.loads(dump_view_plan(_plan(ORDERS))) | {"layout": 99}
    with pytest.raises(DataError, match="layout 99"):
        load_view_plan(json.dumps(content), ORDERS, stored_scan("v", ORDERS))


def test_plan_of_other_inputs_cannot_be_built() -> None:
    with pytest.raises(InvariantError, match="other inputs"):
        OperatorPlan(KEPT["a filter"], Alternative("filter"))


def test_every_rule_has_a_lowering_and_a_sentence() -> None:
    assert {rule.name for rule in RULES} | {LAST_RESORT.name} == set(LOWERINGS)
    for rel in KEPT.values():
        sizes = Sizes(lambda _state: None, lambda _plan: ())
        lines = plan_lines(*explain_view_plan(_plan(rel), sizes), answer_only=False)
        assert "#" not in "\n".join(lines)


def test_first_alternative_is_preferred_and_the_last_always_fits() -> None:
    rel = KEPT["extremes under deletes"]
    found = [each.method for each in alternatives(rel, Facts())]
    assert found == ["aggregate_sums", "aggregate_extremes", "aggregate_groups", RECOMPUTE]
    assert _plan(rel).root.method == "aggregate_extremes"
    assert [each.method for each in _plan(rel).root.refused] == ["aggregate_sums"]


def test_facts_decide_between_methods() -> None:
    rel = KEPT["extremes under deletes"]
    assert _plan(rel, _GROWN).root.method == "aggregate_sums"
    assert _plan(rel, _GROWN) != _plan(rel)


def test_search_is_replaceable() -> None:
    def recompute_all(rel: Rel, facts: Facts) -> OperatorPlan:
        last = alternatives(rel, facts)[-1]
        assert isinstance(last, Alternative)
        return OperatorPlan(rel, last, tuple(recompute_all(each, facts) for each in rel.inputs))

    rel = KEPT["a sum over a join"]
    plan = choose_plan(rel, stored_scan("v", rel), Facts(), recomputed=False, search=recompute_all)
    assert [each.method for each in plan.root.kept()] == [RECOMPUTE]
    assert plan.arrangements == (plan.answer.id,)


def test_view_that_is_recomputed_keeps_its_answer_only() -> None:
    rel = KEPT["a sum over a join"]
    plan = choose_plan(rel, stored_scan("v", rel), Facts(), recomputed=True)
    assert plan.arrangements == (plan.answer.id,)
    assert _plan(rel).arrangements != plan.arrangements
