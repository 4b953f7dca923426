"""A home at work: sessions, and the sources and views in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.config import load_settings
from slackwater.engine.keeper import Keeper
from slackwater.engine.options import Options
from slackwater.events import Event, Listener, Subscription
from slackwater.explain.explanations import Explanation
from slackwater.explain.status import HistoryRow, Status, read_history, read_status
from slackwater.ingest.ingestion import IngestResult, Marks
from slackwater.maintenance.maintenance import Compaction
from slackwater.plan.forms import Forms, read_engine
from slackwater.plan.prices import read_prices
from slackwater.planning.declare import NewSource, NewView
from slackwater.planning.views import with_readers
from slackwater.reading.verify import VerifyResult
from slackwater.running.results import RunResult
from slackwater.spark.session import SparkHandle, open_spark
from slackwater.state.metadata.collect import Retention


def open_home(  # noqa: PLR0913 - options by keyword, each with a default
    home: str | Path,
    spark: SparkSession | None = None,
    *,
    engine: str = "auto",
    metadata: str | None = None,
    retention: Retention | None = None,
    read_only: bool = False,
) -> Session:
    """Open a home, making it if it is new; a local Spark is started if none is given.

    With `engine="auto"` batches and runs are worked on where it is cheaper by the prices that
    `slackwater calibrate` measures: on the driver without a Spark job, or in Spark. `driver` and
    `spark` insist; statements that mean something else on the driver are Spark's in any case.

    `metadata` is the address of a database for the catalog; by default it is a file in the
    home. `retention` says how long old commits stay readable. With `read_only` a home can be
    read while another process writes to it.
    """
    forms = Forms.on(read_engine(engine), read_prices(load_settings().prices))
    options = Options(metadata, retention or Retention(), read_only=read_only, forms=forms)
    return open_with(home, spark, options)


def open_with(home: str | Path, spark: SparkSession | None, options: Options) -> Session:
    """Open a home with options of the engine, some of which `open_home` does not offer."""
    handle = open_spark(spark=spark)
    try:
        keeper = Keeper.open(Path(home), handle.spark, options)
    except BaseException:
        handle.stop()
        raise
    return Session(keeper, handle)


class Session:
    """An open home."""

    def __init__(self, keeper: Keeper, handle: SparkHandle):
        """Use `slackwater.open`."""
        self._keeper = keeper
        self._handle = handle

    def subscribe(self, listener: Listener, *kinds: type[Event]) -> Subscription:
        """Have a function called with what happens in the session, or with some kinds of it.

        The kinds are those of `slackwater.events`. The result ends the subscription, by `cancel`
        or at the end of a `with` block.
        """
        return self._keeper.events.subscribe(listener, *kinds)

    def create_source(
        self,
        name: str,
        schema: StructType | str,
        key: str | Sequence[str] = (),
        append_only: bool = False,
        on_missing: str = "error",
    ) -> Source:
        """Declare a table that changes; `key` names a column, or several, that tell rows apart."""
        columns = (key,) if isinstance(key, str) else tuple(key)
        source = self._keeper.create_source(name, schema, columns, append_only, on_missing)
        return Source(self, source)

    def ingest(
        self,
        name: str,
        rows: object,
        op: str | None = None,
        weight: str | None = None,
        marks: Marks | None = None,
    ) -> IngestResult:
        """Take a batch of changes into a source, whole or not at all.

        `rows` is a Spark DataFrame, an Arrow table or a pandas DataFrame. Without `op` the rows
        are inserts, or follow a weight column `_w` or the columns of a change feed; `weight`
        names another weight column. `marks` are remembered in the same commit; a function that
        gives them is called when the rows are written, and refuses the batch by raising.
        """
        return self._keeper.ingest(name, rows, op, weight, marks or {})

    def marks(self, source: str) -> dict[str, str]:
        """The marks that were committed with the batches of a source."""
        return self._keeper.marks(source)

    def create_view(
        self,
        name: str,
        query: str | DataFrame,
        goal: Goal | None = None,
        refresh: str = "auto",
        scope: str = "all",
    ) -> View:
        """Declare a standing query; it is filled by the next refresh."""
        view = self._keeper.create_view(name, query, goal, refresh, scope)
        return View(self, view.name)

    def declare(
        self,
        sources: Sequence[NewSource] = (),
        views: Sequence[NewView] = (),
        drop_views: Sequence[str] = (),
    ) -> None:
        """Drop views, then create sources and views, in one commit: all of it or nothing.

        Each view comes after those it reads. A new view may have the name of a dropped one.
        """
        self._keeper.declare(tuple(sources), tuple(views), tuple(drop_views))

    def table(self, name: str) -> DataFrame:
        """A source or view as a DataFrame to build queries on; it has columns but no rows."""
        return self._keeper.table(name)

    def refresh(self) -> RunResult:
        """One run: everything pending, every view, one commit."""
        return self._keeper.refresh()

    def view(self, name: str) -> View:
        """A view that exists."""
        self._keeper.view(name)
        return View(self, name)

    def views(self) -> tuple[str, ...]:
        """The names of all views."""
        return tuple(self._keeper.catalog().views)

    def with_readers(self, views: Iterable[str]) -> tuple[str, ...]:
        """Views and all views that read them, each after those it reads."""
        return with_readers(self._keeper.catalog(), views)

    def sources(self) -> tuple[str, ...]:
        """The names of all sources."""
        return tuple(self._keeper.catalog().sources)

    def verify(self, name: str) -> VerifyResult:
        """Recompute a view with plain Spark and compare."""
        return self._keeper.verify(name)

    def drop_view(self, name: str) -> None:
        """Remove a view and the state that no other view needs."""
        self._keeper.drop_view(name)

    def drop_source(self, name: str) -> None:
        """Remove a source that no view reads."""
        self._keeper.drop_source(name)

    def compact(self) -> Compaction:
        """Merge state into fewer, larger files and delete what nobody needs."""
        return self._keeper.compact()

    def status(self) -> Status:
        """Sources and views: how large, how far behind."""
        return read_status(self._keeper.home)

    def history(self, view: str | None = None, limit: int = 20) -> tuple[HistoryRow, ...]:
        """Return what runs did to views, newest first: action, reason, cost."""
        return read_history(self._keeper.home, view, limit)

    def close(self) -> None:
        """Release the home, and the Spark session if it was started here.

        Files that are being merged are waited for, so that their merge is not lost.
        """
        self._close(failed=False)

    def _close(self, *, failed: bool) -> None:
        try:
            self._keeper.close(failed=failed)
        finally:
            self._handle.stop()

    def source(self, name: str) -> Source:
        """A source that exists."""
        return Source(self, self._keeper.catalog().source(name))

    @property
    def spark(self) -> SparkSession:
        """The Spark session it works with."""
        return self._keeper.spark

    @property
    def keeper(self) -> Keeper:
        """The engine that the session delegates to."""
        return self._keeper

    def __enter__(self) -> Session:
        """The session itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close, whatever happened in the block; if it failed, a merge under way is given up."""
        self._close(failed=kind is not None)


class Source:
    """A declared source."""

    def __init__(self, session: Session, definition: SourceDefinition):
        """Use `Session.create_source`."""
        self._session = session
        self.definition = definition

    @property
    def name(self) -> str:
        """Its name."""
        return self.definition.name

    def ingest(
        self, rows: object, op: str | None = None, weight: str | None = None
    ) -> IngestResult:
        """Take a batch of changes in."""
        return self._session.ingest(self.name, rows, op, weight)


class View:
    """A declared view."""

    def __init__(self, session: Session, name: str):
        """Use `Session.create_view` or `Session.view`."""
        self._session = session
        self.name = name

    @property
    def definition(self) -> ViewDefinition:
        """The definition of the view."""
        return self._session.keeper.view(self.name)

    @property
    def predicted_bytes(self) -> int:
        """About how much state it takes to keep it, its answer included, at present sizes."""
        return self._session.keeper.predicted_bytes(self.name)

    def read(self, commit: int | None = None) -> DataFrame:
        """The answer as of the last refresh, or of an older commit that is still kept."""
        return self._session.keeper.read(self.name, commit)

    def changes(self, since: int = 0, *, zset: bool = False) -> DataFrame:
        """Return the changes of the answer after a commit, with the columns of a change feed.

        With `zset` a row comes once with its weight `_w`; otherwise `_change_type` says insert
        or delete, and the row comes as often as it counts.
        """
        return self._session.keeper.changes(self.name, since, zset=zset)

    def explain(self, kind: str = "plan") -> Explanation:
        """Explain how the view is kept: its `plan`, `why` operators are so kept, or the `program`.

        `cost` tells what the last run did with the view, could have done, and cost. The result
        is data; `str` and `print` write it for a reader.
        """
        return self._session.keeper.explain(self.name, kind)
