from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import MatrixError
from slackwater.frontend.linalg.ready import ordinary_least_squares
from slackwater.linalg.drift import DriftPolicy
from slackwater.linalg.local.local_backend import LocalBackend
from slackwater.linalg.maintained import MaintainedProgram, Upkeep
from slackwater.linalg.matrix_plan import Strategy, Workload, choose_plan

from .kept import errors, keep
from .samples import contraction, distance

NEVER = DriftPolicy(every=10**9)


def test_a_thousand_updates_of_a_power_drift_little() -> None:
    text = "input A(n, n); P := powers(A, 16, exponential);"
    random = np.random.default_rng(5)
    a = contraction(random, 16)
    kept = keep(text, {"A": a}, drift=NEVER)
    for _ in range(1_000):
        row = int(random.integers(16))
        new = random.standard_normal(16) / 8
        kept.replace_rows("A", {row: new})
        a[row] = new
    assert errors(kept, text, {"A": a}) < 1e-13 * 1_000
    assert kept.check_drift().largest < 1e-10


def test_a_thousand_rows_in_and_out_of_least_squares_drift_little() -> None:
    random = np.random.default_rng(6)
    x, y = random.standard_normal((40, 5)), random.standard_normal((40, 1))
    kept = keep(ordinary_least_squares(), {"X": x, "Y": y}, drift=NEVER)
    for _ in range(500):
        more = random.standard_normal((1, 5)), random.standard_normal((1, 1))
        kept.change_rows({"X": more[0], "Y": more[1]})
        kept.change_rows({"X": x[:1], "Y": y[:1]}, [-1])
        x, y = np.vstack([x[1:], more[0]]), np.vstack([y[1:], more[1]])
    assert distance(kept.value("beta"), np.linalg.lstsq(x, y, rcond=None)[0]) < 1e-10
    assert kept.check_drift().largest < 1e-10


@pytest.mark.deep
def test_twenty_thousand_rows_through_a_window_stay_within_the_tolerance() -> None:
    random = np.random.default_rng(8)
    rows, responses = random.standard_normal((20_100, 8)), random.standard_normal((20_100, 2))
    kept = keep(ordinary_least_squares(), {"X": rows[:100], "Y": responses[:100]})
    checks = []
    for number in range(20_000):
        new, old = slice(number + 100, number + 101), slice(number, number + 1)
        both = np.vstack([rows[new], rows[old]]), np.vstack([responses[new], responses[old]])
        report = kept.change_rows({"X": both[0], "Y": both[1]}, [1, -1])
        checks += [report.drift.largest] if report.drift else []
    assert len(checks) == 200
    assert max(checks) < 1e-8
    assert kept.sizes["m"] <= 202
    wanted = np.linalg.lstsq(rows[-100:], responses[-100:], rcond=None)[0]
    assert distance(kept.value("beta"), wanted) < 1e-8


def test_a_check_comes_when_it_is_due() -> None:
    kept = keep("input A(n, n); B := A * A;", {"A": np.eye(3)}, drift=DriftPolicy(every=3))
    ones = np.ones((3, 1)) / 10
    reports = [kept.update("A", ones, ones).drift for _ in range(7)]
    assert [report is not None for report in reports] == [False, False, True] * 2 + [False]
    assert reports[2] is not None
    assert reports[2].updates == 3
    assert reports[2].reevaluated == ()


def damaged(every: int) -> tuple[MaintainedProgram, LocalBackend]:
    """Least squares with an inverse that something has spoiled."""
    random = np.random.default_rng(7)
    x, y = random.standard_normal((20, 4)), random.standard_normal((20, 1))
    program = ordinary_least_squares(rows=False)
    sizes = {"m": 20, "n": 4, "p": 1}
    plan = choose_plan(
        program, Workload(sizes, {"X": 1, "Y": 1}), strategies=[Strategy.INCREMENTAL]
    )
    backend = LocalBackend()
    policy = DriftPolicy(every=every, tolerance=1e-9)
    kept = MaintainedProgram(plan, {"X": x, "Y": y}, backend, Upkeep(policy, adaptive=False))
    backend.add("W", np.full((4, 1), 1e-3), np.ones((4, 1)))
    return kept, backend


def test_what_has_drifted_is_evaluated_anew_with_all_that_reads_it() -> None:
    kept, _ = damaged(every=100)
    report = kept.check_drift()
    found = {each.name: each for each in report.matrices}
    assert found["W"].residual > 1e-3
    assert report.reevaluated == ("W", "beta")
    assert all(each.after is None or each.after < 1e-12 for each in report.matrices)
    assert found["C"].after is None
    x, y = kept.value("X"), kept.value("Y")
    assert distance(kept.value("beta"), np.linalg.lstsq(x, y, rcond=None)[0]) < 1e-12


def test_drift_beyond_the_tolerance_is_mended_on_schedule() -> None:
    kept, _ = damaged(every=1)
    unit = np.eye(20)[:, [0]]
    report = kept.update("Y", unit, np.ones((1, 1))).drift
    assert report is not None
    assert "W" in report.reevaluated
    assert kept.check_drift().largest < 1e-12


def test_the_report_reads_as_text() -> None:
    kept, _ = damaged(every=100)
    lines = str(kept.check_drift()).splitlines()
    assert lines[0] == "after 0 updates; tolerance 1e-09"
    assert any(line.startswith("  W: residual ") and "evaluated anew" in line for line in lines)


@pytest.mark.parametrize("wrong", [{"every": 0}, {"tolerance": 0.0}, {"probes": 0}])
def test_a_policy_that_means_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(MatrixError):
        DriftPolicy(**wrong)
