"""`slackwater bench overhead`: refreshes that have next to nothing to do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.machine import bench_spark
from slackwater.bench.overhead import OverheadPlan, OverheadReport, measure_overhead
from slackwater.cli.bench_queries import scratch_folder
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.config import load_settings
from slackwater.workloads.tpch import ensure_tpch

_SCALE = 0.1


def overhead(
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = 5,
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = _SCALE,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes after an empty change and after one changed row."""
    with guarded(as_json=as_json):
        report = run_overhead(OverheadPlan(repeat=repeat), scale)
        if as_json:
            print_json(overhead_data(report))
        else:
            show_overhead(page_console(), report)


def run_overhead(plan: OverheadPlan, scale: float) -> OverheadReport:
    """Start Spark and measure in a home that is deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        folder = ensure_tpch(scale, load_settings().cache_dir)
        with bench_spark() as spark:
            return measure_overhead(spark, scratch / "home", folder, plan, say)


def overhead_data(report: OverheadReport) -> dict[str, object]:
    """The report as data."""
    return {"targets": targets_data(report.targets), **asdict(report)}


def show_overhead(console: Console, report: OverheadReport) -> None:
    """Print one line for each number of views and kind of change."""
    heading(console, "A refresh of views that join three tables")
    numbers = ("views", "seconds", "Spark jobs")
    table = plain_table("views", "change", "seconds", "Spark jobs", right=numbers)
    for each in report.figures:
        table.add_row(str(each.views), each.change, f"{each.seconds:.3f}", str(each.jobs))
    console.print(table)
    show_targets(console, report.targets)
    console.print(f"medians of {2 * report.plan.repeat} runs, half of which take a row out")
    console.print(str(report.machine))
