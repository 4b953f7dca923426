from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from slackwater.bench.machine import Machine
from slackwater.bench.signal_queries import queries
from slackwater.bench.signals import (
    SignalFigures,
    SignalsPlan,
    SignalsReport,
    Spent,
    measure_signals,
)
from slackwater.cli.bench_signals import show_signals, signals_data
from slackwater.signals.pipeline import batch

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
TINY = SignalsPlan(events=600, sizes=(8, 16), groups=(2, 6), repeat=1)


def figures(query: str, groups: int, ours: float, numpy: float) -> SignalFigures:
    spent = (Spent(ours * 2, ours), Spent(numpy * 2, numpy))
    return SignalFigures(query, 600, groups, groups == 1, *spent, equal=True)


REPORT = SignalsReport(
    TINY,
    (
        figures("fft of 8", 1, 0.2, 0.1),
        figures("fir of 8", 1, 0.4, 0.1),
        figures("correlation", 2, 0.5, 0.1),
        figures("correlation", 6, 0.1, 0.3),
    ),
    MACHINE,
)


def test_pure_tasks_are_judged_by_the_slowest_and_groups_where_they_are_most() -> None:
    pure, many = REPORT.targets
    assert (pure.value, pure.met) == (4.0, False)
    assert many.name == "correlation, 6 groups, NumPy by ours"
    assert (many.value, many.met) == (pytest.approx(3.0), True)


def test_the_page_has_a_line_for_each_query() -> None:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_signals(console, REPORT)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "fir of 8" in text
    assert "load average before 0.50, after 1.50" in text
    assert text.count("equal") == 4


def test_json_holds_everything() -> None:
    data = json.loads(json.dumps(signals_data(REPORT)))
    assert data["figures"][1]["ratio"] == 4.0
    assert data["figures"][1]["ours"] == {"seconds": 0.8, "cpu": 0.4}
    assert data["plan"]["groups"] == [2, 6]
    assert data["machine"]["load_after"] == [1.5, 0.9, 0.5]


def test_a_tiny_run_measures_every_query_with_equal_results() -> None:
    messages: list[str] = []
    report = measure_signals(TINY, messages.append)
    assert len(report.figures) == len(messages) == 2 + 2 + 3 * 2
    assert all(each.equal for each in report.figures)
    assert {each.groups for each in report.figures} == {1, 2, 6}


@pytest.mark.parametrize("query", queries(600, (8,), (6,)), ids=lambda query: query.name)
def test_a_wrong_result_would_be_noticed(query: object) -> None:
    assert hasattr(query, "plain")
    relations = query.relations()
    rows = batch(query.signal().pipeline, relations)
    if query.name != "interpolation":
        assert rows.num_rows > 0
        assert query.checksum(rows.slice(1)) != pytest.approx(query.plain(relations), rel=1e-9)
