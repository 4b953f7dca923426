"""What runs observed decides how many rows and seconds are expected of the next."""

from __future__ import annotations

import pytest

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Aggregate, Scan
from slackwater.expr.nodes import ColumnId
from slackwater.plan.costs import Extent, find_slowdown, frame_rows, step_seconds
from slackwater.plan.observations import Observed, q_error
from slackwater.plan.prices import Prices
from slackwater.plan.program import ComputeStep, Origin, Program, SourceChangesStep
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT

KEY = Column(ColumnId(0), "k0", BIGINT)
ROWS = Scan("changes", (KEY,))
GROUPS = Aggregate(ROWS, (pass_through(KEY),), ())
FILTERED, GROUPED = Origin("a", "delta"), Origin("b", "touched")
PROGRAM = Program(
    (
        SourceChangesStep("changes", "item"),
        ComputeStep("filtered", Statement(ROWS, ("k0",)), origin=FILTERED),
        ComputeStep("grouped", Statement(GROUPS, ("k0",)), origin=GROUPED),
    )
)


class Sizes:
    """A thousand changes, and some observations of an earlier run."""

    def __init__(self, known: dict[Origin, Observed]):
        self._known = known

    def pending(self, _source: str) -> Extent:
        return Extent((1000,), 8000)

    def contents(self, _source: str) -> Extent:
        return Extent((1000,), 8000)

    def arrangement(self, _id: str) -> Extent:
        return Extent()

    def observed(self, origin: Origin | None, _engine: str | None = None) -> Observed | None:
        return None if origin is None else self._known.get(origin)


def test_rows_are_taken_for_the_largest_input_at_first() -> None:
    assert frame_rows(PROGRAM, Sizes({})) == {"changes": 1000, "filtered": 1000, "grouped": 1000}


def test_rows_follow_the_ratio_of_the_last_run() -> None:
    rows = frame_rows(PROGRAM, Sizes({FILTERED: Observed(50, 5)}))
    assert rows["filtered"] == pytest.approx(100)


def test_groups_run_out_while_rows_grow() -> None:
    rows = frame_rows(PROGRAM, Sizes({GROUPED: Observed(100, 7)}))
    assert rows["grouped"] == pytest.approx(7, rel=0.01)
    rows = frame_rows(PROGRAM, Sizes({GROUPED: Observed(100, 99)}))
    assert 500 < rows["grouped"] < 1000


def test_seconds_are_corrected_by_those_of_the_last_run() -> None:
    rates = Prices().driver
    priced = step_seconds(PROGRAM, Sizes({}), rates)
    slow = step_seconds(PROGRAM, Sizes({FILTERED: Observed(1000, 1000, 3 * priced[1])}), rates)
    assert slow[1] == pytest.approx(3 * priced[1])
    absurd = step_seconds(PROGRAM, Sizes({FILTERED: Observed(1000, 1000, 1000.0)}), rates)
    assert absurd[1] == pytest.approx(20 * priced[1])


def test_what_says_nothing_new_is_not_written() -> None:
    assert Observed(100, 10, 1.0).is_like(Observed(110, 10, 1.1))
    assert not Observed(100, 10, 1.0).is_like(Observed(200, 10, 1.0))


def test_errors_are_factors_either_way() -> None:
    assert q_error(1, 8) == q_error(8, 1) == 8


def test_slow_steps_make_unknown_ones_dearer() -> None:
    rates = Prices().driver
    priced = step_seconds(PROGRAM, Sizes({}), rates)
    slow = Sizes({FILTERED: Observed(1000, 1000, 3 * priced[1])})
    assert find_slowdown(PROGRAM, slow, rates) == pytest.approx(3.0)
    assert find_slowdown(PROGRAM, Sizes({}), rates) == 1.0
    quick = Sizes({FILTERED: Observed(1000, 1000, priced[1] / 3)})
    assert find_slowdown(PROGRAM, quick, rates) == 1.0
    twice = step_seconds(PROGRAM, slow, rates, slowdown=2.0)
    assert twice[1] == pytest.approx(3 * priced[1])
    others = [2 * each for at, each in enumerate(priced) if at != 1]
    assert [each for at, each in enumerate(twice) if at != 1] == pytest.approx(others)
