"""A PostgreSQL server for tests: one that is given, else a private one for this process.

`SLACKWATER_TEST_POSTGRES` is the URL of a server whose user may create databases. Without it a
server is started from the programs found on the machine, reachable by a socket in a folder of
its own and by nothing else. It refuses to run as root: then `postgres` or `nobody` runs it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, create_engine, make_url, text

GIVEN = "SLACKWATER_TEST_POSTGRES"
SECONDS = 60


@dataclass(frozen=True, slots=True)
class PostgresPrograms:
    """The server's programs, and the user to run them if it must not be ours."""

    folder: Path
    user: str | None

    def run(self, folder: Path, program: str, *arguments: str) -> None:
        """Run one program to its end; its output is part of the error if it fails."""
        # A file, as the server that pg_ctl leaves behind would keep a pipe open.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [str(self.folder / program), *arguments],
                cwd=folder,
                user=self.user,
                group=None if self.user is None else pwd.getpwnam(self.user).pw_gid,
                extra_groups=None if self.user is None else [],
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            )
            output.seek(0)
            assert done.returncode == 0, output.read()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[URL]:
    """The server's URL, to create databases with."""
    given = os.environ.get(GIVEN)
    if given:
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    programs = _find_programs()
    if isinstance(programs, str):
        pytest.skip(f"no PostgreSQL server: {programs}, and {GIVEN} is not set")
    folder = Path(tempfile.mkdtemp(prefix="slackwater-pg-"))
    if programs.user is not None:
        shutil.chown(folder, programs.user)
    try:
        yield from _serve(programs, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_address(postgres_server: URL) -> Iterator[str]:
    """The URL of an empty database."""
    name = f"slackwater_{uuid4().hex}"
    server = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield postgres_server.set(database=name).render_as_string(hide_password=False)
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.dispose()


def _serve(programs: PostgresPrograms, folder: Path) -> Iterator[URL]:
    data = str(folder / "data")
    # Nobody pulls the plug on a test: fsync would only make it slow.
    options = f"-c listen_addresses= -c fsync=off -k {folder}"
    programs.run(folder, "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
    log = str(folder / "log")
    programs.run(folder, "pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options)
    try:
        yield URL.create(
            "postgresql+psycopg",
            username="postgres",
            database="postgres",
            query={"host": str(folder)},
        )
    finally:
        programs.run(folder, "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate")


def _find_programs() -> PostgresPrograms | str:
    """The newest server on this machine, or why there is none to run."""
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    newest_first = sorted(installed, key=lambda folder: folder.parent.name, reverse=True)
    found = [Path(path).resolve().parent] if (path := shutil.which("initdb")) else newest_first
    folder = next((each for each in found if (each / "pg_ctl").exists()), None)
    if folder is None:
        return "initdb and pg_ctl are neither on the PATH nor in /usr/lib/postgresql/*/bin"
    if os.geteuid() != 0:
        return PostgresPrograms(folder, None)
    user = next((name for name in ("postgres", "nobody") if _exists(name)), None)
    return PostgresPrograms(folder, user) if user else "it refuses to run as root"


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
