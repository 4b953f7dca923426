"""Writes one commit: every change of a `Transaction` as rows, inside the caller's transaction.

What a commit drops is ended before what it adds is made, so that one commit can replace a view
by another of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import Column, Connection, Table, delete, select, tuple_

from slackwater.errors import InvariantError
from slackwater.state.metadata import schema
from slackwater.state.metadata.fact_writer import FactWriter, chunks
from slackwater.state.metadata.records import (
    ArrangementRecord,
    BatchRecord,
    GoalRecord,
    NewSegment,
    PositionRecord,
    ProgressRecord,
    RunRecord,
    SourceRecord,
    Transaction,
    ViewRecord,
)


def write_transaction(connection: Connection, transaction: Transaction, version: int) -> None:
    """Make every change of the transaction, as of commit `version`."""
    facts = FactWriter(connection, version)
    _drop(facts, transaction)
    _add_arrangements(facts, transaction.add_arrangements)
    _add_named(facts, schema.sources, transaction.add_sources, "source")
    _add_named(facts, schema.views, transaction.add_views, "view")
    _set_plans(facts, transaction.plans)
    _add_segments(facts, transaction.add_segments)
    _add_batches(facts, transaction.batches)
    _move_on(facts, transaction.progress)
    _record_runs(facts, transaction.runs)
    _state_goals(facts, transaction.goals)
    _pin(facts, transaction.pinned)
    _note_losses(facts, transaction.lossy)
    _note_fills(facts, transaction.filled)
    if transaction.sums_outgrown:
        _note_outgrown_sums(facts)
    _set_positions(facts, transaction.positions)


def _drop(facts: FactWriter, transaction: Transaction) -> None:
    """End what the commit drops, with what depends on it."""
    views, sources = transaction.drop_views, transaction.drop_sources
    facts.require(schema.views.c.name, views, "view")
    facts.require(schema.sources.c.name, sources, "source")
    facts.require(schema.segments.c.number, transaction.remove_segments, "live segment")
    arrangements = facts.arrangement_numbers(transaction.drop_arrangements)
    facts.end(schema.views.c.name, views)
    facts.end(schema.plans.c.view, views)
    facts.end(schema.sources.c.name, sources)
    facts.end(schema.progress.c.view, (*views, *transaction.drop_progress))
    facts.end(schema.progress.c.source, sources)
    facts.end(schema.source_offsets.c.source, sources)
    facts.end(schema.goals.c.view, views)
    facts.end(schema.filled_views.c.view, views)
    facts.end(schema.lossy_sources.c.source, sources)
    for chunk in chunks(sources):
        gone = schema.positions.c.source.in_(chunk)
        facts.connection.execute(delete(schema.positions).where(gone))
    facts.end(schema.segments.c.number, transaction.remove_segments)
    facts.end(schema.segments.c.arrangement, tuple(arrangements.values()))
    facts.end(schema.arrangements.c.number, tuple(arrangements.values()))


def _add_arrangements(facts: FactWriter, added: Sequence[ArrangementRecord]) -> None:
    facts.refuse(schema.arrangements.c.id, [record.id for record in added], "arrangement")
    rows = [{"id": record.id, "definition": record.definition} for record in added]
    facts.add(schema.arrangements, rows)


def _add_named(
    facts: FactWriter, table: Table, added: Sequence[SourceRecord | ViewRecord], what: str
) -> None:
    facts.refuse(table.c.name, [record.name for record in added], what)
    facts.arrangement_numbers([record.arrangement for record in added])
    rows = [
        {
            "name": record.name,
            "definition": record.definition,
            "arrangement": record.arrangement,
        }
        for record in added
    ]
    facts.add(table, rows)


def _set_plans(facts: FactWriter, made: Mapping[str, str]) -> None:
    """Have views be kept by these plans from this commit on."""
    facts.require(schema.views.c.name, tuple(made), "view")
    facts.end(schema.plans.c.view, tuple(made))
    facts.add(schema.plans, [{"view": view, "plan": plan} for view, plan in made.items()])


def _add_segments(facts: FactWriter, added: Sequence[NewSegment]) -> None:
    numbers = facts.arrangement_numbers([segment.arrangement for segment in added])
    _refuse_known_files(facts, [segment.file.path for segment in added])
    rows = [
        {
            "arrangement": numbers[segment.arrangement],
            "path": segment.file.path,
            "row_count": segment.file.rows,
            "byte_count": segment.file.bytes,
            "first_hash": segment.file.first_hash,
            "last_hash": segment.file.last_hash,
            "negative": segment.file.negative,
            "heavy": segment.file.heavy,
            "level": segment.level,
            "source_offset": segment.offset,
        }
        for segment in added
    ]
    facts.add(schema.segments, rows)


def _refuse_known_files(facts: FactWriter, paths: Sequence[str]) -> None:
    """A file belongs to one segment for ever: deleting it for one must not hurt another."""
    path = schema.segments.c.path
    for chunk in chunks(paths):
        known = facts.connection.scalars(select(path).where(path.in_(chunk))).all()
        if known:
            raise InvariantError(f"a segment has the file already: {', '.join(sorted(known))}")


def _add_batches(facts: FactWriter, added: Sequence[BatchRecord]) -> None:
    """Record the batches, and move their sources on to their offsets."""
    facts.require(schema.sources.c.name, [batch.source for batch in added], "source")
    last = _checked_offsets(facts, added)
    rows = [
        {
            "source": batch.source,
            "source_offset": batch.offset,
            "commit_version": facts.version,
            "inserted": batch.inserted,
            "deleted": batch.deleted,
            "byte_count": batch.bytes,
        }
        for batch in added
    ]
    facts.insert(schema.batches, rows)
    facts.end(schema.source_offsets.c.source, tuple(last))
    offsets = [{"source": source, "source_offset": offset} for source, offset in last.items()]
    facts.add(schema.source_offsets, offsets)


def _checked_offsets(facts: FactWriter, added: Sequence[BatchRecord]) -> dict[str, int]:
    """The last offset of each source after these batches; offsets only grow."""
    table = schema.source_offsets.c
    known = facts.look_up(table.source, table.source_offset, [batch.source for batch in added])
    last: dict[str, int] = {}
    for batch in added:
        before = last.get(batch.source, known.get(batch.source))
        if before is not None and batch.offset <= before:
            raise InvariantError(
                f"offset {batch.offset} of source {batch.source!r} does not follow {before}"
            )
        last[batch.source] = batch.offset
    return last


def _move_on(facts: FactWriter, made: Sequence[ProgressRecord]) -> None:
    facts.require(schema.views.c.name, [progress.view for progress in made], "view")
    facts.require(schema.sources.c.name, [progress.source for progress in made], "source")
    moved = {(progress.view, progress.source): progress.offset for progress in made}
    table = schema.progress.c
    for chunk in chunks(tuple(moved)):
        facts.end_where(schema.progress, tuple_(table.view, table.source).in_(chunk))
    rows = [
        {"view": view, "source": source, "source_offset": offset}
        for (view, source), offset in moved.items()
    ]
    facts.add(schema.progress, rows)


def _record_runs(facts: FactWriter, made: Sequence[RunRecord]) -> None:
    facts.insert(schema.runs, [run_row(run, facts.version) for run in made])


def run_row(run: RunRecord, version: int) -> dict[str, object]:
    """A row of the history, under a commit."""
    return {
        "commit_version": version,
        "view": run.view,
        "action": run.action,
        "reason": run.reason,
        "details": run.details,
        "started_at": run.started,
        "seconds": run.seconds,
    }


def _state_goals(facts: FactWriter, added: Sequence[GoalRecord]) -> None:
    facts.require(schema.views.c.name, [goal.view for goal in added], "view")
    facts.refuse(schema.goals.c.view, [goal.view for goal in added], "goal of view")
    facts.add(schema.goals, [asdict(goal) for goal in added])


def _pin(facts: FactWriter, settings: Mapping[str, str]) -> None:
    facts.end(schema.pinned_settings.c.name, tuple(settings))
    rows = [{"name": name, "value": value} for name, value in settings.items()]
    facts.add(schema.pinned_settings, rows)


def _note_losses(facts: FactWriter, sources: Sequence[str]) -> None:
    facts.require(schema.sources.c.name, sources, "source")
    _add_once(facts, schema.lossy_sources.c.source, sources)


def _note_fills(facts: FactWriter, views: Sequence[str]) -> None:
    facts.require(schema.views.c.name, views, "view")
    _add_once(facts, schema.filled_views.c.view, views)


def _add_once(facts: FactWriter, column: Column[str], values: Sequence[str]) -> None:
    """Make facts of the values that have none yet."""
    new = sorted(set(values) - facts.living(column, values))
    facts.add(column.table, [{column.name: value} for value in new])


def _note_outgrown_sums(facts: FactWriter) -> None:
    table = schema.outgrown_sums
    if facts.connection.scalar(select(table.c.number).where(table.c.removed.is_(None))) is None:
        facts.add(table, [{}])


def _set_positions(facts: FactWriter, given: Sequence[PositionRecord]) -> None:
    facts.require(schema.sources.c.name, [each.source for each in given], "source")
    last = {(each.source, each.item): each for each in given}
    table = schema.positions
    for chunk in chunks(tuple(last)):
        known = tuple_(table.c.source, table.c.item).in_(chunk)
        facts.connection.execute(delete(table).where(known))
    facts.insert(table, [asdict(each) for each in last.values()])
