"""Takes the steps of a program on the driver: frames are Arrow tables, state is read in place."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import singledispatchmethod
from pathlib import Path

import numpy as np
import pyarrow as pa

from slackwater.plan.arrangements import Arrangement
from slackwater.plan.program import (
    AppendStep,
    GatherStep,
    LookUpStep,
    SourceChangesStep,
    SourceRowsStep,
    SqlStep,
    StateRowsStep,
    Step,
)
from slackwater.runtime.files import Place, arrow_layout
from slackwater.runtime.local.engine import LocalEngine
from slackwater.runtime.local.frames import MACHINE_BYTES, Frames
from slackwater.runtime.local.prepare import Prepared
from slackwater.runtime.local.spark_statements import SparkStatements
from slackwater.runtime.local.types import NotLocalError
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.gather import NEW, OLD, Gather
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES, LookUp, LookUpNested
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.writer import WriteSegment
from slackwater.types import DataType

MOST_BYTES = MACHINE_BYTES // 6
"""A run whose frames grow larger than this together is left to Spark after all."""
_MOST_OFFSETS = 2**31
"""A column of text is sorted in one piece, and a piece counts its bytes in 31 bits."""
_MOST_ROWS_TO_SPARK = 1_000_000
"""A statement of Spark's over more rows is better computed there with all that leads to it."""


@dataclass(frozen=True, slots=True)
class LocalResult:
    """What a program wrote, by arrangement, and how many stored rows it read.

    `frames` are those that no step of it reads.
    """

    segments: Mapping[str, tuple[SegmentFile, ...]]
    frames: Mapping[str, pa.Table]
    rows_read: int
    seconds: Mapping[str, float]
    """By kind of work."""


class LocalRun:
    """One run of a prepared program."""

    def __init__(self, engine: LocalEngine, spark: SparkStatements, place: Place):
        """Nothing is read yet."""
        self._engine = engine
        self._spark = spark
        self._place = place
        self._frames = Frames({}, 0)
        self._written: dict[str, tuple[SegmentFile, ...]] = {}
        self._rows_read = 0
        self._seconds: dict[str, float] = {}

    def execute(
        self, prepared: Prepared, given: Mapping[str, pa.Table], empty: Collection[str]
    ) -> LocalResult:
        """Take all steps; what fails leaves no file behind."""
        self._frames = Frames(prepared.readers(), MOST_BYTES)
        for name, table in given.items():
            self._frames.put(name, table, table.nbytes)
        try:
            for step in prepared.steps:
                started = time.perf_counter()
                self._advance(step, prepared)
                kind = _kind_of_work(step, prepared)
                spent = time.perf_counter() - started
                self._seconds[kind] = self._seconds.get(kind, 0.0) + spent
                if step.name in empty and self._frames[step.name].num_rows:
                    raise NotLocalError(f"rows in {step.name}")
        except BaseException:
            for file in (file for files in self._written.values() for file in files):
                (Path(self._place.home) / file.path).unlink(missing_ok=True)
            raise
        return LocalResult(self._written, self._frames.left(), self._rows_read, self._seconds)

    def _advance(self, step: Step, prepared: Prepared) -> None:
        if isinstance(step, AppendStep):
            self._written[step.arrangement.id] = self._write(step)
        elif isinstance(step, SqlStep):
            self._compute(step, prepared)
        else:
            before = pa.total_allocated_bytes()
            found = self._take(step, prepared)
            self._frames.put(step.name, found, pa.total_allocated_bytes() - before)
            self._rows_read += found.num_rows
        self._frames.release(step)

    def _compute(self, step: SqlStep, prepared: Prepared) -> None:
        tables = {name: self._frames[name] for name in step.inputs}
        statement = prepared.statements.get(step.name)
        before = pa.total_allocated_bytes()
        if statement is None:
            if sum(table.num_rows for table in tables.values()) > _MOST_ROWS_TO_SPARK:
                raise NotLocalError(f"{step.name}, which only Spark understands, over many rows")
            found = self._spark.execute(step.sql, tables, prepared.columns)
        else:
            found = self._engine.execute(statement, tables)
        # A direct statement shares most of its columns with the table it reads.
        shares = statement is not None and statement.direct is not None
        size = pa.total_allocated_bytes() - before if shares else found.nbytes
        self._frames.put(step.name, found, size)

    @singledispatchmethod
    def _take(self, step: Step, _prepared: Prepared) -> pa.Table:
        raise NotLocalError(f"{type(step).__name__}")

    @_take.register
    def _(self, step: SourceChangesStep, prepared: Prepared) -> pa.Table:
        files = self._place.files
        needed = prepared.needed(step.name)
        return self._read(files.types(step.source), files.pending(step.source), needed)

    @_take.register
    def _(self, step: SourceRowsStep, prepared: Prepared) -> pa.Table:
        files = self._place.files
        needed = prepared.needed(step.name)
        rows = self._read(files.types(step.source), files.contents(step.source), needed)
        counts = rows.column(WEIGHT).to_numpy()
        if rows.num_columns > 1:
            rows = rows.drop_columns([WEIGHT])
        if (counts == 1).all():
            return rows
        return rows.take(np.repeat(np.arange(rows.num_rows), counts))

    @_take.register
    def _(self, step: StateRowsStep, prepared: Prepared) -> pa.Table:
        key = step.arrangement
        files = self._place.files.arrangement(key.id)
        return self._read(key.types, files, prepared.needed(step.name))

    @_take.register
    def _(self, step: LookUpStep, _prepared: Prepared) -> pa.Table:
        probe, stored = self._frames[step.input], self._stored(step.arrangement)
        worker = LookUpNested(stored) if step.nested else LookUp(stored, net=False)
        found = self._frames.collected(worker(iter(probe.to_batches())))
        if found:
            return pa.Table.from_batches(found)
        nothing = [field for field in probe.schema if field.name != HASH]
        state = [field.with_name(f"s{n}") for n, field in enumerate(stored.columns)]
        state.append(pa.field(MATCH_WEIGHT, pa.int64()))
        if step.nested:
            element = pa.field("element", pa.struct(state))
            state = [pa.field(MATCHES, pa.list_(element))]
        return pa.schema([*nothing, *state]).empty_table()

    @_take.register
    def _(self, step: GatherStep, _prepared: Prepared) -> pa.Table:
        stored = self._stored(step.arrangement)
        arriving = self._frames[step.input].sort_by(HASH)
        found = self._frames.collected(Gather(stored)(iter(arriving.to_batches())))
        if found:
            return pa.Table.from_batches(found)
        weights = [pa.field(name, pa.int64()) for name in (OLD, NEW)]
        return pa.schema([pa.field(HASH, pa.int64()), *stored.columns, *weights]).empty_table()

    def _read(
        self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...], needed: frozenset[str]
    ) -> pa.Table:
        """The needed columns of stored rows, and their weights."""
        columns = arrow_layout(types)
        kept = tuple(n for n, name in enumerate(columns.names) if name in needed)
        stored = StoredRows(str(self._place.home), files, columns)
        worker = ReadSegments(stored, even_ranges(1), net=True, columns=kept)
        task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
        schema = pa.schema([*(columns.field(n) for n in kept), pa.field(WEIGHT, pa.int64())])
        return pa.Table.from_batches(self._frames.collected(worker(iter([task]))), schema=schema)

    def _stored(self, arrangement: Arrangement) -> StoredRows:
        files = self._place.files.arrangement(arrangement.id)
        return StoredRows(str(self._place.home), files, arrow_layout(arrangement.types))

    def _write(self, step: AppendStep) -> tuple[SegmentFile, ...]:
        worker = WriteSegment(
            str(self._place.home),
            f"state/{step.arrangement.id}",
            self._place.stem,
            arrow_layout(step.arrangement.types),
            ordered=False,
            consolidate=not step.fill,
        )
        table = self._frames[step.input]
        if any(column.nbytes > _MOST_OFFSETS for column in table.columns if _has_offsets(column)):
            raise NotLocalError("more text than one sorted piece can hold")
        rows = iter(table.to_batches())
        manifest = [row for batch in worker(rows) for row in batch.to_pylist()]
        for row in manifest:
            del row["directory"]
        return tuple(SegmentFile(**row) for row in manifest)


def _kind_of_work(step: Step, prepared: Prepared) -> str:
    match step:
        case SqlStep(name=name):
            return "statements" if name in prepared.statements else "statements in Spark"
        case LookUpStep() | GatherStep():
            return "look-ups"
        case AppendStep():
            return "writing state"
    return "reading rows"


def _has_offsets(column: pa.ChunkedArray) -> bool:
    kind = column.type
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_nested(kind))
