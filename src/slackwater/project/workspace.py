"""A project folder at work: its files are read and its home is opened as each request needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.catalog.home import METADATA_FILE, Home
from slackwater.config import SparkSettings, load_settings
from slackwater.engine.keeper import Keeper
from slackwater.engine.options import Options
from slackwater.errors import CatalogError
from slackwater.events import Events
from slackwater.explain.status import HistoryRow, Status, look_at_home, read_history, read_status
from slackwater.plan.forms import Engine, Forms, read_engine
from slackwater.plan.prices import read_prices
from slackwater.project.apply import Applied, apply_project
from slackwater.project.load import load_project
from slackwater.project.project_files import ProjectFiles
from slackwater.project.take_in import Ingested, count_waiting, take_in
from slackwater.running.results import RunResult
from slackwater.spark.session import SparkHandle, open_spark
from slackwater.state.metadata.ownership import IDENTITY_FILE


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The results of a refresh, in the order of its steps."""

    applied: Applied
    ingested: tuple[Ingested, ...]
    run: RunResult


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """The contents of a project's home, and what waits outside it."""

    home: Status
    waiting: Mapping[str, int]
    """The number of things the next refresh takes in, by source; of a watched folder, files."""


class Workspace:
    """A project folder. Spark, once started, and a home opened to read stay until `close`."""

    def __init__(self, folder: Path, spark: SparkSession | None, engine: str | None):
        """Read the files once, so that a folder without a project is refused at once.

        `engine` wins over that of the project.
        """
        self.events = Events()
        self._folder = folder
        self._engine = None if engine is None else read_engine(engine)
        self._given = spark
        self._handle: SparkHandle | None = None
        self._reader: Keeper | None = None
        self.files()

    def files(self) -> ProjectFiles:
        """Read the project's files."""
        return load_project(self._folder)

    def status(self) -> ProjectStatus:
        """Return what the home holds and what waits; takes no Spark; a refresh may be running."""
        files = self.files()
        with self._look(files) as home:
            return ProjectStatus(read_status(home), count_waiting(home, files))

    def history(self, view: str | None, limit: int) -> tuple[HistoryRow, ...]:
        """Return what past runs did; takes no Spark, and a refresh may be running."""
        with self._look(self.files()) as home:
            return read_history(home, view, limit)

    def views(self) -> tuple[str, ...]:
        """The names of the views that the home holds; takes no Spark."""
        with self._look(self.files()) as home:
            return tuple(home.catalog().views)

    def apply(self, *, replace: bool) -> Applied:
        """Have the home follow the files, without taking anything in."""
        files = self.files()
        with self.writer(files) as keeper:
            return self._apply(keeper, files, replace=replace)

    def refresh(self, *, replace: bool) -> Refreshed:
        """Apply the files, take in what is new, and bring every view up to date."""
        files = self.files()
        with self.writer(files) as keeper:
            applied = self._apply(keeper, files, replace=replace)
            ingested = take_in(keeper, files)
            self.events.progress("refreshing the views")
            return Refreshed(applied, ingested, keeper.refresh())

    def _apply(self, keeper: Keeper, files: ProjectFiles, *, replace: bool) -> Applied:
        self.events.progress("comparing the project with its home")
        return apply_project(keeper, files, replace=replace)

    @contextmanager
    def writer(self, files: ProjectFiles | None = None) -> Iterator[Keeper]:
        """The home to write to, made if it is new, for the length of the block."""
        self._close_reader()
        keeper = self._open(files or self.files(), read_only=False)
        try:
            yield keeper
        except BaseException:
            keeper.close(failed=True)
            raise
        keeper.close()

    def reader(self) -> Keeper:
        """The home to read from, beside a process that may be writing; open until `close`."""
        files = self.files()
        _require_refreshed(files)
        if self._reader is not None and self._reader.home.folder != files.storage.resolve():
            self._close_reader()
        if self._reader is None:
            self._reader = self._open(files, read_only=True)
        return self._reader

    def close(self) -> None:
        """Release the home, and Spark if it was started here."""
        try:
            self._close_reader()
        finally:
            if self._handle is not None:
                self._handle.stop()

    def _open(self, files: ProjectFiles, *, read_only: bool) -> Keeper:
        options = Options(
            _metadata(files),
            files.retention,
            events=self.events,
            read_only=read_only,
            forms=self._forms(files),
        )
        return Keeper.open(files.storage, self._spark(files), options)

    def _forms(self, files: ProjectFiles) -> Forms:
        engine: Engine = self._engine or files.engine
        return Forms.on(engine, read_prices(load_settings().prices))

    def _spark(self, files: ProjectFiles) -> SparkSession:
        if self._handle is None:
            self.events.progress("starting Spark")
            self._handle = open_spark(_spark_settings(files), self._given)
        return self._handle.spark

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    @contextmanager
    def _look(self, files: ProjectFiles) -> Iterator[Home]:
        _require_refreshed(files)
        with look_at_home(files.storage, _metadata(files)) as home:
            yield home


def _require_refreshed(files: ProjectFiles) -> None:
    made = METADATA_FILE if _metadata(files) is None else IDENTITY_FILE
    if not (files.storage / made).is_file():
        raise CatalogError(
            "the project has not been refreshed yet, so there is nothing to look at",
            where=str(files.storage),
            hint="Run `slackwater refresh` first.",
        )


def _metadata(files: ProjectFiles) -> str | None:
    """The address of the metadata; the environment's wins, so that no file need hold a password."""
    return load_settings().metadata or files.metadata


def _spark_settings(files: ProjectFiles) -> SparkSettings:
    """The settings of the environment, which win over the project's configuration."""
    settings = load_settings().spark
    return replace(settings, conf=(*files.configuration.items(), *settings.conf))
