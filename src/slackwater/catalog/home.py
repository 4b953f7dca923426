"""A home directory: its folder, its lock, and its metadata for reading and for writing."""

from __future__ import annotations

from pathlib import Path

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.step_statistics import Observations
from slackwater.errors import CatalogError
from slackwater.events import Committed, Events
from slackwater.state.mapped_files import allow_many_files
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.metadata_reader import MetadataReader
from slackwater.state.metadata.ownership import STATE_FOLDER, require_own
from slackwater.state.metadata.records import Commit, Transaction
from slackwater.state.metadata.store import MetadataStore

METADATA_FILE = "slackwater.db"
"""The metadata's file in a home, unless another database has it."""


class Home:
    """An open home. With its lock this process alone writes; without, it only reads."""

    def __init__(self, folder: Path, store: MetadataStore, lock: HomeLock | None):
        """Use `Home.open` or `Home.look`."""
        self.events = Events()
        """Told of every commit, and of what is done for it."""
        self.folder = folder
        self.observations = Observations(store)
        self._metadata = store
        self._lock = lock
        self._closed = False

    @staticmethod
    def open(folder: Path, metadata: str | None) -> Home:
        """Lock the home, making it if it is new."""
        allow_many_files()
        folder.mkdir(parents=True, exist_ok=True)
        store = MetadataStore.open(metadata if metadata is not None else folder / METADATA_FILE)
        try:
            lock = HomeLock.acquire(folder, store)
        except BaseException:
            store.close()
            raise
        return Home(folder.resolve(), store, lock)

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
    def store(self) -> MetadataReader:
        """The metadata, for reading."""
        return self._metadata

    @property
    def writer(self) -> MetadataStore:
        """The metadata, for writing; refused without the lock."""
        self.require_writable()
        return self._metadata

    @property
    def read_only(self) -> bool:
        """Tell if it was opened to look only."""
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
        self._metadata.close()

    def catalog(self, commit: int | None = None) -> Catalog:
        """The value of what exists now, or existed at an older commit that is still kept."""
        self.require_open()
        return Catalog(self.store.state(commit))

    def discard(self, stem: str) -> None:
        """Delete the files of a run or batch that failed; what tasks still write is swept later."""
        for path in (self.folder / STATE_FOLDER).glob(f"*/*{stem}-*"):
            path.unlink(missing_ok=True)

    def commit(self, transaction: Transaction, after: int | None = None) -> Commit:
        """Make a change real, if `after` is still the newest commit; nothing else commits."""
        writer = self.writer
        head = writer.state().commit if after is None else after
        commit = writer.commit(transaction, head)
        self.events.tell(Committed(commit.version, transaction.kind))
        return commit
