"""`slackwater bench`: measurements of Slackwater itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from slackwater.bench.datasets import write_data_sets
from slackwater.bench.machine import local_spark
from slackwater.bench.roundtrip import (
    TARGET_OWN_MS,
    QueryRoundtrip,
    RoundtripReport,
    StageTimes,
    measure_roundtrip,
)
from slackwater.cli.bench_arrangement import arrangement
from slackwater.cli.bench_choices import choices
from slackwater.cli.bench_dag import dag
from slackwater.cli.bench_growth import growth
from slackwater.cli.bench_linalg import linalg
from slackwater.cli.bench_overhead import overhead
from slackwater.cli.bench_peers import peers
from slackwater.cli.bench_queries import open_corpus
from slackwater.cli.bench_refresh import refresh
from slackwater.cli.bench_shapes import shapes
from slackwater.cli.bench_signals import signals
from slackwater.cli.bench_soak import soak
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import (
    count_of,
    hang,
    heading,
    page_console,
    plain_table,
    print_json,
    working,
)
from slackwater.config import load_settings
from slackwater.workloads.corpus import CorpusQuery

_CORPUS = Path("tests/oracle/queries")
_SLOWEST_SHOWN = 10
_TIMES = ("analysis ms", "json ms", "algebra ms", "own ms")

bench_app = typer.Typer(help="Measure Slackwater itself.", no_args_is_help=True)
bench_app.command()(soak)
bench_app.command()(refresh)
bench_app.command()(shapes)
bench_app.command()(choices)
bench_app.command()(growth)
bench_app.command()(dag)
bench_app.command()(arrangement)
bench_app.command()(overhead)
bench_app.command()(peers)
bench_app.command()(linalg)
bench_app.command()(signals)


@bench_app.callback()
def _bench() -> None:
    """Measure Slackwater itself."""


@bench_app.command()
def roundtrip(
    queries: Annotated[
        Path, typer.Option(help="Folder of .sql files with corpus headers.")
    ] = _CORPUS,
    repeat: Annotated[int, typer.Option(min=1, help="Plan each query this often.")] = 5,
    every: Annotated[
        bool, typer.Option("--all", help="List every query, not only the slowest.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure what planning a query adds to Spark's own analysis."""
    with guarded(as_json=as_json):
        report = run_roundtrip(open_corpus(queries), repeat)
        if as_json:
            print_json(report_data(report))
        else:
            show_report(page_console(), report, len(report.queries) if every else _SLOWEST_SHOWN)
        if report.refused:
            raise typer.Exit(FAILED)


def run_roundtrip(corpus: tuple[CorpusQuery, ...], repeat: int) -> RoundtripReport:
    """Write the data, start Spark and measure."""
    with working("writing data") as say, TemporaryDirectory(prefix="slackwater-") as scratch:
        names = {query.data for query in corpus}
        folders = write_data_sets(names, Path(scratch), load_settings().cache_dir)
        say("starting Spark")
        with local_spark() as spark:
            return measure_roundtrip(
                spark, corpus, folders, repeat, lambda name: say(f"planning {name}")
            )


def report_data(report: RoundtripReport) -> dict[str, object]:
    """The report with its summary, as data."""
    return {"summary": _summary(report), **asdict(report)}


def _summary(report: RoundtripReport) -> dict[str, object]:
    quantiles = {"median": 50, "p90": 90} if report.queries else {}
    return {
        "planned": len(report.queries),
        "refused": len(report.refused),
        "represented": report.represented,
        "target_own_ms": TARGET_OWN_MS,
        "target_met": report.target_met,
        **{name: asdict(report.quantile(percent)) for name, percent in quantiles.items()},
    }


def show_report(console: Console, report: RoundtripReport, listed: int) -> None:
    """Print the report: summary, the slowest queries, what is left to Spark, the machine."""
    if report.queries:
        planned = count_of(len(report.queries), "query", "queries")
        heading(console, f"Planning time over {planned}")
        console.print(_summary_table(report))
        console.print(_verdict(report))
        heading(console, "Slowest first")
        console.print(_query_table(report.slowest(listed)))
    _show_reasons(console, report)
    heading(console, "Machine")
    console.print(_machine_text(report))


def _summary_table(report: RoundtripReport) -> Table:
    table = plain_table("over the corpus", *_TIMES, right=_TIMES)
    table.add_row("median", *_cells(report.quantile(50)))
    table.add_row("90th percentile", *_cells(report.quantile(90)))
    return table


def _query_table(queries: tuple[QueryRoundtrip, ...]) -> Table:
    table = plain_table("query", *_TIMES, "left to Spark", right=_TIMES)
    for each in queries:
        table.add_row(each.name, *_cells(each.times), "yes" if each.recomputed else "")
    return table


def _cells(times: StageTimes) -> tuple[str, ...]:
    return tuple(f"{each:.1f}" for each in (times.analysis, times.json, times.algebra, times.own))


def _verdict(report: RoundtripReport) -> str:
    verdict = "met" if report.target_met else "missed"
    return f"target (median of own at most {TARGET_OWN_MS:.0f} ms): {verdict}"


def _show_reasons(console: Console, report: RoundtripReport) -> None:
    """Print what is left to Spark and what is refused, each with its reason."""
    heading(console, f"{report.represented} of {len(report.queries)} leave nothing to Spark")
    for query in report.queries:
        for reason in query.recomputed:
            console.print(hang(f"{query.name}: {reason}", console.width))
    for refused in report.refused:
        console.print(hang(f"{refused.name} is refused: {refused.reason}", console.width))


def _machine_text(report: RoundtripReport) -> str:
    machine = report.machine
    before, after = (
        ", ".join(f"{each:.2f}" for each in load)
        for load in (machine.load_before, machine.load_after)
    )
    return (
        f"{count_of(machine.cores, 'core')}, Spark {machine.spark}, Python {machine.python}, "
        f"{count_of(report.repeat, 'run')} a query\n"
        f"load averages before: {before}; after: {after}"
    )
