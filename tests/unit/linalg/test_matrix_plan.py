from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import MatrixError
from slackwater.frontend.linalg.ready import matrix_power, ordinary_least_squares
from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.maintained import MaintainedProgram, Upkeep
from slackwater.linalg.matrix_plan import MatrixPlan, Strategy, Workload, choose_plan
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.models import Exponential, Linear, Model, Skip
from slackwater.linalg.plan_text import explain_plan
from slackwater.linalg.speed import MatrixPrices

from .samples import contraction

GENERAL = parse_program("input A(n, n); input B(n, p); R := iterate(T = A * T + B, 16, from B);")
LIN_PRICES = MatrixPrices(numbers=1e15, operation=0.0)
"""Prices by which only floating-point operations count, as in table 6.2."""


def general(p: int, n: int = 2_000) -> MatrixPlan:
    return choose_plan(GENERAL, Workload({"n": n, "p": p}, {"A": 1}), LIN_PRICES)


def best(plan: MatrixPlan, strategy: Strategy) -> object:
    return next(each.model for each in plan.candidates if each.strategy is strategy)


def test_powers_are_kept_incrementally_in_the_exponential_model() -> None:
    plan = choose_plan(matrix_power(16), Workload({"n": 2_000}, {"A": 1}), LIN_PRICES)
    assert (plan.chosen.strategy, plan.chosen.model) == (Strategy.INCREMENTAL, Exponential())
    assert plan.candidates[0] is plan.chosen


def test_a_column_is_kept_by_the_hybrid_strategy() -> None:
    plan = general(p=1)
    assert plan.chosen.strategy is Strategy.HYBRID
    assert best(plan, Strategy.REEVALUATE) == Linear()


def test_wide_matrices_are_kept_incrementally() -> None:
    plan = general(p=1_000)
    assert plan.chosen.strategy is not Strategy.REEVALUATE
    seconds = {each.name: each.seconds for each in plan.candidates}
    assert seconds["incremental exponential"] < seconds["re-evaluate linear"] / 10


def test_re_evaluation_takes_over_as_the_rank_grows() -> None:
    def strategy(rank: int) -> Strategy:
        workload = Workload({"n": 500}, {"A": rank})
        return choose_plan(matrix_power(16), workload, LIN_PRICES).chosen.strategy

    chosen = [strategy(rank) for rank in (1, 5, 20, 100, 500)]
    assert chosen[0] is Strategy.INCREMENTAL
    assert chosen[-1] is Strategy.REEVALUATE
    assert chosen == sorted(chosen, key=lambda each: each is Strategy.REEVALUATE)


def test_a_fixed_price_for_operations_favours_few_of_them() -> None:
    workload = Workload({"n": 300}, {"A": 1})
    cluster = MatrixPrices(backend="cluster", multiply=1e12, numbers=1e11, operation=0.2)
    assert choose_plan(matrix_power(4), workload).chosen.strategy is Strategy.INCREMENTAL
    plan = choose_plan(matrix_power(4), workload, cluster)
    assert plan.chosen.strategy is Strategy.REEVALUATE
    assert "on cluster" in explain_plan(plan)


def test_last_matrices_are_evaluated_anew_where_their_factors_are_wide() -> None:
    program = ordinary_least_squares(rows=False)
    workload = Workload({"m": 4_000, "n": 2_000, "p": 1}, {"X": 20})
    plan = choose_plan(program, workload, LIN_PRICES, strategies=[Strategy.HYBRID])
    trigger = plan.chosen.compiled.trigger(frozenset("X"))
    assert trigger is not None
    assert [each.view.name for each in trigger.reevaluated] == ["beta"]


def test_memory_follows_the_space_part_of_the_table() -> None:
    workload = Workload({"n": 1_000}, {"A": 1})
    plan = choose_plan(matrix_power(16), workload, models=[Linear(), Exponential(), Skip(4)])
    matrices = {each.name: each.memory / 8e6 for each in plan.candidates}
    assert matrices["incremental linear"] == 16
    assert matrices["incremental exponential"] == 5
    assert matrices["incremental skip(4)"] == 6
    assert matrices["re-evaluate linear"] <= matrices["re-evaluate exponential"] <= 4


def test_a_memory_limit_narrows_the_choice() -> None:
    workload = Workload({"n": 1_000}, {"A": 1})
    free = choose_plan(matrix_power(16), workload)
    narrow = choose_plan(matrix_power(16), workload, memory=free.chosen.memory - 1)
    assert narrow.chosen.memory < free.chosen.memory
    assert narrow.chosen.seconds > free.chosen.seconds
    with pytest.raises(MatrixError, match="no way to keep the program fits into 1 bytes"):
        choose_plan(matrix_power(16), workload, memory=1)


def test_inputs_that_change_together_are_priced_together() -> None:
    program = parse_program("input A(n, n); input B(n, n); C := A * B; D := C * C;")

    def seconds(*, together: bool) -> float:
        workload = Workload({"n": 500}, {"A": 1, "B": 1}, together)
        plan = choose_plan(program, workload, strategies=[Strategy.INCREMENTAL])
        return plan.chosen.seconds

    assert seconds(together=True) < seconds(together=False)


def test_a_size_without_a_number_is_named() -> None:
    with pytest.raises(MatrixError, match="size p"):
        choose_plan(GENERAL, Workload({"n": 10}, {"A": 1}))


@pytest.mark.parametrize("wrong", [({"n": 10}, {}), ({"n": 0}, {"A": 1}), ({"n": 10}, {"A": 0})])
def test_a_workload_of_nothing_is_refused(wrong: tuple[dict[str, int], dict[str, int]]) -> None:
    with pytest.raises(MatrixError, match="at least one"):
        Workload(*wrong)


def test_what_is_not_said_to_change_may_still_do_so() -> None:
    text = "input X(m, n) rows; input A(n, n); input r_A(r_A, n); Z := X' * X * A; W := r_A * Z;"
    program = parse_program(f"{text} output Z, W;")
    sizes = {"m": 100, "n": 5, "r_A": 2}
    plan = choose_plan(program, Workload(sizes, {"A": 1}), strategies=[Strategy.HYBRID])
    assert len(plan.chosen.compiled.triggers) == 4
    assert str(plan.chosen.compiled.triggers[0].ranks["Z"]) == "r_A_"


def test_explanations_are_text() -> None:
    plan = choose_plan(matrix_power(4), Workload({"n": 1_000}, {"A": 2}))
    text = explain_plan(plan)
    assert text.startswith("incremental exponential on local, for n = 1,000; a change: A by 2\n")
    assert "\n* incremental exponential " in text
    assert "\n  re-evaluate linear " in text
    assert "ON UPDATE A BY (u_A, v_A):" in text
    assert len(plan.candidates) == 9
    assert explain_plan(plan) == explain_plan(
        choose_plan(matrix_power(4), Workload({"n": 1_000}, {"A": 2}))
    )


# The growth that table 6.2 foretells ---------------------------------------------------------


def flops(program: Program, strategy: Strategy, model: object, **sizes: int) -> float:
    models = [model] if isinstance(model, Linear | Exponential | Skip) else None
    plan = choose_plan(
        program,
        Workload(sizes, {"A": 1}),
        LIN_PRICES,
        strategies=[strategy],
        models=models,
    )
    return float(plan.chosen.flops)


def exponent(values: list[float], costs: list[float]) -> float:
    """The power of the value that the costs follow."""
    return float(np.polyfit(np.log(values), np.log(costs), 1)[0])


@pytest.mark.parametrize("model", [Linear(), Exponential(), Skip(2)], ids=str)
@pytest.mark.parametrize("strategy", list(Strategy), ids=lambda each: each.value)
@pytest.mark.parametrize("form", ["powers(A, 8)", "power_sum(A, 8)", "iterate(T = A * T + B, 8)"])
def test_operations_are_counted_as_they_were_foretold(
    form: str, strategy: Strategy, model: Model
) -> None:
    """So that what follows, which looks at sizes alone, holds for what is executed."""
    program = parse_program(f"input A(n, n); input B(n, p); R := {form};")
    workload = Workload({"n": 20, "p": 3}, {"A": 2})
    plan = choose_plan(program, workload, strategies=[strategy], models=[model])
    random = np.random.default_rng(1)
    inputs = {"A": contraction(random, 20), "B": random.standard_normal((20, 3))}
    kept = MaintainedProgram(plan, inputs, upkeep=Upkeep(adaptive=False))
    left, right = random.standard_normal((20, 2)), random.standard_normal((20, 2))
    assert kept.update("A", left, right).total_flops == plan.chosen.flops


@pytest.mark.parametrize("model", [Linear(), Exponential(), Skip(4)], ids=str)
@pytest.mark.parametrize(
    ("strategy", "power"), [(Strategy.REEVALUATE, 3.0), (Strategy.INCREMENTAL, 2.0)]
)
def test_powers_grow_with_the_size_as_foretold(
    model: object, strategy: Strategy, power: float
) -> None:
    sizes = [1_000.0, 4_000.0, 16_000.0]
    costs = [flops(matrix_power(16), strategy, model, n=int(size)) for size in sizes]
    assert exponent(sizes, costs) == pytest.approx(power, abs=0.05)


@pytest.mark.parametrize(
    ("strategy", "model", "power"),
    [
        (Strategy.REEVALUATE, Linear(), 1.0),
        (Strategy.INCREMENTAL, Linear(), 2.0),
        (Strategy.INCREMENTAL, Exponential(), 1.0),
        (Strategy.INCREMENTAL, Skip(4), 2.0),
    ],
    ids=str,
)
def test_powers_grow_with_the_steps_as_foretold(
    strategy: Strategy, model: object, power: float
) -> None:
    steps = [32.0, 64.0, 128.0]
    costs = [flops(matrix_power(int(k)), strategy, model, n=100_000) for k in steps]
    assert exponent(steps, costs) == pytest.approx(power, abs=0.1)


def test_re_evaluated_powers_grow_with_the_logarithm_of_the_steps() -> None:
    costs = [
        flops(matrix_power(2**k), Strategy.REEVALUATE, Exponential(), n=10_000) for k in (3, 6, 9)
    ]
    assert costs[1] / costs[0] == pytest.approx(2.0, rel=0.01)
    assert costs[2] / costs[0] == pytest.approx(3.0, rel=0.01)


def test_larger_skips_cost_less() -> None:
    costs = [
        flops(matrix_power(256), Strategy.INCREMENTAL, Skip(s), n=100_000) for s in (2, 4, 8, 16)
    ]
    assert exponent([2, 4, 8, 16], costs) == pytest.approx(-1.0, abs=0.15)


@pytest.mark.parametrize(
    ("strategy", "model", "in_n", "in_k"),
    [
        (Strategy.REEVALUATE, Linear(), 2.0, 1.0),
        (Strategy.INCREMENTAL, Linear(), 2.0, 2.0),
        (Strategy.HYBRID, Linear(), 2.0, 1.0),
        (Strategy.REEVALUATE, Exponential(), 3.0, None),
        (Strategy.INCREMENTAL, Exponential(), 2.0, 1.0),
        (Strategy.HYBRID, Exponential(), 2.0, 1.0),
    ],
    ids=str,
)
def test_the_general_form_grows_as_foretold(
    strategy: Strategy, model: object, in_n: float, in_k: float | None
) -> None:
    def form(count: int) -> Program:
        text = f"input A(n, n); input B(n, p); R := iterate(T = A * T + B, {count}, from B);"
        return parse_program(text)

    sizes = [4_000.0, 16_000.0, 64_000.0]
    costs = [flops(form(16), strategy, model, n=int(n), p=1) for n in sizes]
    assert exponent(sizes, costs) == pytest.approx(in_n, abs=0.05)
    if in_k is not None:
        steps = [32.0, 64.0, 128.0]
        costs = [flops(form(int(k)), strategy, model, n=100_000, p=1) for k in steps]
        assert exponent(steps, costs) == pytest.approx(in_k, abs=0.15)
