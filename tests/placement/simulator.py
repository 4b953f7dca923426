"""Runs programs in one process, whole or placed: partitions one after the other, moves by hand.

Each partition is taken by the very code that runs a program on the driver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Project, Scan
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError, arrow_type
from slackwater.events import tell_nobody
from slackwater.executors.driver.engine import LocalEngine, arrow_schema
from slackwater.executors.driver.frames import Frames
from slackwater.executors.driver.prepare import Prepared, own_suffix, prepare
from slackwater.executors.driver.program_run import Common, LocalRun, _counts_once, _repeated
from slackwater.executors.places import Place
from slackwater.expr.nodes import ColumnId
from slackwater.plan.arrangements import Arrangement, key_hash
from slackwater.plan.placed import Block, Move, PlacedProgram, Reading, Send
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    Program,
    Step,
)
from slackwater.plan.statements import Statement
from slackwater.state.columns import WEIGHT, compact
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT, DataType
from slackwater.types.storage import storage_type

from ..unit.state_rows import canonical

ROOM_BYTES = 64 * 1024 * 1024
Tables = dict[str, pa.Table]


def stored_layout(types: tuple[DataType, ...]) -> pa.Schema:
    """The columns of stored rows, found without a session."""
    return pa.schema([(f"k{n}", arrow_type(storage_type(dtype))) for n, dtype in enumerate(types)])


class NoSpark:
    """Stands where Spark would take what only it understands."""

    def execute(self, *_: object) -> pa.Table:
        raise NotLocalError("a statement of Spark's")


@dataclass
class SimulatedHome:
    """Files of sources and state, and what of them is pending."""

    root: Path
    sources: Mapping[str, Arrangement]
    engine: LocalEngine
    states: dict[str, tuple[SegmentFile, ...]] = field(default_factory=dict)
    kinds: dict[str, tuple[DataType, ...]] = field(default_factory=dict)
    batches: dict[str, list[tuple[SegmentFile, ...]]] = field(default_factory=dict)
    taken: int = 0
    """Batches of every source that were taken in before."""
    runs: int = 0

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        return self.states.get(arrangement_id, ())

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        return tuple(file for files in self.batches[source][self.taken :] for file in files)

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        return tuple(file for files in self.batches[source] for file in files)

    def types(self, source: str) -> tuple[DataType, ...]:
        return self.sources[source].types

    def ingest(self, batches: Mapping[str, pa.Table]) -> None:
        """Add a batch to every source: k0, ..., _w."""
        for name, arrangement in self.sources.items():
            known = self.batches.setdefault(name, [])
            rows = self._hashed(arrangement, batches[name])
            writer = WriteSegment(
                str(self.root),
                f"sources/{name}",
                f"batch{len(known)}",
                stored_layout(arrangement.types),
                ordered=False,
                consolidate=True,
            )
            file = writer.write(iter(rows.to_batches()))
            known.append(() if file is None else (file,))

    def _hashed(self, arrangement: Arrangement, rows: pa.Table) -> pa.Table:
        columns = [Column(ColumnId(n), f"k{n}", dtype) for n, dtype in enumerate(arrangement.types)]
        weight = Column(ColumnId(len(columns)), WEIGHT, BIGINT, False)
        hashed = Output(Column(ColumnId(len(columns) + 1), "_h", BIGINT), key_hash(arrangement.key))
        rel = Project(
            Scan("batch", (*columns, weight)),
            (hashed, *(pass_through(each) for each in (*columns, weight))),
        )
        statement = Statement(rel, ("_h", *(each.name for each in columns), WEIGHT))
        return self.engine.execute(print_duckdb(statement), {"batch": rows})

    def run(self, program: Program) -> None:
        """Take a program whole, as the driver does."""
        self.runs += 1
        common = Common(Place(self.root, f"run{self.runs}", self))
        prepared = prepare(program, {name: each.types for name, each in self.sources.items()})
        run = LocalRun(self.engine, NoSpark(), self._room, common)  # type: ignore[arg-type]
        result = run.execute(prepared, tell_nobody)
        result.publisher.finish()
        common.packs.publish()
        self._keep(program.appends, [result.segments])

    def run_placed(self, placed: PlacedProgram, partitions: int) -> None:
        """Take a placed program, block by block and partition by partition."""
        self.runs += 1
        arrived: list[Tables] = [{} for _ in range(partitions)]
        written: list[Mapping[str, tuple[SegmentFile, ...]]] = []
        for number, block in enumerate(placed.blocks):
            prepared = _prepared(block)
            left: list[Tables] = []
            for partition in range(partitions):
                stem = f"run{self.runs}-{number}-{partition}"
                common = Common(Place(self.root, stem, self))
                run = _PartitionRun(
                    self.engine, self._room, common, placed.readings, (partition, partitions)
                )
                left.append(run.take(block, prepared, arrived[partition]))
                run.publish()
                written.append(run.written)
            arrived = [{} for _ in range(partitions)]
            for send in block.sends:
                assert send.block == number + 1
                for partition, table in enumerate(_moved(send, left, partitions)):
                    assert send.arrives_as not in arrived[partition]
                    arrived[partition][send.arrives_as] = table
        self._keep(placed.program.appends, written)

    def _keep(
        self,
        appends: Iterable[AppendStep],
        written: Sequence[Mapping[str, tuple[SegmentFile, ...]]],
    ) -> None:
        for step in appends:
            name = step.arrangement.id
            files = tuple(file for each in written for file in each.get(name, ()))
            before = () if step.fill else self.states.get(name, ())
            self.states[name] = (*before, *files)
            self.kinds[name] = step.arrangement.types
        self.taken = max(len(each) for each in self.batches.values())

    @property
    def _room(self) -> Room:
        return Room(self.root, ROOM_BYTES)

    def net(self) -> dict[str, Counter[Hashable]]:
        """What every arrangement holds, equal rows added up."""
        return {name: self._net(name) for name in sorted(self.states)}

    def _net(self, name: str) -> Counter[Hashable]:
        stored = StoredRows(str(self.root), self.states[name], stored_layout(self.kinds[name]))
        reader = ReadSegments(stored, even_ranges(1), net=True)
        task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
        found: Counter[Hashable] = Counter()
        for batch in reader(iter([task])):
            for row in batch.to_pylist():
                weight = row.pop(WEIGHT)
                found[tuple(canonical(value) for value in row.values())] += weight
        return Counter({row: weight for row, weight in found.items() if weight})


def _prepared(block: Block) -> Prepared:
    """The translations of a block's statements; what is sent is never only written."""
    statements = {
        step.name: print_duckdb(step.statement, step.parts, own_suffix())
        for step in block.steps
        if isinstance(step, ComputeStep)
    }
    prepared = Prepared(block.steps, statements, {})
    prepared.__dict__["streamed"] = frozenset()
    return prepared


class _PartitionRun(LocalRun):
    """One block in one partition."""

    def __init__(
        self,
        engine: LocalEngine,
        room: Room,
        common: Common,
        readings: Mapping[str, Reading],
        partition: tuple[int, int],
    ) -> None:
        super().__init__(engine, NoSpark(), room, common)  # type: ignore[arg-type]
        self._readings = readings
        self._partition, self._partitions = partition

    @property
    def written(self) -> Mapping[str, tuple[SegmentFile, ...]]:
        return self._written

    def publish(self) -> None:
        self._publisher.finish()
        self._packs.publish()

    def take(self, block: Block, prepared: Prepared, arrived: Tables) -> Tables:
        """Take all steps; the frames that are sent."""
        readers = prepared.readers()
        for send in block.sends:
            readers[send.frame] = readers.get(send.frame, 0) + 1
        self._frames = Frames(readers, self._room)
        for name, table in arrived.items():
            self._frames.put(name, table, table.nbytes)
        for step in block.steps:
            if step.name in block.first and self._partition and not step.is_stored:
                self._leave_out(step, prepared)
            else:
                self._changes.clear()
                self._advance(step, prepared)
        return {send.frame: self._frames[send.frame] for send in block.sends}

    def _leave_out(self, step: Step, prepared: Prepared) -> None:
        """The first partition takes this step: here it has no rows."""
        if isinstance(step, ComputeStep):
            schema = arrow_schema(prepared.statements[step.name].columns)
            self._frames.put(step.name, schema.empty_table(), 0)
            self._frames.release(step)
        elif isinstance(step, AppendStep):
            assert not self._frames[step.input].num_rows
            self._frames.release(step)
        else:
            assert not any(self._frames[name].num_rows for name in step.reads)
            self._advance(step, prepared)

    def _read(
        self, name: str, stored: StoredRows, needed: frozenset[str], *, expanded: bool = False
    ) -> None:
        reading = self._readings[name]
        whole = reading is not Reading.RANGE
        if reading is Reading.FIRST and self._partition:
            stored = StoredRows(stored.root, (), stored.columns)
        ranges = even_ranges(1 if whole else self._partitions)
        columns = stored.columns
        kept = tuple(n for n, column in enumerate(columns.names) if column in needed)
        worker = ReadSegments(stored, ranges, net=True, columns=kept, compact=True)
        number = 0 if whole else self._partition
        task = pa.RecordBatch.from_arrays([pa.array([number], pa.int64())], names=["id"])
        schema = compact(pa.schema([*(columns.field(n) for n in kept), (WEIGHT, pa.int64())]))
        rows = worker(iter([task]))
        if expanded and kept:
            schema = schema.remove(len(kept))
            rows = (_repeated(batch, once=_counts_once(stored)) for batch in rows)
        elif expanded:
            rows = (_repeated(batch) for batch in rows)
        self._frames.hold(name, rows, schema, shares=True)


def _moved(send: Send, left: list[Tables], partitions: int) -> list[pa.Table]:
    """What arrives in each partition."""
    tables = [each[send.frame] for each in left]
    everything = pa.concat_tables(tables)
    match send.move:
        case Move.STAY:
            return tables
        case Move.REPLICATE:
            return [everything] * partitions
        case Move.GATHER:
            return [everything, *([everything.slice(0, 0)] * (partitions - 1))]
        case Move.REPARTITION:
            lows = np.array([low for low, _ in even_ranges(partitions)])
            hashes = everything.column(send.by).to_numpy()
            owners = np.searchsorted(lows, hashes, "right") - 1
            return [everything.filter(pa.array(owners == each)) for each in range(partitions)]


def net_difference(one: Any, other: Any) -> str | None:
    """The first arrangement in which two homes differ, with a few rows; None if none does."""
    for name in sorted({*one, *other}):
        mine, theirs = one.get(name, Counter()), other.get(name, Counter())
        if mine != theirs:
            more = [(row, n, theirs.get(row)) for row, n in mine.items() if theirs.get(row) != n]
            less = [(row, mine.get(row), n) for row, n in theirs.items() if mine.get(row) != n]
            return f"{name}: {more[:4]} / {less[:4]}"
    return None
