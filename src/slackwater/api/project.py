"""A project folder as a user works with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession

from slackwater.api.session import Session
from slackwater.events import Event, Listener, Subscription
from slackwater.explain.explanations import Explanation
from slackwater.explain.status import HistoryRow
from slackwater.project.apply import Applied
from slackwater.project.workspace import ProjectStatus, Refreshed, Workspace
from slackwater.reading.verify import VerifyResult
from slackwater.spark.session import SparkHandle


def open_project(
    folder: str | Path = ".", spark: SparkSession | None = None, *, engine: str | None = None
) -> Project:
    """Open a folder that has a `slackwater.yml`.

    Nothing is started yet: Spark is when a method first needs it, unless `spark` is given.
    `engine` wins over that of the project.
    """
    return Project(Workspace(Path(folder), spark, engine))


class Project:
    """A project folder; its files are read anew by every method."""

    def __init__(self, workspace: Workspace):
        """Use `open_project`."""
        self._workspace = workspace

    def subscribe(self, listener: Listener, *kinds: type[Event]) -> Subscription:
        """Have a function called with what happens, as `Session.subscribe` does."""
        return self._workspace.events.subscribe(listener, *kinds)

    def apply(self, *, replace: bool = False) -> Applied:
        """Have the home follow the files, in one commit: create what it lacks.

        With `replace` changed views are built anew and those that are gone are dropped; without
        it a changed view is refused.
        """
        return self._workspace.apply(replace=replace)

    def refresh(self, *, replace: bool = False) -> Refreshed:
        """Apply the files, take in what is new at the sources, and refresh every view."""
        return self._workspace.refresh(replace=replace)

    def status(self) -> ProjectStatus:
        """Return the contents of the home and what waits outside it; needs no Spark."""
        return self._workspace.status()

    def history(self, view: str | None = None, limit: int = 20) -> tuple[HistoryRow, ...]:
        """Return what runs did to views, newest first; needs no Spark."""
        return self._workspace.history(view, limit)

    def views(self) -> tuple[str, ...]:
        """The names of the views that the home holds; needs no Spark."""
        return self._workspace.views()

    def read(self, view: str, commit: int | None = None) -> DataFrame:
        """The answer as of the last refresh, or of an older commit that is still kept."""
        return self._workspace.reader().read(view, commit)

    def explain(self, view: str, kind: str = "plan") -> Explanation:
        """Explain how a view is kept, as `View.explain` does."""
        return self._workspace.reader().explain(view, kind)

    def verify(self, view: str) -> VerifyResult:
        """Recompute a view with plain Spark and compare."""
        return self._workspace.reader().verify(view)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The home to write to, made if it is new, for programs that ingest rows themselves."""
        with self._workspace.writer() as keeper:
            yield Session(keeper, SparkHandle(keeper.spark, owned=False))

    def close(self) -> None:
        """Release the home, and the Spark session if it was started here."""
        self._workspace.close()

    def __enter__(self) -> Project:
        """The project itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close, whatever happened in the block."""
        self.close()
