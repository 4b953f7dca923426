"""`slackwater bench growth`: one small change while the tables grow."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.growth import GrowthPlan, GrowthReport, measure_growth
from slackwater.bench.machine import bench_spark
from slackwater.cli.bench_queries import TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.config import load_settings
from slackwater.errors import CatalogError

_VIEWS = "q01,q03,q12,q17,q18"
_SCALES = "0.5,1,2,5"


def growth(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    only: Annotated[str, typer.Option(help="TPC-H queries.")] = _VIEWS,
    scales: Annotated[str, typer.Option("--sf", help="Scale factors.")] = _SCALES,
    rows: Annotated[int, typer.Option(min=1, help="Rows that change.")] = 5_000,
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = 5,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes after a change of fixed size over tables of growing size."""
    with guarded(as_json=as_json):
        report = run_growth(GrowthPlan(choose_tpch(queries, only), _numbers(scales), rows, repeat))
        if as_json:
            print_json(growth_data(report))
        else:
            show_growth(page_console(), report)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError:
        raise CatalogError(
            f"{text!r} is not a list of scale factors", hint="Write --sf 0.5,1,2,5."
        ) from None


def run_growth(plan: GrowthPlan) -> GrowthReport:
    """Start Spark and measure in homes that are deleted afterwards."""
    cache = load_settings().cache_dir
    with measuring("starting Spark") as say, scratch_folder() as scratch, bench_spark() as spark:
        return measure_growth(spark, scratch, cache, plan, say)


def growth_data(report: GrowthReport) -> dict[str, object]:
    """The report as data."""
    return {
        "changed_rows": report.plan.changed_rows,
        "views": {
            query.name: {
                "spread": report.spread(query.name),
                "seconds": {
                    f"{scale:g}": {"refresh": ours, "recompute": theirs}
                    for scale, (ours, theirs) in report.seconds(query.name).items()
                },
            }
            for query in report.plan.queries
        },
        "machine": asdict(report.machine),
    }


def show_growth(console: Console, report: GrowthReport) -> None:
    """Print one line a view: refresh and recomputation at every size."""
    plan = report.plan
    heading(console, f"A change of {plan.changed_rows:,} rows: refresh / recomputation, seconds")
    scales = [f"SF {scale:g}" for scale in plan.scales]
    table = plain_table("view", *scales, "slowest/quickest", right=(*scales, "slowest/quickest"))
    for query in plan.queries:
        cells = [
            f"{ours:.2f} / {theirs:.2f}" for ours, theirs in report.seconds(query.name).values()
        ]
        table.add_row(query.name, *cells, f"{report.spread(query.name):.2f}")
    console.print(table)
    console.print(f"medians of {plan.repeat} runs")
    console.print(str(report.machine))
