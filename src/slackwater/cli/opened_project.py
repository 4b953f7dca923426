"""Options that the commands of a project share, and the project with its progress shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from slackwater.api import Engine, Progress, Project, open_project
from slackwater.cli.output import Say

ProjectFolder: TypeAlias = Annotated[
    Path, typer.Option("--project", metavar="FOLDER", help="The project's folder.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@contextmanager
def opened_project(folder: Path, say: Say, engine: Engine | None = None) -> Iterator[Project]:
    """A project whose progress is said as it is told."""
    with (
        open_project(folder, engine=engine) as project,
        project.subscribe(lambda event: say(str(event)), Progress),
    ):
        yield project
