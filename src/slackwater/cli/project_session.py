"""Opens what a project's commands work on: the project's files and the home in its storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from slackwater.api import Session, open_home
from slackwater.cli.output import Say
from slackwater.config import SparkSettings, load_settings
from slackwater.engine.status import METADATA_FILE, WatchedHome, look_at_home
from slackwater.errors import CatalogError
from slackwater.project.load import load_project
from slackwater.project.records import Project
from slackwater.runtime.session import open_spark

ProjectFolder: TypeAlias = Annotated[
    Path, typer.Option("--project", metavar="FOLDER", help="The project's folder.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@contextmanager
def open_project(project: Project, say: Say) -> Iterator[Session]:
    """The home in the project's storage, which is made if it is new."""
    say("starting Spark")
    with (
        open_spark(_spark_settings(project)) as spark,
        open_home(project.storage, spark, progress=say) as session,
    ):
        yield session


@contextmanager
def open_filled(folder: Path, say: Say) -> Iterator[tuple[Project, Session]]:
    """A project and its home, for commands that need what a refresh has made."""
    project = _refreshed(folder)
    with open_project(project, say) as session:
        yield project, session


@contextmanager
def look_at_project(folder: Path) -> Iterator[WatchedHome]:
    """The home of a project, to look at: it takes no Spark, and a refresh may be running."""
    with look_at_home(_refreshed(folder).storage) as home:
        yield home


def _refreshed(folder: Path) -> Project:
    project = load_project(folder)
    if not (project.storage / METADATA_FILE).is_file():
        raise CatalogError(
            "the project has not been refreshed yet, so there is nothing to look at",
            where=str(project.storage),
            hint="Run `slackwater refresh` first.",
        )
    return project


def _spark_settings(project: Project) -> SparkSettings:
    """The settings of the environment, which win over the project's configuration."""
    settings = load_settings().spark
    return replace(settings, conf=(*project.configuration.items(), *settings.conf))
