"""Prices are kept in a file, and decide between forms of the same work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Scan
from slackwater.errors import SetupError
from slackwater.expr.nodes import ColumnId
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.costs import Extent, frame_rows, step_seconds
from slackwater.plan.forms import LookUps, choose_forms, read_look_ups
from slackwater.plan.observations import Observed
from slackwater.plan.prices import Prices, read_prices, write_prices
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    GatherStep,
    LookUpStep,
    Origin,
    Program,
    SourceChangesStep,
    SourceRowsStep,
)
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT

KEY = Column(ColumnId(0), "k0", BIGINT)
STATE = Arrangement("owner", Role.CONTENTS, (BIGINT,), (KEY.ref(),))
PROGRAM = Program(
    (
        SourceChangesStep("changes", "item"),
        ComputeStep("probe", Statement(Scan("changes", (KEY,)), ("k0",))),
        LookUpStep("found", "probe", STATE),
        GatherStep("groups", "probe", STATE),
        AppendStep(STATE.id, "groups", STATE),
    )
)


class Sizes:
    """So many changes of a source with so many rows; state has ten rows to a key."""

    def __init__(self, changes: int, stored: int):
        self._changes = changes
        self._stored = stored

    def pending(self, _source: str) -> Extent:
        return Extent((self._changes,), 8 * self._changes)

    def contents(self, _source: str) -> Extent:
        return Extent((self._stored,), 8 * self._stored)

    def arrangement(self, _id: str) -> Extent:
        return Extent((self._stored, 10), 8 * self._stored, 10.0)

    def observed(self, _origin: Origin | None, _engine: str | None = None) -> Observed | None:
        return None


def test_prices_come_back_as_they_were_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "prices.json"
    assert read_prices(path) == Prices()
    dear = replace(Prices(), driver=replace(Prices().driver, key=1.5), cores=7)
    write_prices(path, dear)
    assert read_prices(path) == dear
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"driver": {}, "spark": {}, "cores": 2}', "not json"]
)
def test_what_are_no_prices_is_told_with_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SetupError, match="not prices") as told:
        read_prices(path)
    assert str(path) in str(told.value)


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_that_is_not_below_zero(tmp_path: Path, price: float) -> None:
    path = tmp_path / "prices.json"
    write_prices(path, replace(Prices(), spark=replace(Prices().spark, row=price)))
    with pytest.raises(SetupError, match="below zero"):
        read_prices(path)


def test_more_cores_share_rows_but_not_fixed_costs() -> None:
    rates = Prices().spark
    many = rates.with_cores(10)
    assert (many.start, many.step, many.file) == (rates.start, rates.step, rates.file)
    assert many.row == pytest.approx(rates.row / 10)
    assert many.write == pytest.approx(rates.write / 10)


def test_rows_follow_from_what_is_read() -> None:
    rows = frame_rows(PROGRAM, Sizes(changes=100, stored=500))
    assert rows == {"changes": 100, "probe": 100, "found": 1000, "groups": 610}


def test_a_program_costs_more_with_more_to_do() -> None:
    little, much = (
        sum(step_seconds(PROGRAM, Sizes(changes, 10**6), Prices().driver))
        for changes in (10, 10**5)
    )
    assert 0 < little < much
    anew = Program(
        (
            SourceRowsStep("rows", "item"),
            ComputeStep("all", Statement(Scan("rows", (KEY,)), ("k0",))),
        )
    )
    assert sum(step_seconds(anew, Sizes(1, 10**6), Prices().driver)) > little


def test_few_keys_are_searched_for_and_many_joined() -> None:
    rates = Prices().spark
    assert choose_forms(PROGRAM, Sizes(10, 10**6), rates) == frozenset()
    assert choose_forms(PROGRAM, Sizes(10**6, 10**5), rates) == {"found", "groups"}


def test_whoever_insists_on_a_form_gets_it() -> None:
    rates = Prices().spark
    assert choose_forms(PROGRAM, Sizes(10, 10**6), rates, LookUps.SCAN) == {"found", "groups"}
    assert choose_forms(PROGRAM, Sizes(10**6, 10), rates, LookUps.INDEX) == frozenset()
    with pytest.raises(SetupError, match="auto, index, scan"):
        read_look_ups("sideways")
