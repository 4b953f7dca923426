"""One writer a home: the second is refused with the name of the first.

The operating system holds the lock, not a file's existence: however the holder dies, the lock
is free. Homes with PostgreSQL are locked in the database too, as their directory may be on a
file system shared by machines whose locks do not see each other.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from slackwater.state.metadata.database import process_name, translated
from slackwater.state.metadata.errors import HomeLockedError
from slackwater.state.metadata.ownership import claim_home
from slackwater.state.metadata.store import MetadataStore

LOCK_FILE: Final = "writer.lock"

_HINT: Final = "Wait until it is done, or stop it. To read meanwhile, open it with read_only=True."
_HOLDER: Final = text(
    "SELECT activity.application_name FROM pg_locks AS lock"
    " JOIN pg_stat_activity AS activity ON activity.pid = lock.pid"
    " WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1"
    " AND lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND (CAST(lock.classid AS bigint) << 32) | CAST(lock.objid AS bigint) = :key"
)


class HomeLock:
    """The right to write to a home, held until `release` or the death of the process."""

    def __init__(self, descriptor: int):
        """Own an open, locked file."""
        self._descriptor: int | None = descriptor
        self._connection: Connection | None = None

    @classmethod
    def acquire(cls, home: Path, store: MetadataStore) -> Self:
        """Lock the home, or say who holds it; never waits."""
        home.mkdir(parents=True, exist_ok=True)
        lock = cls(_lock_file(home / LOCK_FILE))
        try:
            lock._connection = _lock_database(home, store)
            claim_home(home, store)
        except BaseException:
            lock.release()
            raise
        return lock

    def release(self) -> None:
        """Let the next writer in; a second call does nothing."""
        if self._connection is not None:
            # The server also frees the lock with the connection, but in its own time.
            with suppress(SQLAlchemyError):
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
            self._connection.invalidate()
            self._connection.close()
            self._connection = None
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        """The lock itself, to be released at the end of the block."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Let the next writer in."""
        self.release()


def _lock_file(path: Path) -> int:
    """Lock the file and write our name in it; the descriptor is the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 1000, 0).decode(errors="replace").strip()
        os.close(descriptor)
        raise _refused(path.parent, holder) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{process_name()}\n".encode(), 0)
    return descriptor


def _lock_database(home: Path, store: MetadataStore) -> Connection | None:
    """Take the advisory lock on a connection of its own; None where the file is enough."""
    if store.engine.dialect.name != "postgresql":
        return None
    # The identity keeps homes apart that share a database in different schemas.
    key = {"key": int(store.head().identity[:15], 16)}
    with translated(store.engine):
        connection = store.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), key):
                return connection
            holder = connection.scalar(_HOLDER, key)
        except SQLAlchemyError:
            connection.close()
            raise
    connection.close()
    raise _refused(home, str(holder or ""))


def _refused(home: Path, holder: str) -> HomeLockedError:
    who = f" by {holder.removeprefix('slackwater ')}" if holder else ""
    return HomeLockedError(f"the home is being written{who}", where=str(home), hint=_HINT)
