"""`slackwater init`: a small project to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import write_example_project
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson
from slackwater.cli.output import print_json


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that is new or empty.")
    ] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a small example project: two sources, two views and some changes."""
    with guarded(as_json=as_json):
        files = [str(file.relative_to(folder)) for file in write_example_project(folder)]
        if as_json:
            print_json({"folder": str(folder), "files": files})
            return
        place = "" if folder == Path() else f" --project {folder}"
        lines = [f"A project in {folder.absolute()}:", *(f"  {file}" for file in files)]
        typer.echo("\n".join(lines))
        typer.echo(f"Next: slackwater refresh{place}, then slackwater read best_countries{place}")
