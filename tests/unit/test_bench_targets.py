from __future__ import annotations

import pytest

from slackwater.bench.arrangement import ArrangementFigures, ArrangementPlan, ArrangementReport
from slackwater.bench.machine import Machine
from slackwater.bench.overhead import OverheadFigures, OverheadPlan, OverheadReport
from slackwater.bench.targets import Target
from slackwater.cli.bench_arrangement import arrangement_data
from slackwater.cli.bench_overhead import overhead_data

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))


@pytest.mark.parametrize(
    ("value", "at_least", "met"),
    [(0.4, False, True), (0.41, False, False), (0.4, True, True), (0.39, True, False)],
)
def test_a_limit_belongs_to_what_is_allowed(value: float, at_least: bool, met: bool) -> None:
    target = Target("figure", 0.4, value, at_least)
    assert target.met is met
    assert target.data()["met"] is met


def test_a_figure_that_is_no_number_meets_nothing() -> None:
    assert not Target("figure", 0.4, float("nan")).met
    assert not Target("figure", 0.4, float("nan"), at_least=True).met


def test_a_miss_by_little_is_visible() -> None:
    assert str(Target("x", 0.1, 0.104)) == "target: x at most 0.10: 0.104, missed"


def overhead(*figures: OverheadFigures) -> OverheadReport:
    return OverheadReport(OverheadPlan(), figures, MACHINE)


def test_empty_changes_are_judged_by_the_slowest_and_rows_by_their_views() -> None:
    report = overhead(
        OverheadFigures(1, "empty", 0.1, 0),
        OverheadFigures(1, "one row", 0.03, 0),
        OverheadFigures(20, "empty", 0.4, 0),
        OverheadFigures(20, "one row", 5.0, 0),
    )
    empty, row, rows = report.targets
    assert (empty.limit, empty.value, empty.met) == (0.3, 0.4, False)
    assert (row.limit, row.value, row.met) == (0.04, 0.03, True)
    assert (rows.limit, rows.value, rows.met) == (0.25, 5.0, False)
    assert [each["met"] for each in overhead_data(report)["targets"]] == [False, True, False]  # type: ignore[attr-defined]
    assert overhead(OverheadFigures(5, "one row", 0.9, 0)).targets == ()


def test_arrangements_are_to_be_built_quickly() -> None:
    quick = ArrangementFigures(6_000_000, 5.0, 9.0, 16.0, 0.1, 0.2, 0.3, 0.4)
    slow = ArrangementFigures(60_000_000, 61.0, 9.0, 16.0, 0.1, 0.2, 0.3, 0.4)
    report = ArrangementReport(ArrangementPlan(), (quick, slow), MACHINE)
    assert [each.met for each in report.targets] == [True, False]
    assert str(report.targets[1]).endswith("of 60,000,000 at least 1,000,000: 983,607, missed")
    assert len(arrangement_data(report)["targets"]) == 2  # type: ignore[arg-type]
