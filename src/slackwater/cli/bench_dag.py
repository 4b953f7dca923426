"""`slackwater bench dag`: many views kept together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.dag import DagPlan, DagReport, Measurement
from slackwater.bench.machine import bench_spark
from slackwater.cli.bench_queries import TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, print_json, size_of
from slackwater.config import load_settings
from slackwater.workloads.tpch import ensure_tpch


def dag(
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = 1.0,
    refreshes: Annotated[int, typer.Option(min=1, help="How many changes of 1 %.")] = 10,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each view with plain Spark in the end.")
    ] = False,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Keep all TPC-H views and views on them, beside computing them all again."""
    with guarded(as_json=as_json):
        report = run_dag(
            DagPlan(choose_tpch(queries, ""), refreshes=refreshes), scale, verify=verify
        )
        if as_json:
            print_json(dag_data(report))
        else:
            show_dag(page_console(), report)
        if report.exact is False:
            raise typer.Exit(FAILED)


def run_dag(plan: DagPlan, scale: float, *, verify: bool) -> DagReport:
    """Make the data, start Spark and measure in a home that is deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        folder = ensure_tpch(scale, load_settings().cache_dir)
        with bench_spark() as spark:
            measurement = Measurement(spark, folder, say)
            return measurement.measure(scratch / "home", scale, plan, verify=verify)


def dag_data(report: DagReport) -> dict[str, object]:
    """The report as data."""
    return {
        "scale": report.scale,
        "views": list(report.plan.views()),
        "fill": asdict(report.fill),
        "refreshes": [asdict(each) for each in report.refreshes],
        "recompute": asdict(report.recompute),
        "ratios": {figure: report.ratio(figure) for figure in ("seconds", "cpu")},
        "state_bytes": report.state_bytes,
        "exact": report.exact,
        "machine": asdict(report.machine),
    }


def show_dag(console: Console, report: DagReport) -> None:
    """Print the sums."""
    views, count = report.plan.views(), len(report.refreshes)
    on_views = len(views) - len(report.plan.queries)
    heading(
        console,
        f"{len(views)} views, {on_views} of them on views, at scale factor {report.scale:g}",
    )
    plain = report.recompute
    seconds = sum(each.seconds for each in report.refreshes)
    cpu = sum(each.cpu for each in report.refreshes)
    console.print(f"plain Spark, tables in memory: {plain.seconds:.2f} s, {plain.cpu:.2f} s of CPU")
    console.print(f"first fill: {report.fill.seconds:.2f} s, {report.fill.cpu:.2f} s of CPU")
    console.print(
        f"{count} refreshes after changes of {report.plan.share:.0%}: {seconds:.2f} s "
        f"(usually {report.usual_seconds:.2f} s each), {cpu:.2f} s of CPU"
    )
    console.print(
        f"of as many recomputations: seconds {report.ratio('seconds'):.3f}, "
        f"cpu {report.ratio('cpu'):.3f}; state {size_of(report.state_bytes)}"
    )
    if report.exact is not None:
        console.print("every view was " + ("exact in the end" if report.exact else "WRONG"))
    console.print(str(report.machine))
