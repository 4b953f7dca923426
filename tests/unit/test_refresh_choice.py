"""Views are kept the way that costs less, and switch once the other way would have paid."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.compiler.tasks import Action
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.observations import Observed
from slackwater.plan.prices import DRIVER, Prices, Rates
from slackwater.plan.program import AppendStep, Program, SourceChangesStep
from slackwater.running.decide import Candidate, Decision
from slackwater.running.refresh_choice import Decisions, Memory, Weighing, shares
from slackwater.types import BIGINT

from ..golden.relations import ORDERS

_NO_MEMORY = Memory()
_TRIED = Memory(0.0, Observed(10, 0, 1.0))
_STATE = Arrangement("owner", Role.CONTENTS, (BIGINT,), ())


@dataclass(frozen=True)
class _Priced:
    seconds: tuple[float, ...]
    rates: Rates = Prices().driver
    engine: str = DRIVER
    slowdown: float = 1.0

    @property
    def total(self) -> float:
        return sum(self.seconds)


def _view(policy: RefreshPolicy) -> ViewDefinition:
    return ViewDefinition("v", None, ORDERS, (), "", policy=policy)


def _taking_in(policy: RefreshPolicy = RefreshPolicy.AUTO) -> Decision:
    ways = (Action.INCREMENTAL, Action.REBUILD, Action.RECOMPUTE)
    candidates = tuple(Candidate(each, 1000) for each in ways)
    return Decision(_view(policy), Action.INCREMENTAL, "some changed", candidates, 1000, 10)


def _anew() -> Decision:
    candidates = tuple(Candidate(each, 1000) for each in (Action.RECOMPUTE, Action.REBUILD))
    return Decision(
        _view(RefreshPolicy.AUTO), Action.RECOMPUTE, "some changed", candidates, 1000, 10
    )


def _settled(
    decision: Decision, prices: dict[Action, float], past: Memory = _NO_MEMORY
) -> Decision:
    programs: dict[Program, float] = {}

    def write(decisions: Decisions) -> Program:
        changes = SourceChangesStep("changes", "t")
        program = Program((changes, AppendStep(_STATE.id, "changes", _STATE)))
        programs[program] = prices[decisions[0].action]
        return program

    def price(program: Program, _slowdown: float) -> _Priced:
        return _Priced((0.0, programs[program]))

    state = {"v": frozenset({_STATE.id})}
    (found,), _program = Weighing(write, price, state, lambda _view: past).settle((decision,))
    return found


def _prices(incremental: float, rebuild: float, recompute: float) -> dict[Action, float]:
    return {
        Action.INCREMENTAL: incremental,
        Action.REBUILD: rebuild,
        Action.RECOMPUTE: recompute,
    }


@pytest.mark.parametrize(
    ("prices", "action"),
    [
        pytest.param((0.05, 0.01, 0.01), Action.INCREMENTAL, id="little is not weighed"),
        pytest.param((1.0, 3.0, 2.0), Action.INCREMENTAL, id="cheapest"),
        pytest.param((1.0, 0.5, 0.8), Action.REBUILD, id="starting over is cheaper"),
        pytest.param((1.0, 0.95, 0.95), Action.INCREMENTAL, id="hardly cheaper"),
        pytest.param((3.0, 2.0, 1.0), Action.RECOMPUTE, id="anew is cheaper by more than itself"),
        pytest.param((1.5, 2.0, 1.0), Action.INCREMENTAL, id="anew is cheaper by less"),
    ],
)
def test_takes_the_cheapest_way_of_a_first_run(
    prices: tuple[float, float, float], action: Action
) -> None:
    assert _settled(_taking_in(), _prices(*prices), _TRIED).action is action


def test_regret_adds_up_until_the_view_switches() -> None:
    prices = _prices(1.5, 2.0, 1.0)
    first = _settled(_taking_in(), prices)
    assert first.regret == pytest.approx(0.5)
    second = _settled(_taking_in(), prices, replace(_TRIED, regret=first.regret))
    assert second.action is Action.RECOMPUTE
    assert "1.50 s to take the change in, 1.00 s anew" in second.reason


def test_way_that_was_never_tried_is_not_given_up() -> None:
    assert _settled(_taking_in(), _prices(3.0, 9.0, 1.0)).action is Action.INCREMENTAL


def test_regret_is_forgotten_when_taking_in_is_cheaper() -> None:
    assert _settled(_taking_in(), _prices(0.5, 2.0, 1.0), Memory(0.9)).regret == 0.0


def test_change_of_most_rows_says_nothing_of_those_to_come() -> None:
    large = replace(_taking_in(), changed=900)
    assert _settled(large, _prices(3.0, 2.0, 1.0)).action is Action.REBUILD


def test_policy_that_insists_is_not_weighed() -> None:
    found = _settled(_taking_in(RefreshPolicy.INCREMENTAL), _prices(9.0, 1.0, 0.1))
    assert found.action is Action.INCREMENTAL
    assert all(each.seconds is None for each in found.candidates)


def test_all_ways_are_priced() -> None:
    found = _settled(_taking_in(), _prices(1.0, 3.0, 2.0))
    assert {each.action: each.seconds for each in found.candidates} == pytest.approx(
        _prices(1.0, 3.0, 2.0)
    )
    assert {each.engine for each in found.candidates} == {DRIVER}


def test_takes_changes_in_again_once_that_would_have_paid() -> None:
    prices = _prices(0.0, 2.5, 1.0)
    cheap = Observed(10, 0, 0.1)
    first = _settled(_anew(), prices, Memory(0.0, cheap))
    assert (first.action, first.regret) == (Action.RECOMPUTE, pytest.approx(0.9))
    assert _settled(_anew(), prices, Memory(1.8, cheap)).action is Action.REBUILD


def test_stays_anew_while_changes_are_as_large_as_those_that_were_dear() -> None:
    dear = Observed(10, 0, 3.0)
    found = _settled(_anew(), _prices(0.0, 2.5, 1.0), Memory(0.0, dear))
    assert (found.action, found.regret) == (Action.RECOMPUTE, 0.0)
    unknown = _settled(_anew(), _prices(0.0, 2.5, 1.0))
    assert (unknown.action, unknown.regret) == (Action.RECOMPUTE, 0.0)


def test_steps_in_common_stay_in_the_price_of_another_way() -> None:
    other = Arrangement("other", Role.CONTENTS, (BIGINT,), ())
    program = Program(
        (
            SourceChangesStep("changes", "t"),
            AppendStep(_STATE.id, "changes", _STATE),
            AppendStep(other.id, "changes", other),
        )
    )
    found = shares(
        program, (4.0, 1.0, 2.0), {"v": frozenset({_STATE.id}), "w": frozenset({other.id})}
    )
    assert found["v"].seconds == pytest.approx(3.0)
    assert found["v"].common == pytest.approx(2.0)
    assert found["w"].seconds == pytest.approx(4.0)


def test_other_ways_are_written_for_one_view_alone() -> None:
    written: list[Decisions] = []

    def write(decisions: Decisions) -> Program:
        written.append(decisions)
        changes = SourceChangesStep("changes", "t")
        return Program((changes, AppendStep(_STATE.id, "changes", _STATE)))

    one = _taking_in()
    two = replace(one, view=replace(one.view, name="w"))
    state = {"v": frozenset({_STATE.id}), "w": frozenset({"nothing"})}
    weighing = Weighing(
        write, lambda _program, _slow: _Priced((0.0, 1.0)), state, lambda _v: _TRIED
    )
    weighing.settle((one, two))
    assert [tuple(each.action for each in decisions) for decisions in written[1:3]] == [
        (Action.REBUILD, Action.SKIP),
        (Action.RECOMPUTE, Action.SKIP),
    ]
