"""The metadata of one home: what is live, and the commit, the only way to change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Self
from uuid import uuid4

from sqlalchemy import Connection, Engine, collate, delete, insert, select, tuple_, update

from slackwater.errors import CatalogError
from slackwater.faults import reach
from slackwater.state.metadata import prune, reads, schema
from slackwater.state.metadata.engine import noting, open_engine, reading, writing
from slackwater.state.metadata.errors import ConflictError, MetadataError, RetentionError
from slackwater.state.metadata.facts import chunks
from slackwater.state.metadata.migrations import is_current, migrate
from slackwater.state.metadata.reads import Head
from slackwater.state.metadata.records import (
    BatchRecord,
    CatalogState,
    Commit,
    ObservationRecord,
    RunRecord,
    SegmentRecord,
    Transaction,
)
from slackwater.state.metadata.states import read_newest_state, read_old_state
from slackwater.state.metadata.writes import run_row, write_transaction


class MetadataStore:
    """The metadata of one home. Reading needs no lock; one process at a time commits."""

    def __init__(self, engine: Engine):
        """Use an engine whose database has the newest layout; `open` makes sure of that."""
        self._engine = engine
        self._newest: CatalogState | None = None

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

    def head(self) -> Head:
        """Whose home it is, and which commits can be read."""
        with self._reading() as connection:
            return reads.read_head(connection)

    def claim(self) -> None:
        """Remember that a home directory bears our identity."""
        with self._writing() as connection:
            connection.execute(update(schema.head).values(claimed=True))

    def retained_from(self) -> int:
        """The oldest commit that can still be read."""
        return self.head().retained_from

    def state(self, commit: int | None = None) -> CatalogState:
        """Everything live at a commit; without one, at the newest."""
        with self._reading() as connection:
            head = reads.read_head(connection)
            if commit is None or commit == head.version:
                return self._newest_state(connection, head)
            _require_retained(head, commit)
            return read_old_state(connection, commit)

    def _newest_state(self, connection: Connection, head: Head) -> CatalogState:
        known = self._newest
        if known is not None and known.commit == head.version:
            return known
        if known is not None and known.commit < head.retained_from:
            known = None  # What ended since may be forgotten already.
        self._newest = read_newest_state(connection, head.version, known)
        return self._newest

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

    def segments_between(
        self, arrangement: str, after: int, upto: int | None = None
    ) -> tuple[SegmentRecord, ...]:
        """The segments with the changes of the commits in (after, upto], in order.

        They are those of level 0: merged ones hold what is known already. Segments that were
        merged away count as long as their commit is retained.
        """
        table = schema.segments.c
        with self._reading() as connection:
            head = reads.read_head(connection)
            number, created = _live_arrangement(connection, arrangement)
            # All that ever belonged to a younger arrangement is still there.
            _require_retained(head, max(after, created))
            query = reads.SEGMENTS.where(
                table.arrangement == number,
                table.level == 0,
                table.created > after,
                table.created <= (head.version if upto is None else upto),
            )
            rows = connection.execute(query.order_by(table.created, table.number))
            return tuple(reads.segment_record(row) for row in rows)

    def commits(self, after: int = 0) -> tuple[Commit, ...]:
        """The retained commits later than `after`, oldest first."""
        with self._reading() as connection:
            return reads.read_commits(connection, after)

    def batches(self, source: str, after: int = 0) -> tuple[BatchRecord, ...]:
        """The batches of a source with offsets above `after`; old consumed ones are forgotten."""
        with self._reading() as connection:
            return reads.read_batches(connection, source, after)

    def history(self, view: str | None = None, limit: int = 50) -> tuple[RunRecord, ...]:
        """What runs did to a view, or to all, newest first."""
        with self._reading() as connection:
            return reads.read_history(connection, view, limit)

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

    def observations(self) -> tuple[ObservationRecord, ...]:
        """What runs observed of the steps of operators."""
        with self._reading() as connection:
            return reads.read_observations(connection)

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

    def settings(self, prefix: str = "") -> Mapping[str, str]:
        """The settings of the home whose names begin with `prefix`."""
        table = schema.settings.c
        query = select(table.name, table.value).order_by(table.name)
        if prefix:
            # A range, which SQLite finds by its index: most settings are marks of files. Not
            # LIKE: SQLite's takes upper and lower case for the same.
            by_bytes = "C" if self._engine.dialect.name == "postgresql" else "BINARY"
            name = collate(table.name, by_bytes)
            query = query.where(name >= prefix, name < prefix[:-1] + chr(ord(prefix[-1]) + 1))
        with self._reading() as connection:
            return MappingProxyType({row.name: row.value for row in connection.execute(query)})

    def commit_at(self, moment: datetime) -> int:
        """The commit that was the newest at a moment, or the oldest that can still be read."""
        with self._reading() as connection:
            known = prune.commit_at(connection, moment)
            return max(known or 0, reads.read_head(connection).retained_from)

    def prune(self, before: int | datetime, history: int | datetime | None = None) -> int:
        """Forget the commits before a commit or moment; the oldest one still readable.

        `history` is the same for the history of runs, which may reach further back.
        """
        with self._writing() as connection:
            head = reads.read_head(connection)
            wanted = prune.commit_at(connection, before)
            floor = min(max(wanted or 0, head.retained_from), head.version)
            prune.forget_commits(connection, floor)
            prune.forget_runs(connection, floor if history is None else history)
        return floor

    def garbage(self, before: int) -> tuple[SegmentRecord, ...]:
        """The segments removed at or before a commit: reading that or later ones needs none."""
        table = schema.segments.c
        with self._reading() as connection:
            rows = connection.execute(
                reads.SEGMENTS.where(table.removed <= before).order_by(table.number)
            )
            return tuple(reads.segment_record(row) for row in rows)

    def forget(self, ids: Iterable[int]) -> None:
        """Forget segments whose files are gone; those a retained commit needs stay."""
        table = schema.segments.c
        with self._writing() as connection:
            floor = reads.read_head(connection).retained_from
            for chunk in chunks(tuple(ids)):
                unneeded = table.number.in_(chunk) & (table.removed <= floor)
                connection.execute(delete(schema.segments).where(unneeded))
            prune.forget_arrangements(connection, floor)

    def named_paths(self) -> frozenset[str]:
        """The files of all segments, removed ones too until they are forgotten."""
        with self._reading() as connection:
            return frozenset(connection.scalars(select(schema.segments.c.path)))

    def _reading(self) -> AbstractContextManager[Connection]:
        return reading(self._engine)

    def _writing(self) -> AbstractContextManager[Connection]:
        return writing(self._engine)


def _advance(connection: Connection, expected: int) -> None:
    """Claim the next version; the row stays locked until the transaction ends."""
    table = schema.head
    claim = update(table).where(table.c.version == expected).values(version=expected + 1)
    if connection.execute(claim).rowcount != 1:
        found = reads.read_head(connection).version
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


def _require_retained(head: Head, commit: int) -> None:
    if head.retained_from <= commit <= head.version:
        return
    raise RetentionError(
        f"commit {commit} cannot be read",
        hint=f"The commits that can are {head.retained_from} to {head.version}.",
    )


def _live_arrangement(connection: Connection, name: str) -> tuple[int, int]:
    """The row number of an arrangement and the commit that made it."""
    table = schema.arrangements.c
    query = select(table.number, table.created).where(table.id == name, table.removed.is_(None))
    row = connection.execute(query).first()
    if row is None:
        raise CatalogError(f"there is no arrangement {name!r}")
    return row.number, row.created
