"""`slackwater history`: what past runs did to the views of a project, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.failures import guarded
from slackwater.cli.output import page_console, plain_table, print_json, unbroken
from slackwater.cli.project_session import AsJson, ProjectFolder, look_at_project
from slackwater.engine.status import HistoryRow, read_history


def history(
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="Only the runs of this view.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="The most runs to show.")] = 20,
    project: ProjectFolder = Path(),
    as_json: AsJson = False,
) -> None:
    """Show what past runs did, newest first."""
    with guarded(as_json=as_json):
        with look_at_project(project) as home:
            rows = read_history(home, view, limit)
        if as_json:
            print_json({"runs": [row.as_dict() for row in rows]})
        else:
            show_history(rows)


def show_history(rows: Sequence[HistoryRow]) -> None:
    """The runs for a reader."""
    table = plain_table(
        "commit", "started", "view", "action", "in", "out", "seconds", "why", right=_NUMBERS
    )
    for row in rows:
        numbers = (f"{row.rows_in:,}", f"{row.rows_out:,}", f"{row.seconds:.2f}")
        started = row.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(row.commit), started, row.view, row.action, *numbers, row.reason)
    console = page_console()
    console.print(unbroken(table) if rows else "no runs yet")


_NUMBERS = ("commit", "in", "out", "seconds")
