"""`slackwater calibrate`: what work costs on this installation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.calibrate import Calibration, CalibrationPlan, measure_prices
from slackwater.bench.machine import bench_spark
from slackwater.cli.bench_queries import scratch_folder
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.config import load_settings

_DEFAULT = CalibrationPlan()
_TITLES = {
    "start": "a run",
    "step": "a statement",
    "row": "a row through a statement",
    "byte": "a stored byte read",
    "file": "a file searched",
    "key": "a key looked up",
    "match": "a row found",
    "write": "a row written",
}


def calibrate(
    rows: Annotated[int, typer.Option(min=1_000, help="Rows to measure with.")] = _DEFAULT.rows,
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = _DEFAULT.repeat,
    keep: Annotated[
        bool,
        typer.Option("--keep/--no-keep", help="Whether plans follow the prices from now on."),
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure the prices by which plans are chosen on this installation."""
    with guarded(as_json=as_json):
        found = run_calibration(CalibrationPlan(rows, repeat))
        path = load_settings().prices
        if keep:
            found.keep(path)
        if as_json:
            print_json({**asdict(found), "kept": str(path) if keep else None})
            return
        console = page_console()
        show_calibration(console, found)
        console.print(f"kept in {path}" if keep else "not kept")


def run_calibration(plan: CalibrationPlan) -> Calibration:
    """Start Spark and measure in a folder that is deleted afterwards."""
    with measuring("starting Spark") as say, scratch_folder() as scratch, bench_spark() as spark:
        return measure_prices(spark, scratch, plan, say)


def show_calibration(console: Console, found: Calibration) -> None:
    """Print one line for each price."""
    heading(console, "Prices in microseconds")
    table = plain_table("of", "driver", "Spark", right=("driver", "Spark"))
    places = (found.prices.driver, found.prices.spark)
    for name, title in _TITLES.items():
        cells = (f"{getattr(rates, name) * 1e6:,.4f}" for rates in places)
        table.add_row(title, *cells)
    table.add_row("a stage of blocks", "", f"{found.prices.stage * 1e6:,.4f}")
    console.print(table)
    console.print(f"medians of {found.plan.repeat} runs over {found.plan.rows:,} rows")
    console.print(str(found.machine))
