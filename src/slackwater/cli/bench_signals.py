"""`slackwater bench signals`: signal queries beside NumPy and SciPy."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.signals import SignalFigures, SignalsPlan, SignalsReport, measure_signals
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.errors import CatalogError

_DEFAULT = SignalsPlan()


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def signals(
    events: Annotated[int, typer.Option(min=100, help="Events of a query.")] = _DEFAULT.events,
    sizes: Annotated[str, typer.Option(help="Windows and filters.")] = _listed(_DEFAULT.sizes),
    groups: Annotated[str, typer.Option(help="Numbers of groups.")] = _listed(_DEFAULT.groups),
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = _DEFAULT.repeat,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure signal queries over many groups, beside a call of NumPy for every group."""
    with guarded(as_json=as_json):
        plan = SignalsPlan(events, _numbers(sizes, "--sizes"), _numbers(groups, "--groups"), repeat)
        with measuring("measuring signals") as say:
            report = measure_signals(plan, say)
        if as_json:
            print_json(signals_data(report))
        else:
            show_signals(page_console(), report)


def _numbers(text: str, option: str) -> tuple[int, ...]:
    try:
        found = tuple(int(each) for each in text.split(",") if each)
    except ValueError:
        found = (0,)
    if any(each < 2 for each in found):
        raise CatalogError(
            f"{text!r} is not a list of whole numbers from 2 on", hint=f"Write {option} 64,512."
        )
    return found


def signals_data(report: SignalsReport) -> dict[str, object]:
    """The report as data."""
    return {
        "targets": targets_data(report.targets),
        **asdict(report),
        "figures": [{**asdict(each), "ratio": each.ratio} for each in report.figures],
    }


def show_signals(console: Console, report: SignalsReport) -> None:
    """Print one line for each query."""
    heading(console, "Signal queries, processor seconds")
    numbers = ("groups", "events", "ours", "NumPy", "ours/NumPy")
    table = plain_table("query", *numbers, "results", right=numbers)
    for each in report.figures:
        table.add_row(*_cells(each))
    console.print(table)
    show_targets(console, report.targets)
    console.print(f"medians of {report.plan.repeat} runs after one to warm up; events are read")
    console.print("from Arrow tables, in the order of time, and ours are written to one")
    console.print(str(report.machine))


def _cells(each: SignalFigures) -> tuple[str, ...]:
    return (
        each.query,
        f"{each.groups:,}",
        f"{each.events:,}",
        f"{each.ours.cpu:.3f}",
        f"{each.numpy.cpu:.3f}",
        f"{each.ratio:.2f}",
        "equal" if each.equal else "differ",
    )
