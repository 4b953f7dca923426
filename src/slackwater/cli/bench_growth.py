"""`slackwater bench growth`: one small change while the tables grow."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.growth import WARM_UPS, GrowthPlan, GrowthReport, measure_growth
from slackwater.bench.machine import bench_spark
from slackwater.bench.refresh_report import ShareFigures, ViewFigures
from slackwater.cli.bench_queries import TPCH_QUERIES, choose_tpch, scratch_folder
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.failures import guarded
from slackwater.cli.output import hang, heading, measuring, page_console, plain_table, print_json
from slackwater.config import load_settings
from slackwater.errors import CatalogError

_VIEWS = "q01,q03,q12,q17,q18"
_SCALES = "0.5,1,2,5"


def growth(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    only: Annotated[str, typer.Option(help="TPC-H queries.")] = _VIEWS,
    scales: Annotated[str, typer.Option("--sf", help="Scale factors.")] = _SCALES,
    rows: Annotated[int, typer.Option(min=1, help="Rows that change.")] = 5_000,
    refreshes: Annotated[int, typer.Option(min=1, help="Refreshes behind each median.")] = 20,
    repeat: Annotated[
        int, typer.Option(min=1, help="Recomputations and first loads behind each median.")
    ] = 5,
    queries: Annotated[Path, typer.Option(help="Folder with q01.sql and so on.")] = TPCH_QUERIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes after a change of fixed size over tables of growing size."""
    with guarded(as_json=as_json):
        chosen = choose_tpch(queries, only)
        report = run_growth(GrowthPlan(chosen, _numbers(scales), rows, repeat, refreshes))
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
    plan = report.plan
    return {
        "asked_rows": plan.changed_rows,
        "refreshes": plan.refreshes,
        "repeat": plan.repeat,
        "plain": {f"{scale:g}": asdict(each.plain) for scale, each in report.reports.items()},
        "views": {
            query.name: {
                "spread": report.spread(query.name),
                "scales": {
                    f"{scale:g}": _scale_data(view, share)
                    for scale, (view, share) in report.view(query.name).items()
                },
            }
            for query in plan.queries
        },
        "targets": targets_data(report.targets),
        "machine": asdict(report.machine),
    }


def _scale_data(view: ViewFigures, share: ShareFigures) -> dict[str, object]:
    return {
        **asdict(share),
        "recompute": asdict(view.recompute),
        "load": asdict(view.load),
        "state_bytes": view.state_bytes,
        "merging": asdict(view.merging),
        "remarks": view.remarks,
    }


def show_growth(console: Console, report: GrowthReport) -> None:
    """Print one line a view: refresh and recomputation at every size."""
    plan = report.plan
    heading(console, f"A change of {plan.changed_rows:,} rows: refresh / recomputation, seconds")
    scales = [f"SF {scale:g}" for scale in plan.scales]
    table = plain_table("view", *scales, "slowest/quickest", right=(*scales, "slowest/quickest"))
    for query in plan.queries:
        cells = [
            f"{share.refresh.seconds:.2f} / {view.recompute.seconds:.2f}"
            for view, share in report.view(query.name).values()
        ]
        table.add_row(query.name, *cells, f"{report.spread(query.name):.2f}")
    table.add_row("changed", *_changed_rows(report), "")
    table.add_row("merging", *(f"{report.merging(scale):.2f}" for scale in plan.scales), "")
    console.print(table)
    _show_remarks(console, report)
    show_targets(console, report.targets)
    console.print(
        f"medians of {plan.refreshes} refreshes after {WARM_UPS} to warm up, and of "
        f"{plan.repeat} recomputations"
    )
    console.print(
        "refreshes were taken at all sizes in turn; merging: seconds in the background after each"
    )
    for setup in dict.fromkeys(str(each.plain) for each in report.reports.values()):
        console.print(setup)
    console.print(str(report.machine))


def _changed_rows(report: GrowthReport) -> list[str]:
    """At every size, how many rows did change; it is the same for every view."""
    shares = report.view(report.plan.queries[0].name).values()
    return [f"{share.changed_rows:,}" for _, share in shares]


def _show_remarks(console: Console, report: GrowthReport) -> None:
    for scale, each in report.reports.items():
        for view in each.views:
            if view.remarks:
                line = f"{view.name}, SF {scale:g}: {', '.join(view.remarks)}"
                console.print(hang(line, console.width))
