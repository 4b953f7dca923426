"""`slackwater bench arrangement`: indexed state by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.arrangement import (
    ArrangementFigures,
    ArrangementPlan,
    ArrangementReport,
    measure_arrangements,
)
from slackwater.bench.machine import bench_spark
from slackwater.cli.bench_queries import scratch_folder
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json

_DEFAULT = ArrangementPlan()
_FIGURES: tuple[tuple[str, Callable[[ArrangementFigures], str]], ...] = (
    ("built on the driver, rows a second", lambda e: f"{e.rows_per_second:,.0f}"),
    ("built in Spark, rows a second", lambda e: f"{e.rows / e.build_in_spark:,.0f}"),
    ("bytes a row", lambda e: f"{e.bytes_per_row:.1f}"),
    ("look-up on the driver, seconds", lambda e: f"{e.look_up:.3f}"),
    ("look-up in Spark, seconds", lambda e: f"{e.look_up_in_spark:.3f}"),
    ("join with a cached DataFrame, seconds", lambda e: f"{e.join_cached:.3f}"),
    ("join with Parquet files, seconds", lambda e: f"{e.join_parquet:.3f}"),
)
"""The columns shown of an arrangement: the title, and how the figure is written."""


def arrangement(
    rows: Annotated[
        list[int] | None, typer.Option(min=1_000, help="Rows of an arrangement; may be repeated.")
    ] = None,
    keys: Annotated[int, typer.Option(min=1, help="Keys to look up.")] = _DEFAULT.keys,
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = _DEFAULT.repeat,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure building an arrangement and looking keys up, beside joins that read everything."""
    with guarded(as_json=as_json):
        report = run_arrangement(ArrangementPlan(tuple(rows or _DEFAULT.rows), keys, repeat))
        if as_json:
            print_json(arrangement_data(report))
        else:
            show_arrangement(page_console(), report)


def run_arrangement(plan: ArrangementPlan) -> ArrangementReport:
    """Start Spark and measure in a folder that is deleted afterwards."""
    with measuring("starting Spark") as say, scratch_folder() as scratch, bench_spark() as spark:
        return measure_arrangements(spark, scratch, plan, say)


def arrangement_data(report: ArrangementReport) -> dict[str, object]:
    """The report as data."""
    return {"targets": targets_data(report.targets), **asdict(report)}


def show_arrangement(console: Console, report: ArrangementReport) -> None:
    """Print one column for each size."""
    heading(console, f"Arrangements; look-ups of {report.plan.keys:,} keys with ten rows each")
    sizes = [f"{each.rows:,} rows" for each in report.figures]
    table = plain_table("", *sizes, right=tuple(sizes))
    for title, text in _FIGURES:
        table.add_row(title, *(text(each) for each in report.figures))
    console.print(table)
    show_targets(console, report.targets)
    console.print(f"medians of {report.plan.repeat} runs")
    console.print(str(report.machine))
