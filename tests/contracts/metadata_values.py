"""Small metadata for tests: short ways to say common commits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from slackwater.state.metadata.records import (
    ArrangementRecord,
    BatchRecord,
    Commit,
    GoalRecord,
    NewSegment,
    ObservationRecord,
    PositionRecord,
    ProgressRecord,
    RunRecord,
    SourceRecord,
    Transaction,
    ViewRecord,
)
from slackwater.state.metadata.store import MetadataStore
from slackwater.state.segments import SegmentFile

GOAL = GoalRecord("revenue", slack="30s")
OBSERVED = ObservationRecord("an operator", "delta", "driver", 3.0, 2.0, 0.5)
MOMENT = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)


def segment_file(name: str, size: int = 100) -> SegmentFile:
    """A segment with hashes at both ends of their range."""
    return SegmentFile(
        path=f"state/{name}.arrow",
        rows=3,
        bytes=size,
        first_hash=-(2**63),
        last_hash=2**63 - 1,
        negative=True,
        heavy=False,
    )


def create_source(name: str = "orders") -> Transaction:
    """A source with its arrangement of the same name."""
    return Transaction(
        "create_source",
        add_arrangements=(ArrangementRecord(name, '{"of": "source"}'),),
        add_sources=(SourceRecord(name, '{"key": []}', name),),
    )


def drop_source(name: str = "orders") -> Transaction:
    """The end of a source and its arrangement."""
    return Transaction("drop_source", drop_sources=(name,), drop_arrangements=(name,))


def create_view(name: str = "revenue", source: str = "orders", offset: int = 0) -> Transaction:
    """A view over a source, with its arrangement of the same name."""
    return Transaction(
        "create_view",
        add_arrangements=(ArrangementRecord(name, '{"of": "view"}'),),
        add_views=(ViewRecord(name, '{"sql": "..."}', name),),
        plans={name: '{"root": "first"}'},
        progress=(ProgressRecord(name, source, offset),),
    )


def ingest(offset: int, source: str = "orders") -> Transaction:
    """One batch of a source, in one segment."""
    added = NewSegment(source, segment_file(f"{source}/{offset}"), offset=offset)
    batch = BatchRecord(source, offset, inserted=2, deleted=1, bytes=100)
    return Transaction("ingest", add_segments=(added,), batches=(batch,))


def in_pack(source: str, offset: int, place: str) -> Transaction:
    """One batch of a source, in a part of a pack."""
    file = replace(segment_file(source), path=f"state/packs/{place}")
    batch = BatchRecord(source, offset, inserted=2, deleted=1, bytes=100)
    added = NewSegment(source, file, offset=offset)
    return Transaction("ingest", add_segments=(added,), batches=(batch,))


def run(offset: int, view: str = "revenue", source: str = "orders") -> Transaction:
    """One run that brings a view to an offset of its source."""
    return Transaction(
        "run",
        add_segments=(NewSegment(view, segment_file(f"{view}/{offset}")),),
        progress=(ProgressRecord(view, source, offset),),
        runs=(RunRecord(0, view, "incremental", "cheaper", '{"rows": 3}', MOMENT, 0.25),),
    )


def compact(store: MetadataStore, arrangement: str, name: str) -> Transaction:
    """All segments of an arrangement merged into one."""
    merged = NewSegment(arrangement, segment_file(f"{arrangement}/{name}"), level=1)
    old = store.state().segments[arrangement]
    removed = tuple(segment.id for segment in old)
    return Transaction("compact", add_segments=(merged,), remove_segments=removed)


def commit(store: MetadataStore, *transactions: Transaction) -> Commit:
    """Commit one transaction after the other; the last commit."""
    for transaction in transactions:
        done = store.commit(transaction, expected=store.state().commit)
    return done


def build_example(store: MetadataStore) -> None:
    """The content of every fixture of an old layout: a bit of everything, some of it past."""
    commit(store, create_source(), create_source("parts"), create_view(), ingest(1), run(1))
    commit(store, ingest(2), run(2))
    store.note_observations(store.head().version, [OBSERVED])
    commit(store, compact(store, "revenue", "merged"), drop_source("parts"))
    store.forget(segment.id for segment in store.garbage(store.prune(5)))
    anew = {"revenue": '{"root": "second"}'}
    known = Transaction(
        "run",
        plans=anew,
        goals=(GOAL,),
        pinned={"zone": "UTC"},
        lossy=("orders",),
        filled=("revenue",),
        sums_outgrown=True,
        positions=(PositionRecord("orders", "a.csv", "1"),),
    )
    commit(store, known)
