"""A home directory: its metadata, its lock, its settings and what its catalog says now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.engine.definitions import SourceDefinition, ViewDefinition
from slackwater.engine.observations import Observations
from slackwater.errors import CatalogError, DataError
from slackwater.events import Committed, Events
from slackwater.plan.stored_plans import load_view_plan
from slackwater.plan.view_plan import ViewPlan
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.ownership import STATE_FOLDER, require_own
from slackwater.state.metadata.records import CatalogState, Commit, SegmentRecord, Transaction
from slackwater.state.metadata.store import MetadataStore
from slackwater.state.pages import allow_many_files
from slackwater.state.segments import SegmentFile

METADATA_FILE = "slackwater.db"
"""Where in a home its metadata is, unless another database has it."""
PINNED_SETTINGS = (
    "spark.sql.ansi.enabled",
    "spark.sql.session.timeZone",
    "spark.sql.caseSensitive",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.timestampType",
    "spark.sql.mapKeyDedupPolicy",
)
"""Settings that decide what SQL means; a home keeps those it was made with."""
_PINNED_IF_SET = "spark.sql.legacy."
"""Settings that each decide something of it, and have their defaults unless somebody sets them."""
LOSES_ROWS = "loses_rows."
"""Prefix of the setting that says that a source has had a row taken away."""
FILLED = "filled."
"""Prefix of the setting that says which commit made a view that reads no source and is filled."""
SUMS_OUTGROWN = "sums_outgrown"
"""The setting that says that a running sum of the widest decimals has not fitted its type."""
_PINNED_PREFIX = "pinned."


@lru_cache(maxsize=512)
def _load_view(text: str) -> ViewDefinition:
    return ViewDefinition.load(text)


@lru_cache(maxsize=512)
def _load_source(text: str) -> SourceDefinition:
    return SourceDefinition.load(text)


@lru_cache(maxsize=512)
def _load_plan(definition: str, text: str) -> ViewPlan | None:
    view = _load_view(definition)
    try:
        return load_view_plan(text, view.stored, view.read)
    except DataError:
        return None


@dataclass(frozen=True, slots=True)
class Catalog:
    """What exists at one commit."""

    state: CatalogState

    @property
    def sources(self) -> dict[str, SourceDefinition]:
        """All sources by name."""
        return {n: _load_source(each.definition) for n, each in self.state.sources.items()}

    @property
    def views(self) -> dict[str, ViewDefinition]:
        """All views by name, in the order of their making: a view comes after those it reads."""
        ordered = sorted(self.state.views.values(), key=lambda each: each.created)
        return {each.name: _load_view(each.definition) for each in ordered}

    def source(self, name: str) -> SourceDefinition:
        """One source."""
        if name not in self.state.sources:
            raise _unknown("source", name, self.state.sources)
        return _load_source(self.state.sources[name].definition)

    def view(self, name: str) -> ViewDefinition:
        """One view."""
        if name not in self.state.views:
            raise _unknown("view", name, self.state.views)
        return _load_view(self.state.views[name].definition)

    def stored_plan(self, name: str) -> ViewPlan | None:
        """The plan of a view; None if none is stored in a way that this version reads."""
        text = self.state.plans.get(name)
        return None if text is None else _load_plan(self.state.views[name].definition, text)

    def require_free(self, name: str) -> None:
        """Refuse a name that a source or view has."""
        taken = [n for n in (*self.state.sources, *self.state.views) if n.lower() == name.lower()]
        if taken:
            raise CatalogError(
                f"there is a source or view called {taken[0]} already",
                hint="Choose another name, or drop the existing one first.",
            )

    def segments(self, arrangement: str) -> tuple[SegmentRecord, ...]:
        """The live segments of an arrangement."""
        return self.state.segments.get(arrangement, ())

    def files(self, arrangement: str) -> tuple[SegmentFile, ...]:
        """The live files of an arrangement."""
        return self.state.files(arrangement)

    def rows(self, arrangement: str) -> int:
        """About how many rows an arrangement holds; weights are not looked at."""
        return sum(each.file.rows for each in self.segments(arrangement))

    def bytes(self, arrangement: str) -> int:
        """How large an arrangement is."""
        return sum(each.file.bytes for each in self.segments(arrangement))


def _legacy_set(spark: SparkSession) -> list[str]:
    """The settings for older behaviour that somebody has set, and a session can change."""
    names = (name for name in spark.conf.getAll if name.startswith(_PINNED_IF_SET))
    return sorted(name for name in names if spark.conf.isModifiable(name))


def _plain(value: str) -> str:
    """A value as Spark itself would write it.

    >>> _plain("TRUE"), _plain("Europe/Berlin")
    ('true', 'Europe/Berlin')
    """
    return value.lower() if value.lower() in ("true", "false") else value


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> CatalogError:
    names = ", ".join(sorted(known)) or "none yet"
    return CatalogError(f"there is no {kind} called {name}", hint=f"Known {kind}s: {names}.")


class Home:
    """An open home. With its lock this process alone writes; without, it only reads."""

    def __init__(self, folder: Path, store: MetadataStore, lock: HomeLock | None):
        """Use `Home.open` or `Home.look`."""
        self.events = Events()
        """Told of every commit, and of what is done for it."""
        self.folder = folder
        self.store = store
        self.observations = Observations(store)
        self._lock = lock
        self._closed = False

    @staticmethod
    def open(folder: Path, metadata: str | None, spark: SparkSession) -> Home:
        """Lock the home, making it if it is new, and pin the settings it is made with."""
        allow_many_files()
        folder.mkdir(parents=True, exist_ok=True)
        store = MetadataStore.open(metadata if metadata is not None else folder / METADATA_FILE)
        try:
            lock = HomeLock.acquire(folder, store)
        except BaseException:
            store.close()
            raise
        home = Home(folder.resolve(), store, lock)
        try:
            home.pin_settings(spark)
        except BaseException:
            home.close()
            raise
        return home

    @staticmethod
    def look(folder: Path, metadata: str | None) -> Home:
        """Open a home that exists for reading, also while another process writes to it."""
        allow_many_files()
        address = metadata if metadata is not None else folder / METADATA_FILE
        if isinstance(address, Path) and not address.exists():
            raise CatalogError(
                "there is no home to read",
                where=str(folder),
                hint="Open it without read_only once, which makes it.",
            )
        store = MetadataStore.open(address)
        try:
            require_own(folder, store)
        except BaseException:
            store.close()
            raise
        return Home(folder.resolve(), store, None)

    @property
    def read_only(self) -> bool:
        """Whether it was opened to look only."""
        return self._lock is None

    def require_writable(self) -> None:
        """Refuse a change to a home that was opened for reading, or is closed."""
        self.require_open()
        if self.read_only:
            raise CatalogError(
                "the home is open for reading only",
                where=str(self.folder),
                hint="Open it without read_only to change it.",
            )

    def require_open(self) -> None:
        """Refuse to go on without the lock: another process may have it now."""
        if self._closed:
            raise CatalogError(
                "the session is closed", where=str(self.folder), hint="Open the home again."
            )

    def close(self) -> None:
        """Release the lock."""
        self._closed = True
        if self._lock is not None:
            self._lock.release()
        self.store.close()

    def pin_settings(self, spark: SparkSession) -> None:
        """Keep the settings a new home is made under.

        A home of a version that kept fewer of them keeps the others as they are now.
        """
        pinned = self.settings
        if pinned.keys() >= set(PINNED_SETTINGS):
            return
        now = {key: str(spark.conf.get(key)) for key in (*PINNED_SETTINGS, *_legacy_set(spark))}
        found = {_PINNED_PREFIX + key: _plain(now[key]) for key in now.keys() - pinned.keys()}
        self.commit(Transaction("compact", settings=found))

    @property
    def settings(self) -> dict[str, str]:
        """The Spark settings that this home's queries run under."""
        stored = self.store.settings(_PINNED_PREFIX)
        return {name.removeprefix(_PINNED_PREFIX): _plain(value) for name, value in stored.items()}

    def settle(self, session: SparkSession) -> None:
        """Give a session of ours the settings that this home's queries run under."""
        pinned = self.settings
        if pinned.keys() >= set(PINNED_SETTINGS):
            for key in _legacy_set(session):
                session.conf.unset(key)
        for key, value in pinned.items():
            session.conf.set(key, value)

    def catalog(self, commit: int | None = None) -> Catalog:
        """What exists now, or at an older commit that is still kept."""
        self.require_open()
        return Catalog(self.store.state(commit))

    def discard(self, stem: str) -> None:
        """Delete the files of a run or batch that failed; what tasks still write is swept later."""
        for path in (self.folder / STATE_FOLDER).glob(f"*/*{stem}-*"):
            path.unlink(missing_ok=True)

    def commit(self, transaction: Transaction, after: int | None = None) -> Commit:
        """Make a change real, if `after` is still the newest commit; nothing else commits."""
        self.require_open()
        head = self.store.state().commit if after is None else after
        commit = self.store.commit(transaction, head)
        self.events.tell(Committed(commit.version, transaction.kind))
        return commit
