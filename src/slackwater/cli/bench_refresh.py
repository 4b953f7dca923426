"""`slackwater bench refresh`: keeping TPC-H views beside computing them again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.machine import bench_spark
from slackwater.bench.refresh import RefreshPlan, RefreshReport, ViewFigures, measure_refresh
from slackwater.cli.bench_queries import TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.config import load_settings
from slackwater.workloads.tpch import ensure_tpch


def refresh(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = 1.0,
    only: Annotated[
        str, typer.Option("--only", help="Queries, such as q01,q03; all if left out.")
    ] = "",
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = 5,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each view with plain Spark in the end.")
    ] = False,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes of TPC-H views after small changes, beside plain Spark."""
    with guarded(as_json=as_json):
        plan = RefreshPlan(choose_tpch(queries, only), repeat=repeat, verify=verify)
        report = run_refresh(plan, scale)
        if as_json:
            print_json(refresh_data(report))
        else:
            show_refresh(page_console(), report)
        if any(view.exact is False for view in report.views):
            raise typer.Exit(FAILED)


def run_refresh(plan: RefreshPlan, scale: float) -> RefreshReport:
    """Make the data, start Spark and measure in a home that is deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        folder = ensure_tpch(scale, load_settings().cache_dir)
        say("starting Spark")
        with bench_spark() as spark:
            figures = measure_refresh(spark, scratch / "home", folder, plan, say)
    return RefreshReport(scale, plan, *figures)


def refresh_data(report: RefreshReport) -> dict[str, object]:
    """The report as data."""
    plan = report.plan
    return {
        "scale": report.scale,
        "repeat": plan.repeat,
        "geometric_means": {str(share): each for share, each in report.means.items()},
        "ingest_seconds": report.ingest_seconds,
        "views": [
            asdict(view)
            | {
                "refreshes": {str(share): asdict(each) for share, each in view.refreshes.items()},
                "load_ratio": view.load.seconds / view.recompute.seconds,
                "ratios": {
                    str(share): {
                        figure: view.ratio(share, figure) for figure in ("seconds", "cpu", "rows")
                    }
                    for share in plan.shares
                },
            }
            for view in report.views
        ],
        "machine": asdict(report.machine),
    }


def show_refresh(console: Console, report: RefreshReport) -> None:
    """Print one line a view, then the geometric means."""
    heading(console, f"TPC-H at scale factor {report.scale:g}: refresh beside plain Spark, seconds")
    shares = report.plan.shares
    figures = ["plain", "load", "x"]
    for share in shares:
        figures += [f"{share:.1%}", "ratio", "cpu", "rows"]
    table = plain_table("view", *figures, "MB", "", right=(*figures, "MB"))
    for view in report.views:
        table.add_row(
            view.name, *_cells(view, shares), f"{view.state_bytes / 1e6:.0f}", _remark(view)
        )
    console.print(table)
    for share in shares:
        means = report.means[share]
        console.print(
            f"geometric means at {share:.1%}: seconds {means['seconds']:.3f}, "
            f"cpu {means['cpu']:.3f}, rows read {means['rows']:.4f} of recomputation"
        )
    total = sum(report.ingest_seconds.values())
    console.print(f"tables ingested in {total:.1f} s; medians of {report.plan.repeat} runs")
    console.print(str(report.machine))


def _cells(view: ViewFigures, shares: tuple[float, ...]) -> list[str]:
    load_ratio = view.load.seconds / view.recompute.seconds
    cells = [f"{view.recompute.seconds:.2f}", f"{view.load.seconds:.2f}", f"{load_ratio:.2f}"]
    for share in shares:
        cells.append(f"{view.refreshes[share].refresh.seconds:.2f}")
        cells += [f"{view.ratio(share, figure):.2f}" for figure in ("seconds", "cpu")]
        cells.append(f"{view.ratio(share, 'rows'):.3f}")
    return cells


def _remark(view: ViewFigures) -> str:
    actions = {action for each in view.refreshes.values() for action in each.actions}
    others = sorted(actions - {"incremental"})
    wrong = ["WRONG"] if view.exact is False else []
    return ", ".join([*wrong, *others])
