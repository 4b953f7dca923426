from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from slackwater.bench.demo import DemoPlan, DemoResult, DemoRun
from slackwater.bench.demo_views import DEMO_VIEWS
from slackwater.cli import demo as command
from slackwater.cli.demo_page import run_line, show_end, show_run, show_start
from slackwater.cli.main import main

RUN = DemoRun(
    number=10,
    changed_rows=1_234_567,
    actions={"incremental": 4, "rebuilt": 1},
    refresh_seconds=1.5,
    refresh_cpu=2.25,
    state_rows_written=77,
    recompute_seconds=6.0,
    recompute_cpu=9.0,
    recompute_rows=8_000_000,
)


def result(different: dict[str, str] | None = None) -> DemoResult:
    return DemoResult(0.1, (RUN,), different or {}, 123_456_789, 0.5)


def page(outcome: DemoResult, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    show_start(console, DemoPlan(outcome.scale))
    for run in outcome.runs:
        show_run(console, run)
    show_end(console, outcome)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_page_fits() -> None:
    assert max(len(line) for line in page(result()).splitlines()) <= 100


def test_a_run_shows_both_costs_and_their_ratio() -> None:
    line = run_line(RUN)
    assert line.split() == [
        *("10", "1,234,567", "4", "incremental,", "1", "rebuilt"),
        *("1.5s", "2.2", "6.0s", "9.0", "0.25"),
    ]


def test_the_page_ends_with_the_check() -> None:
    assert f"all {len(DEMO_VIEWS)} views equal" in page(result())
    told = page(result({"small_orders": "1 row is missing"}))
    assert "small_orders: 1 row is missing" in told


@pytest.mark.parametrize(("different", "code"), [({}, 0), ({"small_orders": "other"}, 1)])
def test_the_exit_code_says_whether_answers_are_right(
    different: dict[str, str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run_demo(
        _plan: DemoPlan, _cache: Path, _say: object, show: Callable[[DemoRun], None]
    ) -> DemoResult:
        show(RUN)
        return result(different)

    monkeypatch.setattr(command, "run_demo", run_demo)
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--json"])
    assert ended.value.code == code
    told = json.loads(capsys.readouterr().out)
    assert told["equal"] is not bool(different)
    assert told["runs"][0]["recompute_seconds"] == 6.0
