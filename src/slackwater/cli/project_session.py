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
from slackwater.engine.home import METADATA_FILE, Home
from slackwater.engine.status import look_at_home
from slackwater.errors import CatalogError
from slackwater.project.load import load_project
from slackwater.project.records import Project
from slackwater.runtime.session import open_spark
from slackwater.state.metadata.ownership import IDENTITY_FILE

ProjectFolder: TypeAlias = Annotated[
    Path, typer.Option("--project", metavar="FOLDER", help="The project's folder.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@contextmanager
def open_project(project: Project, say: Say, *, read_only: bool = False) -> Iterator[Session]:
    """The home in the project's storage; to be written to, it is made if it is new."""
    say("starting Spark")
    with (
        open_spark(_spark_settings(project)) as spark,
        open_home(
            project.storage,
            spark,
            metadata=_metadata(project),
            retention=project.retention,
            progress=say,
            read_only=read_only,
        ) as session,
    ):
        yield session


@contextmanager
def open_filled(folder: Path, say: Say) -> Iterator[tuple[Project, Session]]:
    """A project and its home, to look at what a refresh has made; one may be running."""
    project = _refreshed(folder)
    with open_project(project, say, read_only=True) as session:
        yield project, session


@contextmanager
def look_at_project(folder: Path) -> Iterator[Home]:
    """The home of a project, to look at: it takes no Spark, and a refresh may be running."""
    project = _refreshed(folder)
    with look_at_home(project.storage, _metadata(project)) as home:
        yield home


def _refreshed(folder: Path) -> Project:
    project = load_project(folder)
    made = METADATA_FILE if _metadata(project) is None else IDENTITY_FILE
    if not (project.storage / made).is_file():
        raise CatalogError(
            "the project has not been refreshed yet, so there is nothing to look at",
            where=str(project.storage),
            hint="Run `slackwater refresh` first.",
        )
    return project


def _metadata(project: Project) -> str | None:
    """The address of the metadata; the environment's wins, so that no file need hold a password."""
    return load_settings().metadata or project.metadata


def _spark_settings(project: Project) -> SparkSettings:
    """The settings of the environment, which win over the project's configuration."""
    settings = load_settings().spark
    return replace(settings, conf=(*project.configuration.items(), *settings.conf))
