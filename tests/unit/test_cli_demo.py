from __future__ import annotations

import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from rich.console import Console

from slackwater.cli import demo as command
from slackwater.cli.demo_page import demo_data, show_demo
from slackwater.cli.demo_run import DemoRun, Stopwatch
from slackwater.cli.main import main
from slackwater.runtime.compare import BagDifference

OTHER_ANSWER = BagDifference("1 row is missing", ("nation",), (), (("'PERU'",),))


def demo_run(difference: BagDifference | None = None) -> DemoRun:
    """A run with texts far wider than a page."""
    return DemoRun(
        folder=Path("cache"),
        table_rows={f"table_{n}": 1000 * n for n in range(12)},
        sql="SELECT a, [b] FROM t WHERE " + " AND ".join(f"column_{n} > 0" for n in range(20)),
        plan="Limit 8\n  Scan t [" + ", ".join(f"column_{n}#{n} INT" for n in range(20)) + "]",
        statement="WITH\n  r1 AS (SELECT " + ", ".join(f"c{n}" for n in range(60)) + " FROM `t`)",
        columns=("nation", "orders", "revenue", "day"),
        answer=(
            ("PERU", 1234, Decimal("9876543.21"), date(2026, 6, 1)),
            (None, 1, Decimal(0), None),
        ),
        difference=difference,
        seconds={"start Spark": 7.25, "run the statement": 1.0},
    )


def page(run: DemoRun, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    show_demo(console, run)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [72, 100])
def test_the_page_fits(width: int) -> None:
    assert max(len(line) for line in page(demo_run(), width).splitlines()) <= width


def test_the_page_shows_every_stage_in_order() -> None:
    text = page(demo_run())
    titles = ["1  The query", "2  Our algebra", "3  The Spark statement", "4  The answer"]
    titles += ["5  The check", "Seconds", "What each stage is"]
    places = [text.index(f"\n{title} ") for title in titles]
    assert places == sorted(places)


def test_the_answer_is_a_table() -> None:
    lines = page(demo_run()).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  nation"))
    assert [line.split() for line in lines[first : first + 3]] == [
        ["nation", "orders", "revenue", "day"],
        ["PERU", "1,234", "9,876,543.21", "2026-06-01"],
        ["NULL", "1", "0", "NULL"],
    ]


def test_an_equal_answer_is_said_to_be_equal() -> None:
    assert "Plain Spark gives the same 2 rows" in page(demo_run())


def test_another_answer_is_shown() -> None:
    text = page(demo_run(OTHER_ANSWER))
    assert "Plain Spark gives another answer.\n  1 row is missing\n    - nation='PERU'" in text


def test_json_keeps_decimals_exact() -> None:
    data = json.loads(json.dumps(demo_data(demo_run(OTHER_ANSWER))))
    assert data["answer"] == [["PERU", 1234, "9876543.21", "2026-06-01"], [None, 1, "0", None]]
    assert data["same_as_spark"] is False
    assert "1 row is missing" in data["difference"]


@pytest.mark.parametrize(("difference", "code"), [(None, 0), (OTHER_ANSWER, 1)])
def test_another_answer_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, difference: BagDifference | None, code: int
) -> None:
    monkeypatch.setattr(command, "run_demo", lambda *_arguments: demo_run(difference))
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--json"])
    assert ended.value.code == code


def test_steps_are_announced_and_measured() -> None:
    said: list[str] = []
    watch = Stopwatch(said.append)
    with watch.step("first"):
        assert said == ["first"]
    with watch.step("second"):
        pass
    assert list(watch.seconds) == said == ["first", "second"]
    assert all(seconds >= 0 for seconds in watch.seconds.values())
