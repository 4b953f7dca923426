from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from slackwater.bench.machine import Cost, Machine
from slackwater.bench.plain import PlainSetup
from slackwater.bench.runs import RunCost
from slackwater.bench.shape_home import ShapeRun, engine_of, spent
from slackwater.bench.shape_views.catalogue import SHAPES, choose_shapes
from slackwater.bench.shapes_flat import FlatFigures, FlatReport
from slackwater.bench.shapes_report import (
    Change,
    ShapeFigures,
    ShapesPlan,
    ShapesReport,
    usual_change,
)
from slackwater.cli.bench_shapes_page import flat_data, shapes_data, show_flat, show_shapes
from slackwater.errors import CatalogError
from slackwater.spark.metering import Metrics
from slackwater.workloads.event_changes import ChangeKind

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
SETUP = PlainSetup(8 << 30, 48)
SMALL, LARGE = Change(ChangeKind.MIXED, 0.0002), Change(ChangeKind.MIXED, 0.01)
PLAN = ShapesPlan(5_000_000, choose_shapes("rank,funnel"), kinds=(ChangeKind.MIXED,))


def run(seconds: float, action: str = "incremental", engine: str = "driver") -> ShapeRun:
    jobs, reasons = (0, ()) if engine == "driver" else (2, ("a map",))
    cost = RunCost(seconds, seconds, 10, jobs, reasons)
    return ShapeRun(cost, engine, action, "few rows", {"look-ups": seconds / 2, "planning": 0.01})


def view(name: str, small: float, large: float, **others: object) -> ShapeFigures:
    """A view that plain Spark computes in ten seconds, and DuckDB in two."""
    refreshes = {
        change: usual_change([Cost(1.0, 1.0, 1_250)], [run(seconds)])
        for change, seconds in ((SMALL, small), (LARGE, large))
    }
    figures = ShapeFigures(
        name, name, Cost(10.0, 20.0, 9), Cost(2.0, 4.0), run(15.0), 1_000, refreshes, Cost(0.5)
    )
    return replace(figures, **others)  # type: ignore[arg-type]


def report(*views: ShapeFigures) -> ShapesReport:
    return ShapesReport(PLAN, SETUP, {"events": 7.0}, 5 << 20, views, MACHINE)


def page(show: Callable[[Console], None]) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show(console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 100
    return text


def test_views_have_titles_and_names_of_their_own() -> None:
    assert len({shape.title for shape in SHAPES.values()}) == len(SHAPES) >= 42
    assert [shape.name for shape in choose_shapes("funnel, rank")] == ["funnel", "rank"]
    assert choose_shapes("") == tuple(SHAPES.values())
    with pytest.raises(CatalogError, match="there is no view ranc"):
        choose_shapes("rank,ranc")


def test_an_engine_is_that_which_worked() -> None:
    driver = {"on the driver": 1.0}
    assert engine_of(Metrics(phases=driver)) == "driver"
    assert engine_of(Metrics(jobs=1, phases=driver)) == "both"
    assert engine_of(Metrics(jobs=1, phases=driver | {"computing": 1.0})) == "spark"
    assert engine_of(Metrics(jobs=1, phases={"building": 1.0, "computing": 1.0})) == "spark"


def test_the_parts_of_a_run_add_up_to_its_phases() -> None:
    metrics = Metrics(phases={"planning": 1.0, "on the driver": 4.0}, parts={"look-ups": 3.0})
    assert spent(metrics) == {"planning": 1.0, "on the driver": 1.0, "look-ups": 3.0}


def test_the_usual_change_has_medians_and_every_action() -> None:
    found = usual_change(
        [Cost(1.0, 1.0, 10), Cost(2.0, 1.0, 10), Cost(9.0, 1.0, 12)],
        [run(1.0), run(2.0, "recomputed", "spark"), run(4.0)],
    )
    assert (found.changed_rows, found.ingest.seconds, found.refresh.seconds) == (10, 2.0, 2.0)
    assert (found.engines, found.actions) == (("driver", "spark"), ("incremental", "recomputed"))
    assert found.parts == {"look-ups": 1.0, "planning": 0.01}
    assert found.main_part == "look-ups 50%"
    assert found.refresh.remark == "2 Spark jobs (a map)"


def test_ratios_are_parts_of_recomputation() -> None:
    one = view("rank", 1.0, 4.0)
    assert one.ratio(SMALL) == pytest.approx(0.1)
    assert one.ratio(SMALL, "cpu") == pytest.approx(0.05)
    assert one.ratio(SMALL, "with_ingest") == pytest.approx(0.2)
    assert one.duckdb_ratio(LARGE) == pytest.approx(2.0)
    assert one.fill_ratio == pytest.approx(1.5)
    assert one.slowest_change == LARGE


def test_targets_are_judged_over_all_views() -> None:
    found = {each.name: each for each in report(view("a", 1.0, 4.0), view("b", 0.25, 12.0)).targets}
    assert found["geometric mean of seconds, mixed 0.02%"].value == pytest.approx(0.05)
    assert found["geometric mean of seconds, mixed 0.02%"].met
    assert found["geometric mean of seconds, mixed 1%"].value == pytest.approx(0.48**0.5)
    assert not found["geometric mean of seconds, mixed 1%"].met
    assert found["seconds of the worst view, in recomputations"].value == pytest.approx(1.2)
    assert found["geometric mean of first fills, in recomputations"].limit == 1.5
    assert found["views that failed"].met
    assert len(found) == 5


def test_a_view_that_failed_is_told_and_counts_where_it_came() -> None:
    broken = ShapeFigures("b", "b", Cost(1.0), problem="took longer than 5 s")
    wrong = view("c", 1.0, 4.0, exact=False, difference="one row")
    found = report(view("a", 1.0, 4.0), broken, wrong)
    assert found.failed == ("b", "c")
    assert found.mean(SMALL) == pytest.approx(0.1)
    assert not found.targets[-1].met
    text = page(lambda console: show_shapes(console, found))
    assert "b: took longer than 5 s" in text
    assert "c: WRONG: one row" in text
    assert "failed: b, c" in text


def test_the_page_and_json_of_shapes() -> None:
    odd = replace(view("b", 1.0, 4.0), duckdb=None)
    odd = replace(
        odd, refreshes={SMALL: usual_change([Cost()], [run(20.0, "recomputed", "spark")])}
    )
    found = report(view("a", 1.0, 4.0), odd)
    text = page(lambda console: show_shapes(console, found))
    assert "b: mixed 0.02%: 2 Spark jobs (a map)" in text
    assert "b: mixed 0.02%: recomputed, few rows" in text
    assert "first fills, in recomputations: geometric mean 1.50, slowest 1.50" in text
    assert "worst 2.00 (b)" in text
    data = json.loads(json.dumps(shapes_data(found)))
    assert data["geometric_means"]["mixed 1%"]["duckdb"] == 2.0
    first, second = data["views"]
    assert first["refreshes"]["mixed 0.02%"]["ratios"]["seconds"] == 0.1
    assert first["fill"]["cost"]["seconds"] == 15.0
    assert second["duckdb"] is None
    assert second["refreshes"]["mixed 0.02%"]["engines"] == ["spark"]


def test_growth_is_judged_by_the_steepest_view() -> None:
    plan = replace(PLAN, sizes=(1_000, 2_000))
    views = (
        FlatFigures("a", {1_000: 0.1, 2_000: 0.2}),
        FlatFigures("b", {1_000: 0.1, 2_000: 0.1}),
        FlatFigures("c", {1_000: 0.1}, "no such function"),
    )
    found = FlatReport(plan, 200, views, MACHINE)
    assert [each.value for each in found.targets] == [2.0, 1, 1]
    text = page(lambda console: show_flat(console, found))
    assert "A change of 200 events (mixed)" in text
    assert "c: no such function" in text
    data = json.loads(json.dumps(flat_data(found)))
    assert data["views"]["a"] == {
        "seconds": {"1000": 0.1, "2000": 0.2},
        "spread": 2.0,
        "problem": "",
    }
    assert data["views"]["c"]["spread"] is None
