from __future__ import annotations

import io
import json

from rich.console import Console

from slackwater.bench.linalg import (
    BATCHES,
    GENERAL,
    LEAST_SQUARES,
    POWERS,
    SUMS,
    LinalgFigures,
    LinalgPlan,
    LinalgReport,
    measure_linalg,
)
from slackwater.bench.machine import Machine
from slackwater.cli.bench_linalg import linalg_data, show_linalg
from slackwater.linalg.local.measure import measure_prices
from slackwater.linalg.matrix_plan import Strategy
from slackwater.linalg.speed import MatrixPrices

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
TINY = LinalgPlan((8,), 4, 8, (1, 2), 6, (1, 6), 1, 1, 16)


def figures(
    case: str, strategy: Strategy, seconds: float, rank: int = 1, predicted: float = 1.0
) -> LinalgFigures:
    how = strategy.value
    return LinalgFigures(case, 4_000, 1, rank, how, None, seconds, 3, predicted, 10, 20, 1e-15)


def report(*measured: LinalgFigures, ranks: tuple[int, ...] = (1,)) -> LinalgReport:
    plan = LinalgPlan(ranks=ranks, widths=(1,))
    return LinalgReport(plan, MatrixPrices(), measured, {}, "all", MACHINE)


def page(shown: LinalgReport) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_linalg(console, shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_gains_are_of_the_best_of_both() -> None:
    shown = report(
        figures(LEAST_SQUARES, Strategy.REEVALUATE, 8.0),
        figures(LEAST_SQUARES, Strategy.INCREMENTAL, 1.0),
        figures(POWERS, Strategy.REEVALUATE, 30.0),
        figures(POWERS, Strategy.REEVALUATE, 10.0),
        figures(POWERS, Strategy.INCREMENTAL, 1.0),
    )
    assert [each.value for each in shown.targets] == [8.0, 10.0]
    assert [each.met for each in shown.targets] == [True, False]
    assert shown.gain(SUMS) == 0.0


def test_re_evaluation_takes_over_from_the_first_rank_on_at_which_it_is_quicker() -> None:
    def batch(rank: int, kept: float, predicted: float) -> tuple[LinalgFigures, LinalgFigures]:
        return (
            figures(BATCHES, Strategy.REEVALUATE, 2.0, rank, 2.0),
            figures(BATCHES, Strategy.INCREMENTAL, kept, rank, predicted),
        )

    ranks = (1, 10, 100)
    shown = report(*batch(1, 0.1, 0.1), *batch(10, 3.0, 0.5), *batch(100, 9.0, 9.0), ranks=ranks)
    assert shown.takes_over == (10, 100)
    assert "re-evaluation takes over at rank 10; the cost model switches at 100" in page(shown)
    assert report(*batch(1, 0.1, 0.1)).takes_over == (None, None)


def test_everything_is_measured_once() -> None:
    said: list[str] = []
    measured = measure_linalg(TINY, said.append)
    cases = [each.case for each in measured.figures]
    assert {case: cases.count(case) for case in cases} == {
        LEAST_SQUARES: 2,
        POWERS: 6,
        SUMS: 2,
        GENERAL: 6,
        BATCHES: 4,
    }
    assert all(each.residual < 1e-10 for each in measured.figures)
    assert all(each.seconds > 0 and each.flops > 0 for each in measured.figures)
    assert set(measured.choices) == {
        "T = A T + B, p = 1",
        "T = A T + B, p = 2",
        "batches, rank 1",
        "batches, rank 6",
    }
    assert len(said) == 1 + 20 + 4
    data = json.loads(json.dumps(linalg_data(measured)))
    assert len(data["figures"]) == 20
    assert data["machine"]["cores"] >= 1
    assert len(data["targets"]) == 2
    assert "local back end" in page(measured)


def test_prices_are_measured() -> None:
    prices = measure_prices(size=16, repeat=1)
    assert prices.backend == "local"
    assert min(prices.multiply, prices.invert, prices.numbers, prices.operation) > 0
