"""Reads the state at a commit: every fact that is live there.

The newest state is read often and changes little: it is made from the last one that was read
and the segments that came and went since, so that its price follows the change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, or_, select

from slackwater.state.metadata import schema
from slackwater.state.metadata.record_reads import SEGMENTS, live_segment
from slackwater.state.metadata.records import (
    ArrangementRecord,
    CatalogState,
    GoalRecord,
    SegmentRecord,
    SourceRecord,
    ViewRecord,
)

if TYPE_CHECKING:
    from slackwater.state.metadata.record_reads import AnyRow

Key = TypeVar("Key")
Value = TypeVar("Value")
Segments = Mapping[str, Sequence[SegmentRecord]]


def read_old_state(connection: Connection, commit: int) -> CatalogState:
    """Everything that was live at a commit."""
    facts = _Facts(connection, commit)
    return facts.state(commit, facts.segments())


def read_newest_state(
    connection: Connection, commit: int, known: CatalogState | None
) -> CatalogState:
    """Everything live at the newest commit; no ended row is touched.

    `known` is an earlier state; all that ended since must still be in the tables.
    """
    facts = _Facts(connection, None)
    segments = facts.segments() if known is None else facts.segments_after(known)
    return facts.state(commit, segments)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The tables of facts as they were at one commit; None is the newest."""

    connection: Connection
    commit: int | None

    def state(self, commit: int, segments: Segments) -> CatalogState:
        arrangements = self.arrangements()
        return CatalogState(
            commit=commit,
            sources=self.sources(),
            views=self.views(),
            arrangements=arrangements,
            plans=self.plans(),
            segments=_frozen((name, tuple(segments.get(name, ()))) for name in arrangements),
            progress=self.progress(),
            offsets=self.offsets(),
            goals=self.goals(),
            pinned=self.pinned(),
            lossy=self.named(schema.lossy_sources, schema.lossy_sources.c.source),
            filled=self.named(schema.filled_views, schema.filled_views.c.view),
            sums_outgrown=bool(self.named(schema.outgrown_sums, schema.outgrown_sums.c.number)),
        )

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

    def segments(self) -> Segments:
        found: dict[str, list[SegmentRecord]] = defaultdict(list)
        for row in self._live(SEGMENTS, schema.segments):
            found[row[1]].append(live_segment(row))
        return found

    def segments_after(self, known: CatalogState) -> Segments:
        """The newest segments, made from those of an earlier state."""
        table = schema.segments.c
        gone = self.connection.scalars(select(table.number).where(table.removed > known.commit))
        ended = frozenset(gone)
        segments = {name: list(_without(before, ended)) for name, before in known.segments.items()}
        # Numbers follow the order of commits, so the new ones are those above the highest.
        highest = max((each[-1].id for each in known.segments.values() if each), default=0)
        for row in self._live(SEGMENTS.where(table.number > highest), schema.segments):
            segments.setdefault(row[1], []).append(live_segment(row))
        return segments

    def plans(self) -> Mapping[str, str]:
        table = schema.plans.c
        rows = self._live(select(table.view, table.plan), schema.plans)
        return _frozen((view, plan) for view, plan in rows)

    def progress(self) -> Mapping[tuple[str, str], int]:
        table = schema.progress.c
        rows = self._live(select(table.view, table.source, table.source_offset), schema.progress)
        return _frozen(((view, source), offset) for view, source, offset in rows)

    def offsets(self) -> Mapping[str, int]:
        table = schema.source_offsets.c
        rows = self._live(select(table.source, table.source_offset), schema.source_offsets)
        return _frozen((source, offset) for source, offset in rows)

    def goals(self) -> Mapping[str, GoalRecord]:
        table = schema.goals.c
        columns = select(table.view, table.slack, table.final_work, table.fresh)
        return _frozen((row[0], GoalRecord(*row)) for row in self._live(columns, schema.goals))

    def pinned(self) -> Mapping[str, str]:
        table = schema.pinned_settings.c
        rows = self._live(select(table.name, table.value), schema.pinned_settings)
        return _frozen((name, value) for name, value in rows)

    def named(self, table: Table, column: Column[Value]) -> frozenset[Value]:
        """The living values of a column."""
        return frozenset(value for (value,) in self._live(select(column), table))

    def _live(self, columns: Select[*tuple[Any, ...]], table: Table) -> Iterable[AnyRow]:
        query = columns.where(_lives(table, self.commit)).order_by(table.c.number)
        return self.connection.execute(query)


def _lives(table: Table, commit: int | None) -> ColumnElement[bool]:
    if commit is None:
        return table.c.removed.is_(None)
    return (table.c.created <= commit) & or_(table.c.removed.is_(None), table.c.removed > commit)


def _without(segments: tuple[SegmentRecord, ...], ended: frozenset[int]) -> Iterable[SegmentRecord]:
    return (segment for segment in segments if segment.id not in ended) if ended else segments


def _frozen(pairs: Iterable[tuple[Key, Value]]) -> Mapping[Key, Value]:
    return MappingProxyType(dict(pairs))
