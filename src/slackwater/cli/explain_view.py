"""`slackwater explain VIEW`: how a view of a project is kept up to date."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

import typer

from slackwater.api import is_project
from slackwater.cli.opened_project import opened_project
from slackwater.cli.output import print_json, working


class Kind(StrEnum):
    """The explanations of a view."""

    PLAN = "plan"
    PROGRAM = "program"
    WHY = "why"
    COST = "cost"


def names_view(text: str | None, project: Path | None, kind: Kind | None) -> bool:
    """Tell if the user asks for a view: says so, or stands in a project and gives a bare name."""
    if kind is not None or project is not None:
        return True
    return text is not None and re.fullmatch(r"\w+", text) is not None and is_project(Path())


def explain_view(view: str, project: Path, kind: Kind, *, as_json: bool) -> None:
    """Print what is asked for of a view."""
    with working("reading the project") as say, opened_project(project, say) as opened:
        found = opened.explain(view, kind.value)
    if as_json:
        print_json({**found.as_dict(), "kind": found.kind, "text": str(found)})
    else:
        typer.echo(found)
