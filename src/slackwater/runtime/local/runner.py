"""Takes the steps of a program on the driver: frames are Arrow tables, state is read in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatchmethod

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.plan.arrangements import Arrangement
from slackwater.plan.program import (
    AppendStep,
    GatherStep,
    LookUpStep,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    SqlStep,
    StateRowsStep,
    Step,
)
from slackwater.runtime.files import Place, StateFiles, arrow_layout
from slackwater.runtime.local.engine import LocalEngine
from slackwater.runtime.local.spark_statements import SparkStatements
from slackwater.runtime.local.statements import (
    Translated,
    result_types,
    translate_statement,
)
from slackwater.runtime.local.types import Columns, NotLocalError
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.gather import NEW, OLD, Gather
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES, LookUp, LookUpNested
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT, ArrayType, DataType, Field, StructType

_REMEMBERED = 1000
_MOST_BYTES = 2**30
"""A run whose frames grow larger than this together is left to Spark after all."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table that a program starts from, with its types in Spark."""

    columns: Columns
    table: pa.Table


@dataclass(frozen=True, slots=True)
class LocalResult:
    """What a program wrote, by arrangement, and how many stored rows it read.

    `frames` are those that no step of it reads.
    """

    segments: Mapping[str, tuple[SegmentFile, ...]]
    frames: Mapping[str, pa.Table]
    rows_read: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program that can be taken here; `statements` are those that have a translation."""

    steps: tuple[Step, ...]
    statements: Mapping[str, Translated]
    columns: Mapping[str, Columns]

    @property
    def in_order(self) -> tuple[Step, ...]:
        """The steps with all writing last: a program that fails leaves no file behind."""
        return tuple(sorted(self.steps, key=lambda step: isinstance(step, AppendStep)))

    def readers(self) -> dict[str, int]:
        """How many steps read each frame."""
        return Counter(name for step in self.steps for name in step.reads)


def prepare(
    program: Program,
    types: Mapping[str, tuple[DataType, ...]],
    spark: SparkStatements,
    given: Mapping[str, Columns],
) -> Prepared:
    """Translate what can be; raises NotLocalError if the program is better left to Spark."""
    columns: dict[str, Columns] = dict(given)
    statements: dict[str, Translated] = {}
    for step in program.steps:
        match step:
            case SqlStep(name=name, sql=sql, inputs=inputs):
                tables = {each: columns[each] for each in inputs}
                try:
                    found = translate_statement(sql, tables)
                    columns[name] = result_types(found.columns)
                except NotLocalError:
                    columns[name] = spark.columns(sql, tables)
                else:
                    statements[name] = found
            case SourceChangesStep(name=name, source=source):
                columns[name] = {**_numbered("k", types[source]), WEIGHT: BIGINT}
            case SourceRowsStep(name=name, source=source):
                columns[name] = _numbered("k", types[source])
            case StateRowsStep(name=name, arrangement=arrangement):
                columns[name] = {**_numbered("k", arrangement.types), WEIGHT: BIGINT}
            case LookUpStep(name=name, input=read, arrangement=arrangement, nested=nested):
                columns[name] = _looked_up(columns[read], arrangement, nested=nested)
            case GatherStep(name=name, arrangement=arrangement):
                stored = _numbered("k", arrangement.types)
                columns[name] = {HASH: BIGINT, **stored, OLD: BIGINT, NEW: BIGINT}
            case AppendStep():
                pass
            case _:
                raise NotLocalError("a part of a plan that Spark runs whole")
    written = sum(isinstance(step, SqlStep) for step in program.steps)
    if 2 * len(statements) < written:
        raise NotLocalError("a program most of whose statements are Spark's")
    return Prepared(program.steps, statements, columns)


def _looked_up(probe: Columns, arrangement: Arrangement, *, nested: bool) -> Columns:
    others = {name: dtype for name, dtype in probe.items() if name != HASH}
    found = {**_numbered("s", arrangement.types), MATCH_WEIGHT: BIGINT}
    if not nested:
        return {**others, **found}
    row = StructType(tuple(Field(name, dtype) for name, dtype in found.items()))
    return {**others, MATCHES: ArrayType(row)}


def _numbered(prefix: str, types: Iterable[DataType]) -> dict[str, DataType]:
    return {f"{prefix}{n}": dtype for n, dtype in enumerate(types)}


class _Frames:
    """The frames of a run, each as long as a step still reads it, within a bound."""

    def __init__(self, readers: dict[str, int], most_bytes: int):
        """Nothing is held yet."""
        self._tables: dict[str, pa.Table] = {}
        self._readers = readers
        self._room = most_bytes

    def collected(self, batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """All batches, unless there is no room for them."""
        found, size = [], 0
        for batch in batches:
            found.append(batch)
            size += batch.nbytes
            self._require(size)
        return found

    def put(self, name: str, table: pa.Table) -> None:
        """Hold a frame for its readers."""
        self._require(table.nbytes)
        self._room -= table.nbytes
        self._tables[name] = table

    def __getitem__(self, name: str) -> pa.Table:
        return self._tables[name]

    def release(self, step: Step) -> None:
        """Let go of what no step reads after this one."""
        for name in step.reads:
            self._readers[name] -= 1
            if not self._readers[name]:
                self._room += self._tables.pop(name).nbytes

    def left(self) -> dict[str, pa.Table]:
        """What no step has read."""
        return self._tables

    def _require(self, size: int) -> None:
        if size > self._room:
            raise NotLocalError("frames larger than should be in memory here")


class LocalRun:
    """One run of a prepared program."""

    def __init__(self, engine: LocalEngine, spark: SparkStatements, place: Place):
        """Nothing is read yet."""
        self._engine = engine
        self._spark = spark
        self._place = place
        self._frames = _Frames({}, 0)

    def execute(
        self, prepared: Prepared, given: Mapping[str, pa.Table], empty: Collection[str]
    ) -> LocalResult:
        """Compute everything, then write it."""
        self._frames = _Frames(prepared.readers(), _MOST_BYTES)
        for name, table in given.items():
            self._frames.put(name, table)
        rows_read = 0
        written = {}
        for step in prepared.in_order:
            if isinstance(step, AppendStep):
                written[step.arrangement.id] = self._write(step)
            elif isinstance(step, SqlStep):
                self._frames.put(step.name, self._statement(step, prepared))
            else:
                found = self._take(step)
                rows_read += found.num_rows
                self._frames.put(step.name, found)
            if step.name in empty and self._frames[step.name].num_rows:
                raise NotLocalError(f"rows in {step.name}")
            self._frames.release(step)
        return LocalResult(written, self._frames.left(), rows_read)

    def _statement(self, step: SqlStep, prepared: Prepared) -> pa.Table:
        tables = {name: self._frames[name] for name in step.inputs}
        statement = prepared.statements.get(step.name)
        if statement is not None:
            return self._engine.execute(statement, tables)
        return self._spark.execute(step.sql, tables, prepared.columns)

    @singledispatchmethod
    def _take(self, step: Step) -> pa.Table:
        raise NotLocalError(f"{type(step).__name__}")

    @_take.register
    def _(self, step: SourceChangesStep) -> pa.Table:
        files = self._place.files
        return self._read(files.types(step.source), files.pending(step.source))

    @_take.register
    def _(self, step: SourceRowsStep) -> pa.Table:
        files = self._place.files
        rows = self._read(files.types(step.source), files.contents(step.source))
        counts = rows.column(WEIGHT).to_numpy()
        return rows.drop_columns([WEIGHT]).take(np.repeat(np.arange(rows.num_rows), counts))

    @_take.register
    def _(self, step: StateRowsStep) -> pa.Table:
        key = step.arrangement
        return self._read(key.types, self._place.files.arrangement(key.id))

    @_take.register
    def _(self, step: LookUpStep) -> pa.Table:
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
    def _(self, step: GatherStep) -> pa.Table:
        stored = self._stored(step.arrangement)
        arriving = self._frames[step.input].sort_by(HASH)
        found = self._frames.collected(Gather(stored)(iter(arriving.to_batches())))
        if found:
            return pa.Table.from_batches(found)
        weights = [pa.field(name, pa.int64()) for name in (OLD, NEW)]
        return pa.schema([pa.field(HASH, pa.int64()), *stored.columns, *weights]).empty_table()

    def _read(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> pa.Table:
        columns = arrow_layout(types)
        stored = StoredRows(str(self._place.home), files, columns)
        worker = ReadSegments(stored, even_ranges(1), net=True)
        task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
        schema = pa.schema([*columns, pa.field(WEIGHT, pa.int64())])
        return pa.Table.from_batches(self._frames.collected(worker(iter([task]))), schema=schema)

    def _stored(self, arrangement: Arrangement) -> StoredRows:
        files = self._place.files.arrangement(arrangement.id)
        return StoredRows(str(self._place.home), files, arrow_layout(arrangement.types))

    def _write(self, step: AppendStep) -> tuple[SegmentFile, ...]:
        columns = arrow_layout(step.arrangement.types)
        worker = WriteSegment(
            str(self._place.home),
            f"state/{step.arrangement.id}",
            self._place.stem,
            columns,
            ordered=False,
            consolidate=not step.fill,
        )
        rows = [
            row
            for batch in worker(iter(self._frames[step.input].to_batches()))
            for row in batch.to_pylist()
        ]
        for row in rows:
            del row["directory"]
        return tuple(SegmentFile(**row) for row in rows)


class LocalRunner:
    """Runs what it can of programs; remembers which statements it could translate."""

    def __init__(self, session: SparkSession) -> None:
        """The engine starts with the first program; the session is for what it cannot do."""
        self._spark = SparkStatements(session)
        self._engine: LocalEngine | None = None
        self._prepared: dict[Hashable, Prepared | NotLocalError] = {}

    def run(
        self,
        program: Program,
        place: Place,
        given: Mapping[str, Given] | None = None,
        empty: Collection[str] = (),
    ) -> LocalResult:
        """Take all steps; raises NotLocalError, having written nothing, if that is Spark's to do.

        The frames named in `empty` must turn out to have no rows.
        """
        start = given or {}
        prepared = self._prepare(program, place.files, {n: one.columns for n, one in start.items()})
        if isinstance(prepared, NotLocalError):
            raise prepared
        if self._engine is None:
            self._engine = LocalEngine()
        tables = {name: one.table for name, one in start.items()}
        return LocalRun(self._engine, self._spark, place).execute(prepared, tables, empty)

    def close(self) -> None:
        """Release the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _prepare(
        self, program: Program, files: StateFiles, given: Mapping[str, Columns]
    ) -> Prepared | NotLocalError:
        sources = {
            step.source: files.types(step.source)
            for step in program.steps
            if isinstance(step, SourceChangesStep | SourceRowsStep)
        }
        # A source of that name may have been dropped and made anew with other types.
        start = tuple((name, tuple(columns.items())) for name, columns in given.items())
        key = (program.steps, tuple(sources.items()), start)
        if key not in self._prepared:
            if len(self._prepared) >= _REMEMBERED:
                self._prepared.clear()
            try:
                self._prepared[key] = prepare(program, sources, self._spark, given)
            except NotLocalError as problem:
                self._prepared[key] = problem
        return self._prepared[key]
