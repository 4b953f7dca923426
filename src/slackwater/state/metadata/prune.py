"""Forgets the past: what no retained commit needs leaves the tables, so that they stay small."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, func, select, update

from slackwater.state.metadata import schema


def commit_at(connection: Connection, moment: int | datetime) -> int | None:
    """The commit that was the newest at a moment; None if it is no longer known."""
    if isinstance(moment, int):
        return moment
    table = schema.commits.c
    newest: int | None = connection.scalar(
        select(func.max(table.version)).where(table.committed_at <= moment)
    )
    return newest


def forget_commits(connection: Connection, floor: int) -> None:
    """Make `floor` the oldest commit that can be read; segments wait for their files to go."""
    connection.execute(update(schema.head).values(retained_from=floor))
    connection.execute(delete(schema.commits).where(schema.commits.c.version < floor))
    for table in (
        schema.sources,
        schema.views,
        schema.plans,
        schema.progress,
        schema.source_offsets,
        schema.goals,
        schema.pinned_settings,
        schema.lossy_sources,
        schema.filled_views,
        schema.outgrown_sums,
    ):
        connection.execute(delete(table).where(_ended(table, floor)))
    _forget_batches(connection, floor)
    forget_arrangements(connection, floor)


def forget_arrangements(connection: Connection, floor: int) -> None:
    """Forget the ended arrangements all of whose segments are forgotten."""
    table = schema.arrangements
    used = exists().where(schema.segments.c.arrangement == table.c.number)
    connection.execute(delete(table).where(_ended(table, floor), ~used))


def forget_runs(connection: Connection, before: int | datetime) -> None:
    """Forget history rows of runs made before a commit, or started before a moment."""
    table = schema.runs.c
    column: Any = table.commit_version if isinstance(before, int) else table.started_at
    connection.execute(delete(schema.runs).where(column < before))
    if isinstance(before, int):
        old = schema.observations.c.commit_version < before
        connection.execute(delete(schema.observations).where(old))


def _forget_batches(connection: Connection, floor: int) -> None:
    """Forget batches older than `floor`, but none that a view has still to consume."""
    batch, progress = schema.batches.c, schema.progress.c
    waiting = exists().where(
        progress.removed.is_(None),
        progress.source == batch.source,
        progress.source_offset < batch.source_offset,
    )
    connection.execute(delete(schema.batches).where(batch.commit_version < floor, ~waiting))


def _ended(table: Table, floor: int) -> Any:
    return table.c.removed <= floor
