"""`slackwater read`: the current answer of a view, or an older one."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import Answer, fetch_answer
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder, opened_project
from slackwater.cli.output import print_json, working


def read(
    view: Annotated[str, typer.Argument(metavar="VIEW", help="The view to read.")],
    limit: Annotated[int, typer.Option(min=1, help="The most rows to show.")] = 20,
    commit: Annotated[
        int | None, typer.Option(min=1, help="Read the answer as of this commit.")
    ] = None,
    project: ProjectFolder = Path(),
    as_json: AsJson = False,
) -> None:
    """Show the answer of a view."""
    with guarded(as_json=as_json):
        with working("reading the project") as say, opened_project(project, say) as opened:
            frame = opened.read(view, commit)
            say(f"reading {view}")
            answer = fetch_answer(view, frame, limit, as_json=as_json)
        if as_json:
            print_json(answer_data(answer))
        else:
            show_answer(answer)


def answer_data(answer: Answer) -> dict[str, object]:
    """The answer as the JSON object that docs/reference/cli.md describes."""
    names = _distinct([name for name, _ in answer.columns])
    return {
        "view": answer.view,
        "columns": [{"name": name, "type": dtype} for name, dtype in answer.columns],
        "rows": [dict(zip(names, row, strict=True)) for row in answer.rows],
        "complete": answer.complete,
    }


def _distinct(names: list[str]) -> list[str]:
    """Names under which JSON keeps the values of all columns: `n`, then `n_2` for another `n`."""
    found: list[str] = []
    for name in names:
        free = (f"{name}_{number}" for number in count(2))
        found.append(next(each for each in chain([name], free) if each not in found))
    return found


def show_answer(answer: Answer) -> None:
    """The rows below their names; lines are as long as they must be, so that nothing is cut."""
    lines = [tuple(name for name, _ in answer.columns)]
    lines += [tuple("NULL" if value is None else value for value in row) for row in answer.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
    if not answer.complete:
        typer.echo(f"(there are more than {len(answer.rows)} rows; --limit shows more)")
