"""Writing the metadata of one home: the commit, and what may be noted or forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from uuid import uuid4

from sqlalchemy import Connection, Engine, delete, insert, select, tuple_, update

from slackwater.faults import reach
from slackwater.state.metadata import prune, record_reads, schema
from slackwater.state.metadata.database import noting, open_engine, reading, writing
from slackwater.state.metadata.errors import ConflictError, MetadataError
from slackwater.state.metadata.fact_writer import chunks
from slackwater.state.metadata.metadata_reader import MetadataReader
from slackwater.state.metadata.migrations import is_current, migrate
from slackwater.state.metadata.records import (
    Commit,
    ObservationRecord,
    RunRecord,
    Transaction,
)
from slackwater.state.metadata.writes import run_row, write_transaction


class MetadataStore(MetadataReader):
    """The metadata of one home, for its one writer as well: the holder of the home's lock."""

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a SQLite file, or a database by its URL, and bring its layout up to date."""
        engine = open_engine(address)
        try:
            with reading(engine) as connection:
                current = is_current(connection)
            if not current:
                with writing(engine) as connection:
                    migrate(connection)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """The store itself, to be closed at the end of the block."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close all connections."""
        self.close()

    @property
    def engine(self) -> Engine:
        """The database connections, for the lock."""
        return self._engine

    def claim(self) -> None:
        """Remember that a home directory bears our identity."""
        with self._writing() as connection:
            connection.execute(update(schema.head).values(claimed=True))

    def commit(self, transaction: Transaction, expected: int) -> Commit:
        """Make all changes or none; refused unless `expected` is the newest commit."""
        token = uuid4().hex
        reach("commit.before")
        try:
            commit = self._commit(transaction, expected, token)
        except ConflictError:
            raise
        except MetadataError:
            # The connection may have broken after the database committed, before we were told.
            landed = self._find_commit(expected + 1, token)
            if landed is None:
                raise
            commit = landed
        reach("commit.after")
        return commit

    def _commit(self, transaction: Transaction, expected: int, token: str) -> Commit:
        with self._writing() as connection:
            _advance(connection, expected)
            commit = Commit(expected + 1, transaction.kind, _now(connection))
            row = {"version": commit.version, "kind": commit.kind, "committed_at": commit.time}
            connection.execute(insert(schema.commits), {**row, "token": token})
            write_transaction(connection, transaction, commit.version)
            reach("commit.inside")
        return commit

    def _find_commit(self, version: int, token: str) -> Commit | None:
        """The commit of this version, if it is the one with our token."""
        table = schema.commits.c
        query = select(table.version, table.kind, table.committed_at)
        try:
            with self._reading() as connection:
                row = connection.execute(
                    query.where(table.version == version, table.token == token)
                ).first()
        except MetadataError as problem:
            raise MetadataError(
                f"the database was lost during commit {version}: whether it was made is not known",
                where=problem.where,
                hint="Open the home again: the newest commit is then either this one or the last.",
            ) from problem
        return None if row is None else Commit(*row)

    def note_runs(self, commit: int, details: Mapping[str, tuple[str, float]]) -> None:
        """Replace the details and seconds of the runs of a commit, by view.

        What is noted may be lost if the machine fails soon after; the commit itself may not.
        """
        table = schema.runs
        with noting(self._engine) as connection:
            for view, (text, seconds) in details.items():
                of_run = (table.c.commit_version == commit) & (table.c.view == view)
                connection.execute(
                    update(table).where(of_run).values(details=text, seconds=seconds)
                )

    def note_observations(self, commit: int, made: Sequence[ObservationRecord]) -> None:
        """Replace what is known of some steps; it may be lost if the machine fails soon after."""
        if not made:
            return
        table = schema.observations
        keys = [(each.operator, each.part, each.engine) for each in made]
        rows = [{**asdict(each), "commit_version": commit} for each in made]
        with noting(self._engine) as connection:
            for chunk in chunks(keys):
                known = tuple_(table.c.operator, table.c.part, table.c.engine).in_(chunk)
                connection.execute(delete(table).where(known))
            connection.execute(insert(table), rows)

    def note_failed(self, runs: Sequence[RunRecord]) -> None:
        """Add to the history, under the newest commit, what a run that came to nothing was about.

        Of several failures after one commit the last stays, so that trying again leaves no pile.
        """
        if not runs:
            return
        version, table = self.head().version, schema.runs.c
        told = (table.commit_version == version) & (table.action == runs[0].action)
        with noting(self._engine) as connection:
            connection.execute(delete(schema.runs).where(told))
            connection.execute(insert(schema.runs), [run_row(each, version) for each in runs])

    def prune(self, before: int | datetime, history: int | datetime | None = None) -> int:
        """Forget the commits before a commit or moment; the oldest one still readable.

        `history` is the same for the history of runs, which may reach further back.
        """
        with self._writing() as connection:
            head = record_reads.read_head(connection)
            wanted = prune.commit_at(connection, before)
            floor = min(max(wanted or 0, head.retained_from), head.version)
            prune.forget_commits(connection, floor)
            prune.forget_runs(connection, floor if history is None else history)
        return floor

    def forget(self, ids: Iterable[int]) -> None:
        """Forget segments whose files are gone; those a retained commit needs stay."""
        table = schema.segments.c
        with self._writing() as connection:
            floor = record_reads.read_head(connection).retained_from
            for chunk in chunks(tuple(ids)):
                unneeded = table.number.in_(chunk) & (table.removed <= floor)
                connection.execute(delete(schema.segments).where(unneeded))
            prune.forget_arrangements(connection, floor)

    def _writing(self) -> AbstractContextManager[Connection]:
        return writing(self._engine)


def _advance(connection: Connection, expected: int) -> None:
    """Claim the next version; the row stays locked until the transaction ends."""
    table = schema.head
    claim = update(table).where(table.c.version == expected).values(version=expected + 1)
    if connection.execute(claim).rowcount != 1:
        found = record_reads.read_head(connection).version
        raise ConflictError(
            f"the commit follows commit {expected}, but the newest is {found}",
            hint="Somebody else committed meanwhile; nothing was changed. Read again and retry.",
        )


def _now(connection: Connection) -> datetime:
    """The time of a new commit: never before the last one's, even if the clock was set back."""
    last = connection.scalar(
        select(schema.commits.c.committed_at).order_by(schema.commits.c.version.desc()).limit(1)
    )
    now = datetime.now(UTC)
    return now if last is None else max(now, last)
