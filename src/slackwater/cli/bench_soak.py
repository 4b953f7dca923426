"""`slackwater bench soak`: many small refreshes, and what grows meanwhile."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.chart import Chart, draw
from slackwater.bench.machine import local_spark
from slackwater.bench.soak import Sample, SoakPlan, SoakReport, measure_soak
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import count_of, heading, page_console, plain_table, print_json, working

_MEGABYTE = 1_000_000
_FIGURES = {
    "files": ("files of state", 1),
    "state_bytes": ("state, MB", _MEGABYTE),
    "metadata_bytes": ("catalog, MB", _MEGABYTE),
    "driver_bytes": ("driver's memory, MB", _MEGABYTE),
    "heap_bytes": ("Java heap after collection, MB", _MEGABYTE),
    "workers_bytes": ("Python workers' memory, MB", _MEGABYTE),
    "ingest_seconds": ("seconds to ingest", 1),
    "refresh_seconds": ("seconds to refresh", 1),
}
"""The columns shown of a sample: the title, and one unit of it."""
_COLUMNS = ("first quarter", "last quarter", "ratio")


def soak(
    refreshes: Annotated[int, typer.Option(min=1, help="How many refreshes.")] = 1_000,
    every: Annotated[int, typer.Option(min=1, help="Take a sample after so many.")] = 10,
    retain: Annotated[int, typer.Option(min=0, help="Keep so many commits readable.")] = 20,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the figures into this file, as SVG.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Refresh a small home again and again, and see what grows."""
    with guarded(as_json=as_json):
        report = run_soak(SoakPlan(refreshes, every, retain))
        if plot is not None:
            plot.write_text(draw(charts(report)), encoding="utf-8")
        if as_json:
            print_json(soak_data(report))
        else:
            show_soak(page_console(), report)
        if not report.exact:
            raise typer.Exit(FAILED)


def run_soak(plan: SoakPlan) -> SoakReport:
    """Start Spark and measure in a home that is deleted afterwards."""
    with working("starting Spark") as say, TemporaryDirectory(prefix="slackwater-") as scratch:

        def on_sample(sample: Sample) -> None:
            say(f"refresh {sample.refresh} of {plan.refreshes}: {sample.refresh_seconds:.2f} s")

        with local_spark() as spark:
            return measure_soak(spark, Path(scratch) / "home", plan, on_sample)


def soak_data(report: SoakReport) -> dict[str, object]:
    """The report with its summary, as data."""
    summary = {
        name: {"first_quarter": first, "last_quarter": last}
        for name, (first, last) in ((name, report.quarters(name)) for name in _FIGURES)
    }
    return {"summary": summary, **asdict(report)}


def charts(report: SoakReport) -> list[Chart]:
    """One chart for each figure, over the refreshes."""
    return [
        Chart(title, [(each.refresh, getattr(each, name) / unit) for each in report.samples])
        for name, (title, unit) in _FIGURES.items()
    ]


def show_soak(console: Console, report: SoakReport) -> None:
    """Print the medians of the first and last quarter of the samples."""
    heading(console, f"{count_of(report.plan.refreshes, 'refresh', 'refreshes')} of one home")
    table = plain_table("median of", *_COLUMNS, right=_COLUMNS)
    for name, (title, unit) in _FIGURES.items():
        first, last = report.quarters(name)
        ratio = f"{last / first:.2f}" if first else "-"
        table.add_row(title, _number(first / unit), _number(last / unit), ratio)
    console.print(table)
    exact = "exact in the end" if report.exact else "WRONG in the end"
    console.print(f"{report.seconds:,.0f} s in all; every view was {exact}")
    console.print(str(report.machine))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
