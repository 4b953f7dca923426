from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from slackwater.bench.choices import Choice, ChoicesPlan, ChoicesReport, way_taken
from slackwater.bench.machine import Machine
from slackwater.bench.runs import RunCost
from slackwater.bench.shape_home import ShapeRun
from slackwater.cli.bench_choices import choices_data, show_choices

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))


def choice(taken: str, auto: float, incremental: float, driver: float, spark: float) -> Choice:
    seconds = {
        "auto": auto,
        "incremental": incremental,
        "anew, driver": driver,
        "anew, Spark": spark,
    }
    return Choice("events", "rank", "1.00%", taken, seconds)


def run(action: str, engine: str) -> ShapeRun:
    return ShapeRun(RunCost(1.0), engine, action, "few rows", {})


@pytest.mark.parametrize(
    ("action", "engine", "way"),
    [
        ("incremental", "both", "incremental"),
        ("recomputed", "driver", "anew, driver"),
        ("recomputed", "spark", "anew, Spark"),
        ("rebuilt", "driver", "rebuilt"),
    ],
)
def test_the_way_taken_follows_from_action_and_engine(action: str, engine: str, way: str) -> None:
    assert way_taken(run(action, engine)) == way


def test_a_choice_is_right_if_nothing_was_cheaper_by_a_tenth() -> None:
    assert choice("incremental", 1.05, 1.0, 5.0, 9.0).is_right
    assert not choice("incremental", 2.0, 2.1, 1.0, 9.0).is_right
    assert choice("incremental", 2.0, 2.1, 1.0, 9.0).lost == pytest.approx(2.0)


def test_a_choice_is_judged_by_the_way_it_took_where_its_own_home_was_slower() -> None:
    assert choice("anew, driver", 1.3, 4.0, 1.0, 9.0).is_right


def test_hundredths_of_a_second_decide_nothing() -> None:
    assert choice("incremental", 0.045, 0.045, 0.03, 9.0).is_right
    assert not choice("incremental", 0.055, 0.056, 0.03, 9.0).is_right


def test_a_rebuild_is_judged_by_its_own_seconds() -> None:
    assert choice("rebuilt", 3.0, 4.0, 1.0, 9.0).lost == pytest.approx(3.0)


def test_the_page_and_json_of_choices() -> None:
    made = (choice("incremental", 1.0, 1.0, 5.0, 9.0), choice("incremental", 2.0, 2.0, 1.0, 9.0))
    report = ChoicesReport(ChoicesPlan(), made, MACHINE, {"pivot": "DataError: no such row"})
    assert report.right == 0.5
    assert [each.met for each in report.targets] == [False, False]
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_choices(console, report)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 100
    assert "2.00 !" in text
    assert "right: 50% of 2 choices" in text
    assert "pivot: DataError: no such row" in text
    data = json.loads(json.dumps(choices_data(report)))
    assert [each["right"] for each in data["choices"]] == [True, False]
    assert data["choices"][1]["best"] == "anew, driver"
