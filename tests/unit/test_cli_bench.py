from __future__ import annotations

import io
import json
import re

from rich.console import Console

from slackwater.bench.machine import Machine
from slackwater.bench.roundtrip import (
    QueryRoundtrip,
    RefusedQuery,
    RoundtripReport,
    StageTimes,
)
from slackwater.cli.bench import report_data, show_report

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))


def query(name: str, own: float, *reasons: str) -> QueryRoundtrip:
    return QueryRoundtrip(name, "tpch", StageTimes(100.0, own / 4, own * 3 / 4, own), reasons)


def report(*queries: QueryRoundtrip, refused: tuple[RefusedQuery, ...] = ()) -> RoundtripReport:
    return RoundtripReport(5, queries, refused, MACHINE)


def page(shown: RoundtripReport, listed: int = 10) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_report(console, shown, listed)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_median_decides_about_the_target() -> None:
    assert report(query("a", 10), query("b", 50), query("c", 900)).target_met
    assert not report(query("a", 10), query("b", 50.1), query("c", 51)).target_met
    assert not report().target_met


def test_quantiles_are_taken_of_each_time() -> None:
    figures = report(*(query(f"q{n}", float(n)) for n in range(11)))
    assert figures.quantile(50) == StageTimes(100.0, 1.25, 3.75, 5.0)
    assert figures.quantile(90).own == 9.0


def test_a_query_counts_as_represented_if_nothing_is_left_to_spark() -> None:
    assert report(query("a", 1), query("b", 1, "no place for it")).represented == 1


def test_the_page_names_reasons_and_slowest_queries() -> None:
    text = page(report(query("fast", 1), query("slow", 99, "[a] has no place here")), listed=1)
    assert "Planning time over 2 queries" in text
    assert "target (median of own at most 50 ms): met" in text
    assert re.search(r"^slow +100\.0 +24\.8 +74\.2 +99\.0 +yes", text, re.MULTILINE)
    assert "fast" not in text
    assert "1 of 2 leave nothing to Spark" in text
    assert "slow: [a] has no place here" in text
    assert "2 cores, Spark 4.2.1, Python 3.11.9, 5 runs a query" in text
    assert "load averages before: 0.50, 0.40, 0.30; after: 1.50, 0.90, 0.50" in text


def test_the_page_names_refused_queries() -> None:
    text = page(report(refused=(RefusedQuery("odd", "unknown table"),)))
    assert "odd is refused: unknown table" in text
    assert "target" not in text


def test_json_holds_everything() -> None:
    figures = report(query("a", 8), refused=(RefusedQuery("odd", "unknown table"),))
    data = json.loads(json.dumps(report_data(figures)))
    assert data["summary"]["median"]["own"] == data["summary"]["p90"]["own"] == 8
    assert data["summary"]["target_met"] is True
    assert data["queries"][0]["times"] == {"analysis": 100, "json": 2, "algebra": 6, "own": 8}
    assert data["refused"] == [{"name": "odd", "reason": "unknown table"}]
    assert data["machine"]["load_after"] == [1.5, 0.9, 0.5]
