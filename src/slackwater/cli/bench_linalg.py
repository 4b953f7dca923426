"""`slackwater bench linalg`: matrix programs kept up to date."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated

import typer
from rich.console import Console

from slackwater.bench.linalg import (
    AGAIN,
    BATCHES,
    GENERAL,
    KEPT,
    LEAST_SQUARES,
    POWERS,
    STRATEGIES,
    SUMS,
    LinalgFigures,
    LinalgPlan,
    LinalgReport,
    measure_linalg,
)
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.failures import guarded
from slackwater.cli.output import heading, measuring, page_console, plain_table, print_json
from slackwater.errors import CatalogError

_DEFAULT = LinalgPlan()
_QUICK = LinalgPlan((60, 120), 8, 100, (1, 10), 60, (1, 8, 60), 2, 1, 100)
_COLUMNS = ("re-evaluate", "incremental", "times as fast")


def linalg(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    sizes: Annotated[str, typer.Option(help="Rows and columns of the matrices.")] = "",
    widths: Annotated[str, typer.Option(help="Columns of T in T = A T + B.")] = "",
    ranks: Annotated[str, typer.Option(help="Ranks of batches.")] = "",
    updates: Annotated[int | None, typer.Option(min=1, help="Updates behind each median.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Tiny matrices, in seconds.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure matrix programs kept by factored deltas, beside evaluating them again."""
    with guarded(as_json=as_json):
        base = _QUICK if quick else _DEFAULT
        plan = replace(
            base,
            sizes=_numbers(sizes) or base.sizes,
            widths=_numbers(widths) or base.widths,
            ranks=_numbers(ranks) or base.ranks,
            updates=updates or base.updates,
        )
        with measuring("making matrices") as say:
            report = measure_linalg(plan, say)
        if as_json:
            print_json(linalg_data(report))
        else:
            show_linalg(page_console(), report)


def _numbers(text: str) -> tuple[int, ...]:
    parts = [each.strip() for each in text.split(",") if each.strip()]
    if not all(each.isdecimal() and int(each) > 0 for each in parts):
        raise CatalogError(f"{text!r} is not a list of sizes", hint="Write 500,1000,2000.")
    return tuple(int(each) for each in parts)


def linalg_data(report: LinalgReport) -> dict[str, object]:
    """The report as data."""
    measured, predicted = report.takes_over
    return {
        **asdict(report),
        "takes_over": {"measured": measured, "predicted": predicted},
        "targets": targets_data(report.targets),
    }


def show_linalg(console: Console, report: LinalgReport) -> None:
    """Print one table for each program."""
    plan = report.plan
    for case, title in (
        (LEAST_SQUARES, "Least squares, inv(X' X) X' y"),
        (POWERS, f"A^{plan.steps}"),
        (SUMS, f"I + A + ... + A^{plan.steps - 1}"),
    ):
        _show_sizes(console, report, case, title)
    _show_general(console, report)
    _show_batches(console, report)
    show_targets(console, report.targets)
    console.print(
        f"seconds; medians of {plan.updates} updates of one row after one to warm up, "
        f"and of {plan.evaluations} re-evaluations"
    )
    console.print(f"local back end, BLAS threads: {report.threads}")
    console.print(str(report.machine))


def _show_sizes(console: Console, report: LinalgReport, case: str, title: str) -> None:
    """Both strategies at every size, in every model."""
    heading(console, f"{title}: seconds")
    table = plain_table("n", "model", *_COLUMNS, right=("n", *_COLUMNS))
    for size in report.plan.sizes:
        models = {each.model for each in report.figures if (each.case, each.size) == (case, size)}
        for model in sorted(models, key=str):
            again = report.find(case, AGAIN, size=size, model=model)
            kept = report.find(case, KEPT, size=size, model=model)
            table.add_row(f"{size:,}", model or "", *_cells(again, kept))
    console.print(table)


def _cells(again: LinalgFigures | None, kept: LinalgFigures | None) -> tuple[str, ...]:
    if again is None or kept is None:
        return ("", "", "")
    gain = again.seconds / kept.seconds
    return f"{again.seconds:.4f}", f"{kept.seconds:.4f}", f"{gain:.1f}"


def _show_general(console: Console, report: LinalgReport) -> None:
    """Each strategy in its best model, by the columns of T."""
    plan = report.plan
    heading(console, f"{GENERAL}, {plan.steps} steps, n = {plan.general_size:,}: seconds")
    names = [each.value for each in STRATEGIES]
    table = plain_table("p", *names, "planner's choice", right=("p", *names))
    for width in plan.widths:
        found = [report.find(GENERAL, strategy, width=width) for strategy in STRATEGIES]
        cells = [f"{each.seconds:.4f} ({each.model})" if each else "" for each in found]
        table.add_row(f"{width:,}", *cells, report.choices.get(f"{GENERAL}, p = {width}", ""))
    console.print(table)


def _show_batches(console: Console, report: LinalgReport) -> None:
    """Batches of rows in one update, and where re-evaluation takes over."""
    plan = report.plan
    heading(console, f"A^{plan.steps}, n = {plan.batch_size:,}, changes of many rows: seconds")
    columns = ("rank", "re-evaluate", "predicted", "incremental", "predicted ")
    table = plain_table(*columns, "planner's choice", right=columns)
    for rank in plan.ranks:
        again = report.find(BATCHES, AGAIN, rank=rank)
        kept = report.find(BATCHES, KEPT, rank=rank)
        if again and kept:
            cells = (again.seconds, again.predicted, kept.seconds, kept.predicted)
            choice = report.choices.get(f"{BATCHES}, rank {rank}", "")
            table.add_row(f"{rank:,}", *(f"{each:.4f}" for each in cells), choice)
    console.print(table)
    measured, predicted = report.takes_over
    console.print(
        f"re-evaluation takes over at rank {measured or 'none'}; "
        f"the cost model switches at {predicted or 'none'}"
    )
