"""A home without Spark: programs run in one process, whole or placed, partition by partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Project, Scan
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.program_run import Tools
from slackwater.executors.spark.shipped_files import TaskPlace
from slackwater.expr.nodes import ColumnId, Expr
from slackwater.plan.arrangements import Arrangement, key_hash
from slackwater.plan.placed import PlacedProgram
from slackwater.plan.program import AppendStep, Program
from slackwater.plan.statements import Statement
from slackwater.state.columns import WEIGHT
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT, DataType

from ..unit.simulated_blocks import SimpleLayouts, take_blocks, take_whole
from ..unit.state_rows import canonical

ROOM_BYTES = 64 * 1024 * 1024


def stored_layout(types: tuple[DataType, ...]) -> pa.Schema:
    """The columns of stored rows, found without a session."""
    return SimpleLayouts()[types]


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

    def key(self, source: str) -> tuple[Expr, ...]:
        return self.sources[source].key

    def run(self, program: Program) -> None:
        """Take a program whole, as the driver does."""
        self._keep(program.appends, take_whole(program, self._types, self._tools, self._place()))

    def run_placed(self, placed: PlacedProgram, partitions: int) -> None:
        """Take a placed program, block by block and partition by partition."""
        written, reports = take_blocks(placed, partitions, self._types, self._tools, self._place())
        for each in reports:
            if each.failed:
                raise NotLocalError("; ".join(each.failed.values()))
        self._keep(placed.program.appends, written)

    @property
    def _types(self) -> dict[str, tuple[DataType, ...]]:
        return {name: each.types for name, each in self.sources.items()}

    @property
    def _tools(self) -> Tools:
        return Tools(self.engine, None, self._room)

    def _place(self) -> TaskPlace:
        self.runs += 1
        return TaskPlace(self.root, f"run{self.runs}", self, SimpleLayouts())

    def _keep(
        self,
        appends: Iterable[AppendStep],
        written: Mapping[str, tuple[SegmentFile, ...]],
    ) -> None:
        for step in appends:
            name = step.arrangement.id
            before = () if step.fill else self.states.get(name, ())
            self.states[name] = (*before, *written.get(name, ()))
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


def net_difference(one: Any, other: Any) -> str | None:
    """The first arrangement in which two homes differ, with a few rows; None if none does."""
    for name in sorted({*one, *other}):
        mine, theirs = one.get(name, Counter()), other.get(name, Counter())
        if mine != theirs:
            more = [(row, n, theirs.get(row)) for row, n in mine.items() if theirs.get(row) != n]
            less = [(row, mine.get(row), n) for row, n in theirs.items() if mine.get(row) != n]
            return f"{name}: {more[:4]} / {less[:4]}"
    return None
