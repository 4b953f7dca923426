"""Reads the metadata: rows into records, all within a transaction of the caller."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, or_, select

from slackwater.state.metadata import schema
from slackwater.state.metadata.records import (
    ArrangementRecord,
    BatchRecord,
    CatalogState,
    Commit,
    RunRecord,
    SegmentRecord,
    SourceRecord,
    ViewRecord,
)
from slackwater.state.segments import SegmentFile

Key = TypeVar("Key")
Value = TypeVar("Value")
if TYPE_CHECKING:
    AnyRow = Row[*tuple[Any, ...]]

SEGMENTS = select(
    schema.segments.c.number,
    schema.arrangements.c.id,
    schema.segments.c.path,
    schema.segments.c.row_count,
    schema.segments.c.byte_count,
    schema.segments.c.first_hash,
    schema.segments.c.last_hash,
    schema.segments.c.negative,
    schema.segments.c.heavy,
    schema.segments.c.level,
    schema.segments.c.source_offset,
    schema.segments.c.created,
    schema.segments.c.removed,
).join(schema.arrangements, schema.arrangements.c.number == schema.segments.c.arrangement)


@dataclass(frozen=True, slots=True)
class Head:
    """Where the home stands: whose it is, its newest commit and the oldest that can be read."""

    identity: str
    claimed: bool
    version: int
    retained_from: int


def read_head(connection: Connection) -> Head:
    """The one row of the head."""
    table = schema.head.c
    columns = (table.identity, table.claimed, table.version, table.retained_from)
    return Head(*connection.execute(select(*columns)).one())


def read_state(connection: Connection, commit: int, *, newest: bool) -> CatalogState:
    """Everything live at `commit`; for the `newest` one no ended row is touched."""
    read = _Facts(connection, commit, newest)
    arrangements = read.arrangements()
    return CatalogState(
        commit=commit,
        sources=read.sources(),
        views=read.views(),
        arrangements=arrangements,
        segments=read.segments(arrangements),
        progress=read.progress(),
        offsets=read.offsets(),
    )


class _Facts:
    """The tables of facts, as they were at one commit."""

    def __init__(self, connection: Connection, commit: int, newest: bool):
        self._connection = connection
        self._commit = commit
        self._newest = newest

    def sources(self) -> Mapping[str, SourceRecord]:
        table = schema.sources.c
        columns = select(table.name, table.definition, table.arrangement, table.created)
        rows = self._live(columns, schema.sources)
        return _frozen((row[0], SourceRecord(*row)) for row in rows)

    def views(self) -> Mapping[str, ViewRecord]:
        table = schema.views.c
        columns = select(table.name, table.definition, table.arrangement, table.created)
        rows = self._live(columns, schema.views)
        return _frozen((row[0], ViewRecord(*row)) for row in rows)

    def arrangements(self) -> Mapping[str, ArrangementRecord]:
        table = schema.arrangements.c
        rows = self._live(select(table.id, table.definition, table.created), schema.arrangements)
        return _frozen((row[0], ArrangementRecord(*row)) for row in rows)

    def segments(self, arrangements: Iterable[str]) -> Mapping[str, tuple[SegmentRecord, ...]]:
        found: dict[str, list[SegmentRecord]] = defaultdict(list)
        for row in self._live(SEGMENTS, schema.segments):
            # What a later commit removed is whole here: a state never changes.
            found[row[1]].append(replace(segment_record(row), removed=None))
        return _frozen((name, tuple(found[name])) for name in arrangements)

    def progress(self) -> Mapping[tuple[str, str], int]:
        table = schema.progress.c
        rows = self._live(select(table.view, table.source, table.source_offset), schema.progress)
        return _frozen(((view, source), offset) for view, source, offset in rows)

    def offsets(self) -> Mapping[str, int]:
        table = schema.source_offsets.c
        rows = self._live(select(table.source, table.source_offset), schema.source_offsets)
        return _frozen((source, offset) for source, offset in rows)

    def _live(self, columns: Select[*tuple[Any, ...]], table: Table) -> Iterable[AnyRow]:
        condition = live_at(table, None if self._newest else self._commit)
        return self._connection.execute(columns.where(condition).order_by(table.c.number))


def live_at(table: Table, commit: int | None) -> ColumnElement[bool]:
    """The rows that live at a commit; None is the newest."""
    if commit is None:
        return table.c.removed.is_(None)
    return (table.c.created <= commit) & or_(table.c.removed.is_(None), table.c.removed > commit)


def segment_record(row: AnyRow) -> SegmentRecord:
    """A row of `SEGMENTS` as a record."""
    number, arrangement, *file, level, offset, created, removed = row
    return SegmentRecord(number, arrangement, SegmentFile(*file), level, offset, created, removed)


def read_commits(connection: Connection, after: int) -> tuple[Commit, ...]:
    """The commits later than `after`, oldest first."""
    table = schema.commits.c
    query = select(table.version, table.kind, table.committed_at)
    rows = connection.execute(query.where(table.version > after).order_by(table.version))
    return tuple(Commit(*row) for row in rows)


def read_history(connection: Connection, view: str | None, limit: int) -> tuple[RunRecord, ...]:
    """What runs did, newest first."""
    table = schema.runs.c
    query = select(
        table.commit_version,
        table.view,
        table.action,
        table.reason,
        table.details,
        table.started_at,
        table.seconds,
    )
    if view is not None:
        query = query.where(table.view == view)
    rows = connection.execute(query.order_by(table.number.desc()).limit(limit))
    return tuple(RunRecord(*row) for row in rows)


def read_batches(connection: Connection, source: str, after: int) -> tuple[BatchRecord, ...]:
    """The batches of a live source with offsets above `after`, in order."""
    table, sources = schema.batches.c, schema.sources.c
    query = (
        select(
            table.source,
            table.source_offset,
            table.commit_version,
            table.inserted,
            table.deleted,
            table.byte_count,
        )
        .join(schema.sources, (sources.name == table.source) & sources.removed.is_(None))
        .where(table.source == source, table.source_offset > after)
        # An earlier source of the same name is not this source.
        .where(table.commit_version >= sources.created)
        .order_by(table.source_offset)
    )
    return tuple(BatchRecord(*row) for row in connection.execute(query))


def _frozen(pairs: Iterable[tuple[Key, Value]]) -> Mapping[Key, Value]:
    return MappingProxyType(dict(pairs))
