"""Takes the steps of a program on the driver: frames are Arrow tables, state is read in place."""

from __future__ import annotations

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
    Columns,
    Translated,
    result_types,
    translate_statement,
)
from slackwater.runtime.local.types import NotLocalError
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.gather import NEW, OLD, Gather
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES, LookUp, LookUpNested
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT, ArrayType, DataType, Field, StructType

_REMEMBERED = 1000
_MANY_ROWS = 500_000
"""A frame that grows larger than this here is left to Spark after all."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table that a program starts from, with its types in Spark."""

    columns: Columns
    table: pa.Table


@dataclass(frozen=True, slots=True)
class LocalResult:
    """What a program wrote, by arrangement, its frames, and how many stored rows it read."""

    segments: Mapping[str, tuple[SegmentFile, ...]]
    frames: Mapping[str, pa.Table]
    rows_read: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program that can be taken here; `statements` are those that have a translation."""

    steps: tuple[Step, ...]
    statements: Mapping[str, Translated]
    columns: Mapping[str, Columns]


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


def _collected(batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """All batches, unless they hold more rows than should be in memory here."""
    found, rows = [], 0
    for batch in batches:
        found.append(batch)
        rows += batch.num_rows
        if rows > _MANY_ROWS:
            raise NotLocalError(f"more than {_MANY_ROWS} rows")
    return found


class LocalRun:
    """One run of a prepared program."""

    def __init__(
        self,
        engine: LocalEngine,
        spark: SparkStatements,
        place: Place,
        given: Mapping[str, pa.Table],
    ):
        """Nothing is read yet."""
        self._engine = engine
        self._spark = spark
        self._place = place
        self._frames: dict[str, pa.Table] = dict(given)

    def execute(self, prepared: Prepared, empty: Collection[str]) -> LocalResult:
        """Compute everything, then write it: what fails leaves no file behind."""
        rows_read = 0
        for step in prepared.steps:
            if isinstance(step, AppendStep):
                continue
            if isinstance(step, SqlStep):
                found = self._statement(step, prepared)
            else:
                found = self._take(step)
                rows_read += found.num_rows
            if found.num_rows > (0 if step.name in empty else _MANY_ROWS):
                raise NotLocalError(f"{found.num_rows} rows in {step.name}")
            self._frames[step.name] = found
        appends = (step for step in prepared.steps if isinstance(step, AppendStep))
        written = {step.arrangement.id: self._write(step) for step in appends}
        return LocalResult(written, self._frames, rows_read)

    def _statement(self, step: SqlStep, prepared: Prepared) -> pa.Table:
        statement = prepared.statements.get(step.name)
        if statement is not None:
            return self._engine.execute(statement, self._frames)
        tables = {name: self._frames[name] for name in step.inputs}
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
        found = _collected(worker(iter(probe.to_batches())))
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
        found = _collected(Gather(stored)(iter(arriving.to_batches())))
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
        return pa.Table.from_batches(_collected(worker(iter([task]))), schema=schema)

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
        return LocalRun(self._engine, self._spark, place, tables).execute(prepared, empty)

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
