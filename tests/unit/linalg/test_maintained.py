from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import MatrixError, SingularMatrixError
from slackwater.frontend.linalg.ready import (
    gradient_descent,
    ordinary_least_squares,
    pagerank,
    reachability,
    ridge_regression,
)
from slackwater.linalg.maintained import keep_program
from slackwater.linalg.matrix_plan import Strategy
from slackwater.linalg.models import Exponential, Linear, Model, Skip

from .kept import ROUNDING, errors, keep
from .samples import Array, contraction, distance, well_conditioned

STRATEGIES = list(Strategy)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: each.value)
def test_least_squares_follows_changed_rows(
    random: np.random.Generator, strategy: Strategy
) -> None:
    x, y = random.standard_normal((30, 6)), random.standard_normal((30, 2))
    kept = keep(ordinary_least_squares(rows=False), {"X": x, "Y": y}, strategy)
    for row in (3, 17, 3):
        new = random.standard_normal(6)
        x[row] = new
        report = kept.replace_rows("X", {row: new})
        assert report.strategy is strategy
        y[row] += 1.0
        kept.update("Y", np.eye(30)[:, [row]], np.ones((2, 1)))
        assert distance(kept.value("beta"), np.linalg.lstsq(x, y, rcond=None)[0]) < 1e-12


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: each.value)
def test_several_inputs_change_at_once(random: np.random.Generator, strategy: Strategy) -> None:
    text = "input A(n, n); input B(n, p); input C(p, n); D := inv(A) * B * C + A * A; E := D * B;"
    inputs = {
        "A": 3 * well_conditioned(random, 8),
        "B": random.standard_normal((8, 3)),
        "C": random.standard_normal((3, 8)),
    }
    kept = keep(text, inputs, strategy)
    for names in ("AB", "BC", "ABC", "A"):
        changes = {}
        for name in names:
            left, right = (0.1 * random.standard_normal((size, 2)) for size in inputs[name].shape)
            changes[name] = (left, right)
            inputs[name] = inputs[name] + left @ right.T
        report = kept.update_many(changes)
        assert report.rank == 2 * len(names)
        assert errors(kept, text, inputs) < ROUNDING


def test_a_rank_k_batch_equals_k_single_changes(random: np.random.Generator) -> None:
    text = "input A(n, n); P := powers(A, 8, exponential); W := inv(A + 2 * eye(n));"
    a = contraction(random, 12)
    left, right = random.standard_normal((12, 5)) / 12, random.standard_normal((12, 5))
    batch, single = keep(text, {"A": a}), keep(text, {"A": a})
    assert batch.update("A", left, right).rank == 5
    for column in range(5):
        single.update("A", left[:, [column]], right[:, [column]])
    for name in "PW":
        assert distance(batch.value(name), single.value(name)) < 1e-12


def test_changes_of_the_same_row_become_one(random: np.random.Generator) -> None:
    kept = keep("input A(n, n); B := A * A;", {"A": contraction(random, 10)})
    left = np.zeros((10, 6))
    left[[2, 5, 2, 2, 5, 2], range(6)] = 1.0
    assert kept.update("A", left, random.standard_normal((10, 6))).rank == 2


def test_columns_that_say_the_same_are_compressed_where_that_is_cheap(
    random: np.random.Generator,
) -> None:
    a = contraction(random, 400)
    kept = keep("input A(n, n); P := powers(A, 16, linear);", {"A": a})
    u, v = random.standard_normal((400, 2)) / 400, random.standard_normal((400, 2))
    report = kept.update("A", np.hstack([u, u, u]), np.hstack([v, v, -v]))
    assert report.rank == 2
    a += u @ v.T
    assert distance(kept.value("P"), np.linalg.matrix_power(a, 16)) < 1e-11


# Rows that come and go ----------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: each.value)
def test_least_squares_grows_with_its_data(random: np.random.Generator, strategy: Strategy) -> None:
    x, y = random.standard_normal((20, 4)), random.standard_normal((20, 1))
    kept = keep(ordinary_least_squares(), {"X": x, "Y": y}, strategy)
    for count in (1, 7, 2):
        more = random.standard_normal((count, 4)), random.standard_normal((count, 1))
        x, y = np.vstack([x, more[0]]), np.vstack([y, more[1]])
        kept.change_rows({"X": more[0], "Y": more[1]})
        kept.change_rows({"X": x[:1], "Y": y[:1]}, [-1])
        x, y = x[1:], y[1:]
        assert distance(kept.value("beta"), np.linalg.lstsq(x, y, rcond=None)[0]) < 1e-12


def test_a_row_may_count_several_times(random: np.random.Generator) -> None:
    x, y = random.standard_normal((20, 3)), random.standard_normal((20, 1))
    kept = keep(ordinary_least_squares(), {"X": x, "Y": y})
    kept.change_rows({"X": x[:2], "Y": y[:2]}, [2, -1])
    heavy = np.vstack([x[:1], x[:1], x[:1], x[2:]]), np.vstack([y[:1], y[:1], y[:1], y[2:]])
    assert distance(kept.value("beta"), np.linalg.lstsq(*heavy, rcond=None)[0]) < 1e-12


def test_blocks_of_rows_are_summed_over_together(random: np.random.Generator) -> None:
    text = "input X(m, n) rows; input Y(m, p) rows; Z := [X, Y]' * [X, Y];"
    x, y = random.standard_normal((9, 3)), random.standard_normal((9, 2))
    kept = keep(text, {"X": x[:7], "Y": y[:7]})
    kept.change_rows({"X": x[7:], "Y": y[7:]})
    both = np.hstack([x, y])
    assert distance(kept.value("Z"), both.T @ both) < 1e-14
    assert kept.check_drift().largest < 1e-14


def test_the_work_of_a_row_does_not_follow_the_rows_before_it(random: np.random.Generator) -> None:
    flops = []
    for rows in (50, 5_000):
        x, y = random.standard_normal((rows, 5)), random.standard_normal((rows, 1))
        kept = keep(ordinary_least_squares(), {"X": x, "Y": y})
        flops.append(kept.change_rows({"X": x[:1], "Y": y[:1]}).total_flops)
    assert flops[0] == flops[1]


def test_rows_that_left_are_forgotten_in_time(random: np.random.Generator) -> None:
    x, y = random.standard_normal((40, 3)), random.standard_normal((40, 1))
    kept = keep(ordinary_least_squares(), {"X": x, "Y": y})
    for _ in range(20):
        more = random.standard_normal((10, 3)), random.standard_normal((10, 1))
        kept.change_rows({"X": more[0], "Y": more[1]})
        kept.change_rows({"X": more[0], "Y": more[1]}, -np.ones(10))
        assert kept.sizes["m"] <= 100
    kept.reevaluate()
    assert distance(kept.value("beta"), np.linalg.lstsq(x, y, rcond=None)[0]) < 1e-12


def test_what_multiplies_every_row_by_a_changing_matrix_is_evaluated_anew(
    random: np.random.Generator,
) -> None:
    text = (
        "input X(m, n) rows; input Y(m, p) rows; beta := inv(X' * X) * X' * Y;"
        "error := (Y - X * beta)' * (Y - X * beta); output beta, error;"
    )
    x, y = random.standard_normal((20, 3)), random.standard_normal((20, 1))
    kept = keep(text, {"X": x, "Y": y})
    report = kept.change_rows({"X": x[:2], "Y": y[:2] + 1})
    assert report.reevaluated == ("error",)
    x, y = np.vstack([x, x[:2]]), np.vstack([y, y[:2] + 1])
    left = np.linalg.lstsq(x, y, rcond=None)[1]
    assert kept.value("error")[0, 0] == pytest.approx(left[0], rel=1e-10)


# Nearly singular updates --------------------------------------------------------------------


def nearly_singular(gap: float) -> tuple[Array, Array, Array]:
    """A matrix and a rank-1 change after which one direction is almost lost."""
    size = 6
    basis = np.linalg.qr(np.random.default_rng(3).standard_normal((size, size)))[0]
    direction = basis[:, [0]]
    return basis @ np.diag(np.arange(1.0, size + 1)) @ basis.T, direction, (gap - 1.0) * direction


@pytest.mark.parametrize("gap", [1e-9, 1e-11])
def test_an_update_that_is_nearly_singular_is_evaluated_anew(gap: float) -> None:
    z, left, right = nearly_singular(gap)
    text = "input Z(n, n); input C(n, p); W := inv(Z); b := W * C; D := Z * C; output W, b, D;"
    c = np.ones((6, 2))
    kept = keep(text, {"Z": z, "C": c})
    report = kept.update("Z", left, right)
    assert report.reevaluated == ("W", "b")
    changed = z + left @ right.T
    assert errors(kept, text, {"Z": changed, "C": c}) < ROUNDING
    residual = np.linalg.norm(changed @ kept.value("W") - np.eye(6))
    assert residual < 10 * np.linalg.cond(changed) * np.finfo(float).eps


def test_an_update_that_is_safe_is_not_evaluated_anew() -> None:
    z, left, right = nearly_singular(1e-3)
    kept = keep("input Z(n, n); W := inv(Z);", {"Z": z})
    assert kept.update("Z", left, right).reevaluated == ()
    assert np.linalg.norm((z + left @ right.T) @ kept.value("W") - np.eye(6)) < 1e-11


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: each.value)
def test_an_update_that_ends_in_a_singular_matrix_changes_nothing(strategy: Strategy) -> None:
    z, left, _ = nearly_singular(0.5)
    text = "input Z(n, n); W := inv(Z); D := Z * Z; output W, D;"
    kept = keep(text, {"Z": z}, strategy)
    before = {name: kept.value(name) for name in ("Z", "W", "D")}
    with pytest.raises(SingularMatrixError) as error:
        kept.update("Z", left, -left)
    assert error.value.where == "W := inv(Z);"
    assert "ridge" in (error.value.hint or "")
    for name, value in before.items():
        assert (kept.value(name) == value).all()
    assert kept.updates == 0
    kept.update("Z", left, left)
    assert errors(kept, text, {"Z": z + left @ left.T}) < ROUNDING


def test_taking_too_many_rows_away_changes_nothing(random: np.random.Generator) -> None:
    x, y = random.standard_normal((9, 5)), random.standard_normal((9, 1))
    kept = keep(ordinary_least_squares(), {"X": x, "Y": y})
    with pytest.raises(SingularMatrixError):
        kept.change_rows({"X": x[:7], "Y": y[:7]}, -np.ones(7))
    assert kept.sizes["m"] == 9
    kept.change_rows({"X": x[:2], "Y": y[:2]}, [-1, -1])
    assert distance(kept.value("beta"), np.linalg.lstsq(x[2:], y[2:], rcond=None)[0]) < 1e-10


# Strategy by price --------------------------------------------------------------------------


def test_a_large_batch_is_met_by_re_evaluation(random: np.random.Generator) -> None:
    text = "input A(n, n); P := powers(A, 4, exponential);"
    a = contraction(random, 300)
    kept = keep(text, {"A": a}, adaptive=True)
    taken = []
    for rank in (1, 300):
        left, right = random.standard_normal((300, rank)) / 300, random.standard_normal((300, rank))
        a = a + left @ right.T
        report = kept.update("A", left, right)
        taken.append(report.strategy)
        assert report.predicted <= report.alternative
        assert errors(kept, text, {"A": a}) < ROUNDING
    assert taken == [Strategy.INCREMENTAL, Strategy.REEVALUATE]


# Ready programs -----------------------------------------------------------------------------


@pytest.mark.parametrize("model", [Linear(), Exponential(), Skip(4)], ids=str)
def test_pagerank_follows_a_changed_page(model: Model) -> None:
    links = np.array([[0, 0.5, 1], [0.5, 0, 0], [0.5, 0.5, 0]])
    start = np.full((3, 1), 1 / 3)
    kept = keep(pagerank(0.85, 60, model), {"M": links, "v": start})
    column = np.array([0.5, 0.5, 0.0])
    kept.update("M", (column - links[:, 2])[:, None], np.eye(3)[:, [2]])
    links[:, 2] = column
    steady = np.linalg.solve(np.eye(3) - 0.85 * links, 0.15 * start)
    assert np.abs(kept.value("rank") - steady).max() < 1e-4
    assert kept.value("rank").sum() == pytest.approx(1.0, abs=1e-12)


def test_reachability_follows_edges_exactly() -> None:
    edges = np.diag(np.ones(5), 1)
    kept = keep(reachability(3), {"A": edges})
    assert (kept.value("walks")[0] > 0).tolist() == [True, True, True, True, False, False]
    unit = np.eye(6)
    kept.update("A", unit[:, [0]], unit[:, [4]])
    assert (kept.value("walks")[0] > 0).tolist() == [True] * 6
    kept.update("A", unit[:, [0]], -unit[:, [4]])
    kept.update("A", unit[:, [1]], -unit[:, [2]])
    assert kept.value("walks")[0].tolist() == [1, 1, 0, 0, 0, 0]


def test_gradient_descent_approaches_ridge_regression(random: np.random.Generator) -> None:
    x, y = random.standard_normal((80, 3)), random.standard_normal((80, 2))
    data = {"X": x, "Y": y}
    descent = keep(
        gradient_descent(0.01, 400, ridge=0.5, model=Exponential()), data, Strategy.HYBRID
    )
    ridge = keep(ridge_regression(0.5), data)
    more = {"X": random.standard_normal((4, 3)), "Y": random.standard_normal((4, 2))}
    descent.change_rows(more)
    ridge.change_rows(more)
    assert distance(descent.value("beta"), ridge.value("beta")) < 1e-9


def test_a_row_is_kept_as_a_whole_as_a_column_is(random: np.random.Generator) -> None:
    text = (
        "input A(n, n); input b(1, n); c := b * A; d := c * A + b; e := [d; d] * A'; output c, e;"
    )
    inputs = {"A": contraction(random, 9), "b": random.standard_normal((1, 9))}
    kept = keep(text, inputs, Strategy.HYBRID)
    left, right = random.standard_normal((9, 2)), random.standard_normal((9, 2))
    report = kept.update("A", left, right)
    inputs["A"] = inputs["A"] + left @ right.T
    assert report.flops["D_d"] > 0
    assert errors(kept, text, inputs) < ROUNDING


# Refusals -----------------------------------------------------------------------------------


def test_wrong_changes_are_refused_before_anything_happens(random: np.random.Generator) -> None:
    x, y, a = (
        random.standard_normal((9, 3)),
        random.standard_normal((9, 1)),
        contraction(random, 3),
    )
    text = (
        "input X(m, n) rows; input Y(m, 1) rows; input A(n, n); input S(n, n) symmetric;"
        "Z := X' * X; C := X' * Y; B := Z * A + S; output B, C;"
    )
    kept = keep(text, {"X": x, "Y": y, "A": a, "S": np.eye(3)})
    before = kept.value("B")
    ones = np.ones((3, 1))
    cases = [
        (lambda: kept.update("Q", ones, ones), "no input Q"),
        (lambda: kept.update("X", ones, ones), "X changes by rows"),
        (lambda: kept.update("A", np.ones((4, 1)), ones), "is 4 x 1, not 3 x 1"),
        (lambda: kept.update("A", ones, np.ones((3, 2))), "is 3 x 2, not 3 x 1"),
        (lambda: kept.update("A", ones * np.nan, ones), "not finite"),
        (lambda: kept.update("S", ones, np.eye(3)[:, [0]]), "declared symmetric"),
        (lambda: kept.update_many({}), "no input changes"),
        (lambda: kept.change_rows({"A": a}), "do not come and go"),
        (lambda: kept.change_rows({"X": x}), "needs rows of X, Y"),
        (lambda: kept.change_rows({"X": x, "Y": y[:2]}), "rows of Y is 2 x 1, not 9 x 1"),
        (lambda: kept.change_rows({"X": x, "Y": y}, [1.0]), "weights is 1 x 1, not 9 x 1"),
        (lambda: kept.replace_rows("A", {3: [1, 2, 3]}), "has the rows 0 to 2, not 3"),
        (lambda: kept.replace_rows("A", {0: [1, 2]}), "row 0 of A is 2 x 1, not 3 x 1"),
        (lambda: kept.value("nothing"), "no value is kept of nothing"),
    ]
    for attempt, what in cases:
        with pytest.raises(MatrixError, match=what):
            attempt()
    assert (kept.value("B") == before).all()
    assert kept.updates == 0
    kept.update("S", ones, ones)
    assert distance(kept.value("B"), x.T @ x @ a + np.eye(3) + 1) < 1e-13


def test_inputs_must_agree_on_sizes(random: np.random.Generator) -> None:
    text = "input A(n, n); input B(n, p); C := A * B;"
    with pytest.raises(MatrixError, match="input B is 4 x 2, not 3 x 2"):
        keep(text, {"A": np.eye(3), "B": random.standard_normal((4, 2))})
    with pytest.raises(MatrixError, match="input B is missing"):
        keep(text, {"A": np.eye(3)})


def test_values_are_copies(random: np.random.Generator) -> None:
    kept = keep("input A(n, n); B := A * A;", {"A": contraction(random, 4)})
    before = kept.value("B")
    before[:] = 0
    assert np.abs(kept.value("B")).max() > 0


def test_sizes_and_ranks_of_a_program_kept_at_once(random: np.random.Generator) -> None:
    x, y = random.standard_normal((30, 2)), random.standard_normal((30, 1))
    kept = keep_program(ordinary_least_squares(), {"X": x, "Y": y})
    assert kept.sizes == {"m": 30, "n": 2, "p": 1}
    assert kept.plan.workload.sizes["m"] == 100_000
    assert kept.plan.workload.ranks == {"m": 1}
    assert kept.plan.chosen.strategy is not Strategy.REEVALUATE
