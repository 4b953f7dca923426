"""The contents of a project's files, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from slackwater.plan.forms import Engine
from slackwater.sources.connector import Connector
from slackwater.state.metadata.collect import Retention


class OnMissing(StrEnum):
    """The treatment of a deletion whose row the source does not hold."""

    ERROR = "error"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class SourceDeclaration:
    """A source: its columns as DDL, its promises, and where its batches appear, if anywhere."""

    name: str
    schema: str | None
    key: tuple[str, ...]
    append_only: bool
    on_missing: OnMissing
    connector: Connector[Any] | None
    file: Path
    line: int

    @property
    def place(self) -> str:
        """The place of the declaration, for messages."""
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class ViewFile:
    """A view as an SQL file defines it; `line` is where its statement begins."""

    name: str
    sql: str
    comment: str | None
    properties: Mapping[str, str]
    path: Path
    line: int

    @property
    def place(self) -> str:
        """The place of the definition, for messages."""
        return f"{self.path}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Windows:
    """The end of a window: a stretch of time in seconds, a number of rows, or an explicit close."""

    every: float | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """All that the files of a project say."""

    name: str
    folder: Path
    storage: Path
    catalog: str | None
    database: str | None
    configuration: Mapping[str, str]
    sources: tuple[SourceDeclaration, ...]
    views: tuple[ViewFile, ...]
    windows: Windows
    retention: Retention
    metadata: str | None = field(repr=False)
    """The address of the metadata's database, which may hold a password; None is a file."""
    budget: int | None
    """The most bytes that state may take."""
    engine: Engine = Engine.AUTO
