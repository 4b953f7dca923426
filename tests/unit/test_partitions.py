"""Runs are divided as far as there is work, and priced by what tasks do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from slackwater.executors.driver.shares import EVERYTHING, Share
from slackwater.executors.spark.partitions import Partitions
from slackwater.plan.costs import Extent
from slackwater.plan.observations import Observed
from slackwater.plan.placed import Reading
from slackwater.plan.prices import DRIVER, SPARK, Prices, read_prices, write_prices
from slackwater.plan.program import Origin, Program, SourceChangesStep, SourceRowsStep
from slackwater.state.snapshot import even_ranges

CHANGES = Program((SourceChangesStep("changes", "item"),))
ROWS = Program((SourceRowsStep("rows", "item"),))


class Sizes:
    """A gigabyte of rows, few of which are new."""

    def pending(self, _source: str) -> Extent:
        return Extent((10,), 80)

    def contents(self, _source: str) -> Extent:
        return Extent((10_000_000,), 1 << 30)

    def arrangement(self, _id: str) -> Extent:
        return Extent()

    def observed(self, _origin: Origin | None, _engine: str | None = None) -> Observed | None:
        return None


@pytest.mark.parametrize(
    ("program", "rows", "partitions"),
    [(CHANGES, 10, 1), (CHANGES, 60_000, 2), (CHANGES, 10_000_000, 8), (ROWS, 10, 11)],
)
def test_few_rows_keep_few_cores_busy(program: Program, rows: int, partitions: int) -> None:
    assert Partitions(8).of(program, Sizes(), rows) == partitions
    assert Partitions(8, 3).of(program, Sizes(), rows) == 3


def test_partitions_read_what_is_theirs() -> None:
    readings = {"range": Reading.RANGE, "whole": Reading.WHOLE, "first": Reading.FIRST}
    shares = [Share(number, 3, readings) for number in range(3)]
    everything = EVERYTHING.hashes("any")
    assert tuple(each.hashes("range") for each in shares) == even_ranges(3)
    assert [each.hashes("whole") for each in shares] == [everything] * 3
    assert [each.hashes("first") for each in shares] == [everything, None, None]


def test_tasks_work_as_fast_as_the_driver_on_more_cores() -> None:
    prices = Prices(cores=2)
    rates = prices.in_tasks(8)
    assert rates.engine == SPARK
    assert rates.start == prices.spark.start
    assert rates.key == pytest.approx(prices.driver.key / 8)
    # On the driver a statement has both cores.
    assert rates.row == pytest.approx(prices.driver.row / 4)


def test_prices_of_before_there_were_blocks_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    write_prices(path, replace(Prices(), stage=0.5))
    assert read_prices(path).stage == 0.5
    content = json.loads(path.read_text(encoding="utf-8"))
    for name in ("stage", "moved"):
        del content[name]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert read_prices(path) == Prices()
    assert content.keys() == {DRIVER, SPARK, "cores"}
