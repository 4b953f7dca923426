"""Reading the metadata of one home: what is live, what happened, what may be deleted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime

from sqlalchemy import Connection, Engine, select

from slackwater.errors import CatalogError
from slackwater.state.metadata import prune, record_reads, schema
from slackwater.state.metadata.database import reading
from slackwater.state.metadata.errors import RetentionError
from slackwater.state.metadata.record_reads import Head
from slackwater.state.metadata.records import (
    BatchRecord,
    CatalogState,
    Commit,
    ObservationRecord,
    RunRecord,
    SegmentRecord,
)
from slackwater.state.metadata.states import read_newest_state, read_old_state


class MetadataReader:
    """The metadata of one home, for reading; that needs no lock."""

    def __init__(self, engine: Engine):
        """Use an engine whose database has the newest layout; `MetadataStore.open` sees to it."""
        self._engine = engine
        self._newest: CatalogState | None = None

    def head(self) -> Head:
        """The home's owner, and the commits that can be read."""
        with self._reading() as connection:
            return record_reads.read_head(connection)

    def retained_from(self) -> int:
        """The oldest commit that can still be read."""
        return self.head().retained_from

    def state(self, commit: int | None = None) -> CatalogState:
        """Everything live at a commit; without one, at the newest."""
        with self._reading() as connection:
            head = record_reads.read_head(connection)
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

    def segments_between(
        self, arrangement: str, after: int, upto: int | None = None
    ) -> tuple[SegmentRecord, ...]:
        """The segments with the changes of the commits in (after, upto], in order.

        They are those of level 0: merged ones hold what is known already. Segments that were
        merged away count as long as their commit is retained.
        """
        table = schema.segments.c
        with self._reading() as connection:
            head = record_reads.read_head(connection)
            number, created = _live_arrangement(connection, arrangement)
            # All that ever belonged to a younger arrangement is still there.
            _require_retained(head, max(after, created))
            query = record_reads.SEGMENTS.where(
                table.arrangement == number,
                table.level == 0,
                table.created > after,
                table.created <= (head.version if upto is None else upto),
            )
            rows = connection.execute(query.order_by(table.created, table.number))
            return tuple(record_reads.segment_record(row) for row in rows)

    def commits(self, after: int = 0) -> tuple[Commit, ...]:
        """The retained commits later than `after`, oldest first."""
        with self._reading() as connection:
            return record_reads.read_commits(connection, after)

    def batches(self, source: str, after: int = 0) -> tuple[BatchRecord, ...]:
        """The batches of a source with offsets above `after`; old consumed ones are forgotten."""
        with self._reading() as connection:
            return record_reads.read_batches(connection, source, after)

    def history(self, view: str | None = None, limit: int = 50) -> tuple[RunRecord, ...]:
        """What runs did to a view, or to all, newest first."""
        with self._reading() as connection:
            return record_reads.read_history(connection, view, limit)

    def positions(self, source: str) -> Mapping[str, str]:
        """The positions of a connector in a source, by item; none of a source that is gone."""
        with self._reading() as connection:
            return record_reads.read_positions(connection, source)

    def observations(self) -> tuple[ObservationRecord, ...]:
        """The observations that runs made of the steps of operators."""
        with self._reading() as connection:
            return record_reads.read_observations(connection)

    def commit_at(self, moment: datetime) -> int:
        """The commit that was the newest at a moment, or the oldest that can still be read."""
        with self._reading() as connection:
            known = prune.commit_at(connection, moment)
            return max(known or 0, record_reads.read_head(connection).retained_from)

    def garbage(self, before: int) -> tuple[SegmentRecord, ...]:
        """The segments removed at or before a commit: reads of it or of later commits need none."""
        table = schema.segments.c
        with self._reading() as connection:
            rows = connection.execute(
                record_reads.SEGMENTS.where(table.removed <= before).order_by(table.number)
            )
            return tuple(record_reads.segment_record(row) for row in rows)

    def named_paths(self) -> frozenset[str]:
        """The files of all segments, removed ones too until they are forgotten."""
        with self._reading() as connection:
            return frozenset(connection.scalars(select(schema.segments.c.path)))

    def _reading(self) -> AbstractContextManager[Connection]:
        return reading(self._engine)


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
