"""`slackwater bench refresh`: keeping TPC-H views beside computing them again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.forecasts import ForecastErrors
from slackwater.bench.machine import bench_spark
from slackwater.bench.refresh import measure_refresh
from slackwater.bench.refresh_report import (
    LARGE_SCALE,
    RATIOS,
    RefreshPlan,
    RefreshReport,
    ViewFigures,
)
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
    size_of,
)
from slackwater.config import load_settings
from slackwater.workloads.tpch import ensure_tpch, ensure_tpch_doubles

_AT_LARGE_SCALE = "q01,q03,q05,q06,q10,q12,q14,q17,q18"
_ONLY = (
    f"Queries, such as q01,q03, or {ALL}. If left out, all; from --sf {LARGE_SCALE} on "
    f"{_AT_LARGE_SCALE}."
)
NO_INGEST = (
    "plain Spark pays no ingest: it reads the tables as they were before the changes. ORDER BY and "
    "LIMIT at the root of a view are among its work; ours computes them when the view is read."
)
"""The remark on what is not alike on both sides."""


def refresh(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    scale: Annotated[float, typer.Option("--sf", min=0.001, help="TPC-H scale factor.")] = 1.0,
    only: Annotated[str, typer.Option("--only", help=_ONLY)] = "",
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = 5,
    loads: Annotated[int, typer.Option(min=1, help="First loads behind each median.")] = 5,
    cached: Annotated[
        bool, typer.Option("--cached", help="Plain Spark has the tables in its memory.")
    ] = False,
    doubles: Annotated[
        bool, typer.Option("--doubles", help="Every DECIMAL column is a DOUBLE.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each view with plain Spark in the end.")
    ] = False,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes of TPC-H views after small changes, beside plain Spark."""
    with guarded(as_json=as_json):
        plan = RefreshPlan(
            scale,
            choose_tpch(queries, queries_for(only, scale)),
            repeat=repeat,
            refreshes=repeat,
            loads=loads,
            verify=verify,
            cached=cached,
            doubles=doubles,
        )
        report = run_refresh(plan)
        if as_json:
            print_json(refresh_data(report))
        else:
            show_refresh(page_console(), report)
        if any(view.exact is False for view in report.views):
            raise typer.Exit(FAILED)


def queries_for(only: str, scale: float) -> str:
    """Choose the views to measure where nothing is asked for; large tables take long.

    >>> queries_for("q02", 10), queries_for("", 1), queries_for("all", 10), queries_for("", 10)
    ('q02', 'all', 'all', 'q01,q03,q05,q06,q10,q12,q14,q17,q18')
    """
    return only.strip() or (_AT_LARGE_SCALE if scale >= LARGE_SCALE else ALL)


def run_refresh(plan: RefreshPlan) -> RefreshReport:
    """Make the data, start Spark and measure in a home that is deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        make = ensure_tpch_doubles if plan.doubles else ensure_tpch
        folder = make(plan.scale, load_settings().cache_dir)
        say("starting Spark")
        with bench_spark() as spark:
            return measure_refresh(spark, scratch / "home", folder, plan, say)


def refresh_data(report: RefreshReport) -> dict[str, object]:
    """The report as data."""
    plan = report.plan
    return {
        "scale": plan.scale,
        "doubles": plan.doubles,
        "repeat": plan.repeat,
        "loads": plan.loads,
        "plain": asdict(report.plain) | {"properties": report.plain.properties},
        "geometric_means": {str(share): each for share, each in report.means.items()},
        "load_ratios": {"geometric_mean": report.load_mean, "worst": report.load_worst},
        "forecasts": {
            name: None if errors is None else asdict(errors)
            for name, errors in _forecasts(report).items()
        },
        "targets": targets_data(report.targets),
        "ingest_seconds": report.ingest_seconds,
        "source_bytes": report.source_bytes,
        "views": [_view_data(view) for view in report.views],
        "machine": asdict(report.machine),
    }


def _forecasts(report: RefreshReport) -> dict[str, ForecastErrors | None]:
    return {
        "first refresh of a view": report.forecast(first=True),
        "after one run of history": report.forecast(first=False),
    }


def _view_data(view: ViewFigures) -> dict[str, object]:
    shares = view.refreshes
    return asdict(view) | {
        "refreshes": {str(share): asdict(each) for share, each in shares.items()},
        "load_ratio": view.load_ratio,
        "ratios": {
            str(share): {figure: view.ratio(share, figure) for figure in RATIOS} for share in shares
        },
        "remarks": view.remarks,
    }


def show_refresh(console: Console, report: RefreshReport) -> None:
    """Print one line a view, then what they add up to."""
    plan = report.plan
    types = ", DECIMAL as DOUBLE" if plan.doubles else ""
    heading(
        console, f"TPC-H at scale factor {plan.scale:g}{types}: refresh beside plain Spark, seconds"
    )
    figures = ["plain", "load", "x"]
    for share in plan.shares:
        figures += [f"{share:.1%}", "ratio", "cpu", "rows"]
    table = plain_table("view", *figures, "MB", right=(*figures, "MB"))
    for view in report.views:
        table.add_row(view.name, *_cells(view), f"{view.state_bytes / 1e6:.1f}")
    console.print(table)
    for view in report.views:
        if view.remarks:
            console.print(hang(f"{view.name}: {', '.join(view.remarks)}", console.width))
    _show_sums(console, report)
    show_targets(console, report.targets)
    console.print(str(report.plain))
    console.print(NO_INGEST)
    console.print(str(report.machine))


def _show_sums(console: Console, report: RefreshReport) -> None:
    plan = report.plan
    for share in plan.shares:
        means = report.means[share]
        console.print(
            f"geometric means at {share:.1%}: seconds {means['seconds']:.3f}, "
            f"cpu {means['cpu']:.3f}, rows read {means['rows']:.4f} of recomputation"
        )
        console.print(
            f"ingest of a change of {share:.1%}: {report.ingest(share):.2f} s; with it the mean "
            f"of seconds is {means['with_ingest']:.3f}"
        )
    console.print(
        f"first loads, in recomputations: geometric mean {report.load_mean:.2f}, "
        f"slowest {report.load_worst:.2f}"
    )
    for name, errors in _forecasts(report).items():
        if errors is not None:
            console.print(f"forecasts wrong by a factor of, {name}: {errors}")
    total = sum(report.ingest_seconds.values())
    console.print(f"sources: {size_of(report.source_bytes)}, ingested in {total:.1f} s")
    merging = sum(view.merging.seconds for view in report.views)
    console.print(f"merging after the last refresh of each view, in no figure: {merging:.2f} s")
    console.print(f"medians of {plan.repeat} runs, of {plan.loads} first loads")


def _cells(view: ViewFigures) -> list[str]:
    cells = [f"{view.recompute.seconds:.2f}", f"{view.load.seconds:.2f}", f"{view.load_ratio:.2f}"]
    for share, each in view.refreshes.items():
        cells.append(f"{each.refresh.seconds:.2f}")
        cells += [f"{view.ratio(share, figure):.2f}" for figure in ("seconds", "cpu")]
        cells.append(f"{view.ratio(share, 'rows'):.3f}")
    return cells
