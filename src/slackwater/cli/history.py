"""`slackwater history`: what past runs did to the views of a project, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import FAILED, HistoryRow, open_project, run_lines, view_lines
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder
from slackwater.cli.output import page_console, plain_table, print_json, unbroken


def history(
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="Only the runs of this view.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="The most runs to show.")] = 20,
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Show what was weighed, and where the time of each run went."
        ),
    ] = False,
    project: ProjectFolder = Path(),
    as_json: AsJson = False,
) -> None:
    """Show what past runs did, newest first."""
    with guarded(as_json=as_json):
        with open_project(project) as opened:
            rows = opened.history(view, limit)
        if as_json:
            print_json({"runs": [row.as_dict() for row in rows]})
        elif details and rows:
            typer.echo("\n".join(detail_lines(rows)))
        else:
            show_history(rows)


def show_history(rows: Sequence[HistoryRow]) -> None:
    """The runs for a reader."""
    table = plain_table(
        "commit", "started", "view", "action", "in", "out", "seconds", "why", right=_NUMBERS
    )
    for row in rows:
        numbers = (f"{row.rows_in:,}", f"{row.rows_out:,}", f"{row.seconds:.2f}")
        table.add_row(str(row.commit), _started(row), row.view, row.action, *numbers, row.reason)
    console = page_console()
    console.print(unbroken(table) if rows else "no runs yet")


def detail_lines(rows: Sequence[HistoryRow]) -> Iterator[str]:
    """Run after run: what it did with each view and could have done, and what it cost."""
    for number, (_, of_run) in enumerate(groupby(rows, _run_of)):
        views = list(of_run)
        if number:
            yield ""
        after = "after " if views[0].action == FAILED else ""
        yield f"{after}commit {views[0].commit}, started {_started(views[0])}"
        for row in views:
            yield from view_lines(row)
            yield f"  rows in {row.rows_in:,}, rows out {row.rows_out:,}"
        metrics = next((row.metrics for row in views if row.metrics), None)
        if metrics is not None:
            yield from run_lines(metrics)


def _run_of(row: HistoryRow) -> tuple[int, datetime]:
    """A run that failed is told under the commit before it."""
    return row.commit, row.started


def _started(row: HistoryRow) -> str:
    return row.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")


_NUMBERS = ("commit", "in", "out", "seconds")
