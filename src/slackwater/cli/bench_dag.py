"""`slackwater bench dag`: many views kept together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.dag import DagPlan, DagReport, Measurement
from slackwater.bench.machine import bench_spark
from slackwater.bench.runs import typical_run
from slackwater.cli.bench_queries import ALL, TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.bench_refresh import NO_INGEST
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import hang, heading, measuring, page_console, print_json, size_of
from slackwater.config import load_settings
from slackwater.workloads.tpch import ensure_tpch


def dag(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = 1.0,
    refreshes: Annotated[int, typer.Option(min=1, help="How many changes of 1 %.")] = 10,
    repeat: Annotated[int, typer.Option(min=1, help="How many recomputations.")] = 5,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each view with plain Spark in the end.")
    ] = False,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Keep all TPC-H views and views on them, beside computing them all again."""
    with guarded(as_json=as_json):
        plan = DagPlan(choose_tpch(queries, ALL), refreshes=refreshes, recomputations=repeat)
        report = run_dag(plan, scale, verify=verify)
        if as_json:
            print_json(dag_data(report))
        else:
            show_dag(page_console(), report)
        if report.kept.exact is False:
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
    figures = ("seconds", "cpu")
    return {
        "scale": report.scale,
        "views": list(report.plan.views()),
        "recomputations": report.plan.recomputations,
        "plain": asdict(report.plain) | {"properties": report.plain.properties},
        "recompute": asdict(report.recompute),
        **asdict(report.kept),
        "ratios": {figure: report.ratio(figure) for figure in figures},
        "ratios_with_ingest": {figure: report.ratio_with_ingest(figure) for figure in figures},
        "targets": targets_data(report.targets),
        "machine": asdict(report.machine),
    }


def show_dag(console: Console, report: DagReport) -> None:
    """Print the sums."""
    views, kept = report.plan.views(), report.kept
    on_views = len(views) - len(report.plan.queries)
    heading(
        console,
        f"{len(views)} views, {on_views} of them on views, at scale factor {report.scale:g}",
    )
    recompute = report.recompute
    console.print(
        f"plain Spark, tables in memory: {recompute.seconds:.2f} s, {recompute.cpu:.2f} s of CPU "
        f"(median of {report.plan.recomputations})"
    )
    console.print(f"first fill, once: {kept.fill.seconds:.2f} s, {kept.fill.cpu:.2f} s of CPU")
    _show_changes(console, report)
    _show_remarks(console, report)
    console.print(f"state {size_of(kept.state_bytes)}; sources {size_of(kept.source_bytes)}")
    if kept.exact is not None:
        console.print("every view was " + ("exact in the end" if kept.exact else "WRONG"))
    show_targets(console, report.targets)
    console.print(str(report.plain))
    console.print(NO_INGEST)
    console.print(str(report.machine))


def _show_changes(console: Console, report: DagReport) -> None:
    kept, count = report.kept, len(report.kept.refreshes)
    seconds, cpu = (
        sum(getattr(each, figure) for each in kept.refreshes) for figure in ("seconds", "cpu")
    )
    console.print(
        f"{count} refreshes after changes of {report.plan.share:.0%}: {seconds:.2f} s "
        f"(usually {report.usual_seconds:.2f} s each), {cpu:.2f} s of CPU"
    )
    console.print(
        f"of as many recomputations: seconds {report.ratio('seconds'):.3f}, "
        f"cpu {report.ratio('cpu'):.3f}"
    )
    console.print(
        f"ingest: usually {report.usual_ingest:.2f} s a change; with it seconds "
        f"{report.ratio_with_ingest('seconds'):.3f}, cpu {report.ratio_with_ingest('cpu'):.3f}"
    )
    console.print(f"merging after the last refresh, in no figure: {kept.merging.seconds:.2f} s")


def _show_remarks(console: Console, report: DagReport) -> None:
    """Print what was left to Spark, and why."""
    kept = report.kept
    runs = {"first fill": kept.fill, "refreshes": typical_run(kept.refreshes)}
    for name, run in runs.items():
        if run.remark:
            console.print(hang(f"{name}: at most {run.remark}", console.width))
