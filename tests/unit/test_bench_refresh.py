from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer

import pytest
from rich.console import Console

from slackwater.bench.dag import DagPlan, DagReport, Kept
from slackwater.bench.forecasts import RunForecast
from slackwater.bench.growth import GrowthPlan, GrowthReport
from slackwater.bench.machine import Clock, Cost, Machine, typical
from slackwater.bench.plain import PlainSetup
from slackwater.bench.refresh_report import RefreshPlan, RefreshReport, ShareFigures, ViewFigures
from slackwater.bench.runs import RunCost, spark_reasons, typical_run, wait_for_merges
from slackwater.cli.bench_dag import dag_data, show_dag
from slackwater.cli.bench_growth import growth_data, show_growth
from slackwater.cli.bench_queries import choose_tpch
from slackwater.cli.bench_refresh import queries_for, refresh_data, show_refresh
from slackwater.maintenance.merging import Merge, Merger
from slackwater.spark.metering import Metrics
from slackwater.state.segments import SegmentFile
from slackwater.workloads.corpus import CorpusQuery

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
SETUP = PlainSetup(8 << 30, 48)
QUERIES = tuple(
    CorpusQuery(name, name, "tpch", frozenset(), False, "SELECT 1", Path(f"{name}.sql"))
    for name in ("q01", "q03")
)


def view(name: str, *seconds: float, load: RunCost | None = None) -> ViewFigures:
    """A view that plain Spark computes in ten seconds; `seconds` are of its refreshes."""
    shares = {
        share: ShareFigures(
            86_000, Cost(1.0, 1.0, 86_000), RunCost(each, each, 10), ("incremental",)
        )
        for share, each in zip((0.001, 0.01), seconds, strict=False)
    }
    filled = load or RunCost(5.0, 6.0, 1_000)
    return ViewFigures(name, Cost(10.0, 20.0, 1_000), filled, shares, Cost(0.5), 3_000_000, None)


def test_forecasts_tell_first_refreshes_from_later_ones() -> None:
    told = replace(
        view("q01", 0.25, 1.0),
        forecasts=(
            RunForecast(True, (100.0, 10.0), 4.0),
            RunForecast(False, (1.0, 1.5, 2.0), 1.2),
        ),
    )
    data = refresh_data(report(1, told))["forecasts"]
    assert data["first refresh of a view"]["rows_median"] == 55.0
    assert data["after one run of history"]["rows_median"] == 1.5
    assert data["after one run of history"]["seconds_median"] == 1.2
    text = page(lambda console: show_refresh(console, report(1, told)))
    assert "after one run of history: rows 1.50" in " ".join(text.split())


def report(scale: float, *views: ViewFigures) -> RefreshReport:
    plan = RefreshPlan(scale, QUERIES)
    return RefreshReport(plan, SETUP, {"lineitem": 7.0}, 5 << 20, views, MACHINE)


def page(show: Callable[[Console], None]) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show(console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 100
    return text


# Clocks and costs ------------------------------------------------------------------------------


class SlowToLook(Clock):
    """Takes long to add the processor seconds up."""

    def __init__(self) -> None:
        self._looked = 0

    def _cpu(self) -> float:
        time.sleep(0.3)
        self._looked += 1
        return float(self._looked)


def test_a_clock_does_not_measure_itself() -> None:
    with SlowToLook().measure() as cost:
        pass
    assert cost.seconds < 0.2
    assert cost.cpu == 1.0


def test_of_several_runs_the_most_jobs_and_all_reasons_are_told() -> None:
    runs = [
        RunCost(1.0, 2.0, 3),
        RunCost(9.0, 2.0, 3, 2, ("a", "b")),
        RunCost(2.0, 2.0, 3, 1, ("a",)),
    ]
    assert typical_run(runs) == RunCost(2.0, 2.0, 3, 2, ("a", "b"))
    assert typical(runs).seconds == 2.0
    assert typical_run(runs).remark == "2 Spark jobs (a; b)"
    assert RunCost(1.0).remark == ""


def test_every_spark_job_has_a_reason() -> None:
    assert spark_reasons(Metrics(jobs=0, phases={"on the driver": 1.0})) == ()
    assert spark_reasons(Metrics(jobs=1, left_to_spark=("a map",))) == ("a map",)
    (spark,) = spark_reasons(Metrics(jobs=1, phases={"computing": 1.0}))
    assert "prices" in spark


def test_merges_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()

    def write(*_: object) -> Iterator[SegmentFile]:
        go.wait(30)
        yield from ()

    monkeypatch.setattr(Merge, "write", write)
    merger = Merger(tmp_path)
    merger.start((Merge("nothing", (), "stem"),))
    assert not merger.finished
    # The clock looks for 0.3 s before it starts.
    Timer(0.6, go.set).start()
    assert wait_for_merges(SlowToLook()).seconds > 0.1
    assert merger.finished
    merger.stop()


def test_all_queries_are_measured_but_for_large_tables() -> None:
    folder = Path(__file__).parents[1] / "oracle/queries/tpch"
    assert len(choose_tpch(folder, queries_for("", 9.9))) == 22
    assert [each.name for each in choose_tpch(folder, queries_for("", 10))] == [
        *("q01", "q03", "q05", "q06", "q10", "q12", "q14", "q17", "q18")
    ]
    assert len(choose_tpch(folder, queries_for("all", 10))) == 22


# bench refresh ---------------------------------------------------------------------------------


def test_at_a_large_scale_means_and_loads_are_judged() -> None:
    slow = view("q03", 2.0, 4.0, load=RunCost(26.0, 1.0, 1))
    found = {each.name: each for each in report(10, view("q01", 0.25, 1.0), slow).targets}
    assert found["geometric mean of seconds at 0.1%"].value == pytest.approx(0.0707, abs=1e-3)
    assert found["geometric mean of seconds at 0.1%"].met
    assert found["geometric mean of cpu at 0.1%"].limit == 0.10
    assert found["geometric mean of seconds at 1.0%"].value == pytest.approx(0.2)
    assert found["geometric mean of cpu at 1.0%"].limit == 0.20
    assert found["slowest first load, in recomputations"].value == pytest.approx(2.6)
    assert not found["slowest first load, in recomputations"].met
    assert len(found) == 5


def test_at_a_small_scale_the_worst_view_is_judged_too() -> None:
    mean, worst = report(1, view("q01", 0.1, 99.0), view("q03", 10.1, 99.0)).targets
    assert (mean.limit, mean.met) == (0.35, True)
    assert (worst.limit, worst.met) == (1.0, False)


def test_ingest_counts_where_it_is_said_to() -> None:
    means = report(1, view("q01", 1.0, 4.0)).means
    assert means[0.001] == pytest.approx(
        {"seconds": 0.1, "cpu": 0.05, "rows": 0.01, "with_ingest": 0.2}
    )


def test_the_page_of_refreshes() -> None:
    odd = view("q03", 2.0, 4.0, load=RunCost(26.0, 1.0, 1, 2, ("a map",)))
    text = page(lambda console: show_refresh(console, report(10, view("q01", 0.25, 1.0), odd)))
    assert "q03: first load: 2 Spark jobs (a map)" in text
    assert "q01:" not in text
    assert "ingest of a change of 0.1%: 1.00 s; with it the mean of seconds is 0.194" in text
    assert "first loads, in recomputations: geometric mean 1.14, slowest 2.60" in text
    assert "sources: 5.0 MB, ingested in 7.0 s" in text
    assert "merging after the last refresh of each view, in no figure: 1.00 s" in text
    assert "target: slowest first load, in recomputations at most 2.50: 2.600, missed" in text
    assert "heap 8.0 GB, shuffles of 48 partitions" in text
    assert "Parquet in the page cache" in text
    assert "plain Spark pays no ingest" in text


def test_json_of_refreshes_holds_everything() -> None:
    data = json.loads(json.dumps(refresh_data(report(10, view("q01", 0.25, 1.0)))))
    assert data["plain"]["partitions"] == 48
    assert data["plain"]["properties"]["spark.sql.shuffle.partitions"] == "48"
    assert data["source_bytes"] == 5 << 20
    assert data["load_ratios"] == {"geometric_mean": 0.5, "worst": 0.5}
    assert [each["met"] for each in data["targets"]] == [True] * 5
    (figures,) = data["views"]
    assert figures["refreshes"]["0.001"]["ingest"]["seconds"] == 1.0
    assert figures["ratios"]["0.01"]["with_ingest"] == 0.2
    assert (figures["load"]["jobs"], figures["remarks"]) == (0, [])


# bench growth and bench dag ----------------------------------------------------------------------


def growth(*seconds: float) -> GrowthReport:
    reports = {}
    for scale, each in zip((0.5, 5.0), seconds, strict=True):
        plan = RefreshPlan(scale, QUERIES[:1], (0.001,))
        measured = (view("q01", each),)
        reports[scale] = RefreshReport(plan, SETUP, {}, 0, measured, MACHINE)
    return GrowthReport(GrowthPlan(QUERIES[:1], (0.5, 5.0)), reports)


def test_growth_is_judged_view_by_view() -> None:
    assert [each.met for each in growth(0.25, 0.3).targets] == [True]
    (target,) = growth(0.5, 0.25).targets
    assert (target.limit, target.value, target.met) == (1.5, 2.0, False)


def test_the_page_and_json_of_growth() -> None:
    text = page(lambda console: show_growth(console, growth(0.5, 0.25)))
    assert "0.50 / 10.00" in text
    assert "86,000" in text
    assert "target: q01, slowest by quickest at most 1.50: 2.000, missed" in text
    assert "medians of 20 refreshes after 1 to warm up, and of 5 recomputations" in text
    data = json.loads(json.dumps(growth_data(growth(0.5, 0.25))))
    figures = data["views"]["q01"]["scales"]["5"]
    assert figures["changed_rows"] == 86_000
    assert (figures["refresh"]["cpu"], figures["refresh"]["rows"]) == (0.25, 10)
    assert (figures["load"]["seconds"], figures["state_bytes"]) == (5.0, 3_000_000)
    assert data["targets"][0]["met"] is False


def dag(seconds: float, cpu: float) -> DagReport:
    kept = Kept(
        RunCost(9.0, 9.0, 9, 1, ("a map",)),
        (Cost(1.0, 2.0), Cost(3.0, 2.0)),
        (RunCost(seconds, cpu), RunCost(seconds, cpu)),
        Cost(0.25),
        1 << 20,
        2 << 20,
        True,
    )
    return DagReport(1.0, DagPlan(QUERIES), SETUP, Cost(10.0, 20.0), kept, MACHINE)


def test_many_views_are_judged_without_ingest_which_is_shown() -> None:
    report = dag(4.0, 8.2)
    assert [each.met for each in report.targets] == [True, False]
    assert report.ratio_with_ingest("seconds") == pytest.approx(0.6)
    text = page(lambda console: show_dag(console, report))
    assert "ingest: usually 2.00 s a change; with it seconds 0.600, cpu 0.510" in text
    assert "first fill: at most 1 Spark job (a map)" in text
    assert "refreshes: at most" not in text
    assert "target: cpu of refreshes, in recomputations at most 0.40: 0.410, missed" in text
    data = json.loads(json.dumps(dag_data(report)))
    assert data["ratios_with_ingest"]["seconds"] == pytest.approx(0.6)
    assert [each["seconds"] for each in data["ingests"]] == [1.0, 3.0]
    assert data["recomputations"] == 5
    assert data["fill"]["left_to_spark"] == ["a map"]
