"""Opens the metadata database: SQLite in the home directory, or PostgreSQL by its URL.

SQLite runs in WAL mode with full synchronisation, so that a commit survives a power cut and
readers never wait for the writer. WAL needs a local disk: a home on a shared file system keeps
its metadata in PostgreSQL.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from slackwater.errors import SetupError
from slackwater.state.metadata.errors import MetadataError

_BUSY_MILLISECONDS: Final = 30_000
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)
_PATIENCE: Final = _BUSY_MILLISECONDS / 1000
_WRITES: Final = "slackwater_writes"


def open_engine(address: str | Path) -> Engine:
    """An engine for a SQLite file, `sqlite:///path` or `postgresql://...`; nothing is read yet."""
    is_path = isinstance(address, Path)
    url = URL.create("sqlite", database=str(address)) if is_path else read_address(str(address))
    if url.get_backend_name() == "sqlite":
        return _open_sqlite(url)
    return _open_postgres(url)


def read_address(address: str) -> URL:
    """The address of a database that metadata can be kept in, taken apart."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise _unknown_database() from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise _unknown_database(url.get_backend_name())
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise SetupError("metadata must be kept in a file", hint="Use sqlite:///path/to/file.db.")
    return url


def _unknown_database(name: str | None = None) -> SetupError:
    # The address itself stays out of the message: it may hold a password.
    what = f"metadata cannot be kept in {name}" if name else "the metadata address is not a URL"
    return SetupError(
        what, hint="Use sqlite:///path/to/file.db or postgresql://user@host/database."
    )


def _open_sqlite(url: URL) -> Engine:
    Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # Python's driver would begin transactions by itself, late and never for reads.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        _execute_patiently(connection, pragma)


def _execute_patiently(connection: Any, statement: str) -> None:
    """Run a statement that SQLite, when another process changes the journal, refuses at once."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # A writer asks for the write lock at once: asking later may fail with no way to wait.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _open_postgres(url: URL) -> Engine:
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"application_name": f"slackwater {process_name()}", **_KEEPALIVE},
        )
    except ModuleNotFoundError:
        raise SetupError(
            "the driver for PostgreSQL is not installed",
            hint="Install it: pip install 'slackwater[postgres]'.",
        ) from None


# The server drops a writer whose machine vanished after a minute, and with it its lock.
_KEEPALIVE: Final = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


def process_name() -> str:
    """This process as messages name it."""
    return f"pid {os.getpid()} on {socket.gethostname()}"


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one moment of the database, whatever others commit meanwhile."""
    with translated(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that is durable when the block ends, and never happened if it raises."""
    with translated(engine), engine.connect() as connection:
        connection.execution_options(**{_WRITES: True})
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SET LOCAL synchronous_commit = on"))
            yield connection


@contextmanager
def noting(engine: Engine) -> Iterator[Connection]:
    """A transaction without fsync, for statistics that may be lost."""
    with translated(engine), engine.connect() as connection:
        connection.execution_options(**{_WRITES: True})
        if engine.dialect.name == "postgresql":
            with connection.begin():
                connection.execute(text("SET LOCAL synchronous_commit = off"))
                yield connection
            return
        # Inside a transaction SQLite would not listen.
        driver: Any = connection.connection.dbapi_connection
        driver.execute("PRAGMA synchronous = NORMAL")
        try:
            with connection.begin():
                yield connection
        finally:
            driver.execute("PRAGMA synchronous = FULL")


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Turn the database's own errors into ours, without passwords in the message."""
    try:
        yield
    except SQLAlchemyError as problem:
        cause = getattr(problem, "orig", None) or problem
        raise MetadataError(
            f"the metadata database failed: {str(cause).strip()}",
            where=engine.url.render_as_string(hide_password=True),
            hint="Nothing was changed. Check that the database can be reached and has space.",
        ) from problem
