"""Reads rows of the metadata as records, within a transaction of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, select

from slackwater.state.metadata import schema
from slackwater.state.metadata.records import (
    BatchRecord,
    Commit,
    ObservationRecord,
    RunRecord,
    SegmentRecord,
)
from slackwater.state.segments import SegmentFile

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
    """The state of the home: its owner, its newest commit and the oldest that can be read."""

    identity: str
    claimed: bool
    version: int
    retained_from: int


def read_head(connection: Connection) -> Head:
    """The one row of the head."""
    table = schema.head.c
    columns = (table.identity, table.claimed, table.version, table.retained_from)
    return Head(*connection.execute(select(*columns)).one())


def segment_record(row: AnyRow) -> SegmentRecord:
    """A row of `SEGMENTS` as a record."""
    number, arrangement, *file, level, offset, created, removed = row
    return SegmentRecord(number, arrangement, SegmentFile(*file), level, offset, created, removed)


def live_segment(row: AnyRow) -> SegmentRecord:
    """A row of `SEGMENTS` as the record of a state where it lives: no later commit changes it."""
    number, arrangement, *file, level, offset, created, _removed = row
    return SegmentRecord(number, arrangement, SegmentFile(*file), level, offset, created, None)


def read_commits(connection: Connection, after: int) -> tuple[Commit, ...]:
    """The commits later than `after`, oldest first."""
    table = schema.commits.c
    query = select(table.version, table.kind, table.committed_at)
    rows = connection.execute(query.where(table.version > after).order_by(table.version))
    return tuple(Commit(*row) for row in rows)


def read_history(connection: Connection, view: str | None, limit: int) -> tuple[RunRecord, ...]:
    """Read what runs did, newest first."""
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


def read_observations(connection: Connection) -> tuple[ObservationRecord, ...]:
    """All observations of steps."""
    table = schema.observations.c
    columns = (table.operator, table.part, table.engine)
    measures = (table.rows_in, table.rows_out, table.seconds)
    rows = connection.execute(select(*columns, *measures))
    return tuple(ObservationRecord(*row) for row in rows)


def read_positions(connection: Connection, source: str) -> Mapping[str, str]:
    """The positions of a connector in a source, by item."""
    table = schema.positions.c
    query = select(table.item, table.value).where(table.source == source).order_by(table.item)
    return MappingProxyType({row.item: row.value for row in connection.execute(query)})
