"""`slackwater bench choices`: what `auto` chose, beside what other ways would have cost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.choices import (
    WAYS,
    ChoicesPlan,
    ChoicesReport,
    Workload,
    measure_choices,
)
from slackwater.bench.machine import bench_spark
from slackwater.bench.shape_views.catalogue import choose_shapes
from slackwater.bench.shape_views.shape import Shape
from slackwater.cli.bench_queries import ALL, TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import (
    hang,
    heading,
    measuring,
    page_console,
    plain_table,
    print_json,
)
from slackwater.config import load_settings
from slackwater.workloads.event_changes import ChangeKind, EventChanges
from slackwater.workloads.event_tables import EVENT_KEYS, EventSpec, ensure_events
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch
from slackwater.workloads.tpch_changes import TpchChanges

_SHARES = (0.0002, 0.01)
_TPCH_SHARES = (0.001, 0.01)
_NONE = "none"


def choices(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    rows: Annotated[int, typer.Option(min=100, help="Events in the log.")] = 1_000_000,
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = 0.5,
    only: Annotated[str, typer.Option(help=f"Views over events, {ALL} or {_NONE}.")] = ALL,
    tpch: Annotated[str, typer.Option(help=f"Queries of TPC-H, {ALL} or {_NONE}.")] = ALL,
    repeat: Annotated[int, typer.Option(min=1, help="Refreshes behind each median.")] = 3,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure how often `auto` takes the cheapest way to refresh a view."""
    with guarded(as_json=as_json):
        plan = ChoicesPlan(repeat=repeat)
        shapes = () if only == _NONE else choose_shapes("" if only == ALL else only)
        named = () if tpch == _NONE else choose_tpch(queries, tpch)
        asked = tuple(Shape(each.name, each.name, each.sql) for each in named)
        report = run_choices(plan, (rows, shapes), (scale, asked))
        if as_json:
            print_json(choices_data(report))
        else:
            show_choices(page_console(), report)
        if report.problems:
            raise typer.Exit(FAILED)


def run_choices(
    plan: ChoicesPlan,
    events: tuple[int, tuple[Shape, ...]],
    tpch: tuple[float, tuple[Shape, ...]],
) -> ChoicesReport:
    """Make the data, start Spark and measure in homes that are deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        count = plan.warm_ups + plan.repeat
        workloads = []
        if events[1]:
            workloads.append(_over_events(*events, count))
        if tpch[1]:
            workloads.append(_over_tpch(*tpch, count))
        say("starting Spark")
        with bench_spark() as spark:
            return measure_choices(spark, scratch, workloads, plan, say)


def _over_events(rows: int, shapes: tuple[Shape, ...], count: int) -> Workload:
    spec = EventSpec(rows)
    folder = ensure_events(spec, load_settings().cache_dir)
    changes = EventChanges(folder, spec)
    batches = {
        f"{share:.2%}": changes.take_many(share, ChangeKind.MIXED, count) for share in _SHARES
    }
    return Workload("events", folder, EVENT_KEYS, shapes, batches)


def _over_tpch(scale: float, shapes: tuple[Shape, ...], count: int) -> Workload:
    folder = ensure_tpch(scale, load_settings().cache_dir)
    changes = TpchChanges(folder)
    batches = {
        f"{share:.2%}": [changes.take(share) for _ in range(count)] for share in _TPCH_SHARES
    }
    return Workload("tpch", folder, TPCH_KEYS, shapes, batches)


def choices_data(report: ChoicesReport) -> dict[str, object]:
    """The report as data."""
    judged = [
        asdict(each) | {"best": each.best, "lost": each.lost, "right": each.is_right}
        for each in report.choices
    ]
    return {
        "repeat": report.plan.repeat,
        "right": report.right,
        "choices": judged,
        "problems": dict(report.problems),
        "targets": targets_data(report.targets),
        "machine": asdict(report.machine),
    }


def show_choices(console: Console, report: ChoicesReport) -> None:
    """Print the seconds of every way, a line for each view and size of change."""
    heading(console, "Seconds of a refresh, by way; what auto took, and what it lost by that")
    ways = [way.name for way in WAYS]
    table = plain_table("view", "change", *ways, "taken", "lost", right=("change", *ways, "lost"))
    for each in report.choices:
        cells = [f"{each.seconds[name]:.3f}" for name in ways]
        lost = f"{each.lost:.2f}" + ("" if each.is_right else " !")
        table.add_row(each.view, each.change, *cells, each.taken, lost)
    console.print(table)
    for view, problem in report.problems.items():
        console.print(hang(f"{view}: {problem}", console.width))
    console.print(f"right: {report.right:.0%} of {len(report.choices)} choices")
    show_targets(console, report.targets)
    console.print(
        f"medians of {report.plan.repeat} refreshes after {report.plan.warm_ups} from which auto "
        "learns; ways took turns"
    )
    console.print(str(report.machine))
