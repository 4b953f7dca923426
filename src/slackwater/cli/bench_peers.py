"""`slackwater bench peers`: the same views and changes on other systems."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.peers.measure import (
    WARM_UPS,
    PeersPlan,
    PeersReport,
    SystemFigures,
    measure_peers,
)
from slackwater.bench.peers.systems import SYSTEMS
from slackwater.cli.bench_queries import scratch_folder
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import (
    count_of,
    hang,
    heading,
    measuring,
    page_console,
    plain_table,
    print_json,
    size_of,
)
from slackwater.config import load_settings
from slackwater.errors import CatalogError

_DEFAULT = PeersPlan()
_FEWEST_ROWS = 1_000
_NUMBERS = ("rows", "load s", "refresh s", "ingest s", "memory", "anonymous")


def peers(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    rows: Annotated[str, typer.Option(help="Rows of history, one or more numbers.")] = ",".join(
        map(str, _DEFAULT.rows)
    ),
    change: Annotated[
        int, typer.Option(min=100, help="Rows that change at a time.")
    ] = _DEFAULT.changed_rows,
    runs: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = _DEFAULT.runs,
    only: Annotated[str, typer.Option(help="Systems to measure.")] = ",".join(SYSTEMS),
    limit: Annotated[
        float, typer.Option(min=1, help="Seconds for one system at one size.")
    ] = _DEFAULT.limit,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure refreshes of three views beside Pathway, DuckDB and Spark without us."""
    with guarded(as_json=as_json):
        plan = PeersPlan(read_rows(rows), change, runs, read_systems(only), limit)
        report = run_peers(plan)
        if as_json:
            print_json(peers_data(report))
        else:
            show_peers(page_console(), report)
        if not report.complete:
            raise typer.Exit(FAILED)


def read_rows(text: str) -> tuple[int, ...]:
    """The sizes in a list such as `1000000,10000000`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= _FEWEST_ROWS for part in parts):
        raise CatalogError(
            f"{text!r} is not a list of numbers of rows",
            hint=f"Write --rows 1000000,10000000; {_FEWEST_ROWS:,} is the least.",
        )
    return tuple(map(int, parts))


def read_systems(text: str) -> tuple[str, ...]:
    """The systems in a list such as `ours,duckdb`."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    unknown = [name for name in names if name not in SYSTEMS]
    if unknown:
        raise CatalogError(
            f"there is no system {', '.join(unknown)}", hint=f"Choose among {', '.join(SYSTEMS)}."
        )
    return names


def run_peers(plan: PeersPlan) -> PeersReport:
    """Measure in a folder that is deleted afterwards."""
    plan.data()
    with measuring("writing data") as say, scratch_folder() as scratch:
        return measure_peers(scratch, load_settings().cache_dir, plan, say)


def peers_data(report: PeersReport) -> dict[str, object]:
    """The report with what each system does not guarantee, as data."""
    systems = {name: asdict(SYSTEMS[name]) for name in report.plan.systems}
    return {"complete": report.complete, "systems": systems, **asdict(report)}


def show_peers(console: Console, report: PeersReport) -> None:
    """Print one line for each size and system, then what the systems do not guarantee."""
    plan = report.plan
    heading(console, f"Three views after changes of {plan.changed_rows:,} rows")
    table = plain_table("rows", "system", *_NUMBERS[1:], "does not guarantee", right=_NUMBERS)
    for each in report.figures:
        lacks = ", ".join(SYSTEMS[each.system].lacks) or "-"
        table.add_row(f"{each.rows:,}", each.system, *_cells(each), lacks)
    console.print(table)
    _show_outcome(console, report)
    for name in plan.systems:
        system = SYSTEMS[name]
        version = next((each.version for each in report.figures if each.system == name), "")
        title = f"{name} ({version})" if version else name
        console.print(f"{title}: {system.used}. {system.lacking}")
    console.print(
        f"medians of {count_of(plan.runs, 'run')} after {WARM_UPS} to warm up; memory is the "
        "largest sum of resident memory of all processes of a system, anonymous memory the part "
        "of it that is no file"
    )
    console.print(str(report.machine))


def _cells(figures: SystemFigures) -> list[str]:
    memory = (figures.peak_bytes, figures.peak_anonymous_bytes)
    return [
        "-" if figures.load is None else f"{figures.load:.1f}",
        "-" if figures.refresh is None else f"{figures.refresh:.3f}",
        "-" if figures.ingest is None else f"{figures.ingest:.3f}",
        *(size_of(each) if each else "-" for each in memory),
    ]


def _show_outcome(console: Console, report: PeersReport) -> None:
    """Print what did not go to the end, and if the answers of all that did are equal."""
    for each in report.figures:
        outcome = each.failed or each.stopped
        if outcome:
            line = f"{each.system}, {each.rows:,} rows: {outcome}"
            console.print(hang(line, console.width))
    for rows in report.plan.rows:
        agreeing = [
            each.system
            for each in report.figures
            if each.rows == rows and not (each.failed or each.stopped)
        ]
        if len(agreeing) > 1:
            console.print(f"{rows:,} rows: the answers of {', '.join(agreeing)} are equal")
