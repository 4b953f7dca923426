"""Takes the steps of a program on the driver: frames are Arrow tables, state is read in place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import singledispatchmethod
from pathlib import Path
from typing import assert_never

import numpy as np
import pyarrow as pa

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.spark_sql import print_step
from slackwater.errors import DataError
from slackwater.events import Progress, Tell
from slackwater.executors.driver.engine import LocalEngine, arrow_schema
from slackwater.executors.driver.frames import Frames
from slackwater.executors.driver.prepare import Prepared
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.executors.places import Place, arrow_layout
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.observations import Observed
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)
from slackwater.state.columns import HASH, WEIGHT, compact, conform_batch
from slackwater.state.counters import Ledger
from slackwater.state.gather import NEW, OLD, Gather
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES, LookUp, LookUpNested
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.packs import Packs, part_of_pack
from slackwater.state.publish import Publisher
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.sorting import sorted_pieces
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment
from slackwater.types import DataType

_FEW_CHANGES = 10_000


class Common:
    """What the parts of one run have in common."""

    def __init__(self, place: Place, ledger: Ledger | None = None):
        """What is read goes to the ledger, even if the run fails."""
        self.place = place
        self.ledger = ledger
        self.packs = Packs(Path(place.home), place.stem)
        """Segments of a few rows; whoever runs the parts publishes them in the end."""
        self.changes: dict[tuple[str, frozenset[str]], pa.Table] = {}
        """Small changes of sources, by source and columns: they are read once for all parts."""


@dataclass(frozen=True, slots=True)
class LocalResult:
    """What a program wrote, by arrangement."""

    segments: Mapping[str, tuple[SegmentFile, ...]]
    seconds: Mapping[str, float]
    """By kind of work."""
    publisher: Publisher
    """Knows when the files have their names."""
    observed: Mapping[str, Observed]
    """By step: rows in and out, and seconds."""


class LocalRun:
    """One run of a prepared program."""

    def __init__(
        self,
        engine: LocalEngine,
        spark: SparkStatements,
        room: Room,
        common: Common,
    ):
        """Nothing is read yet."""
        self._engine = engine
        self._spark = spark
        self._ledger = common.ledger
        self._place = common.place
        self._packs = common.packs
        self._changes = common.changes
        self._room = room
        self._frames = Frames({}, room)
        self._waiting: dict[str, ComputeStep] = {}
        """Statements that are computed while their rows are written."""
        self._publisher = Publisher()
        self._written: dict[str, tuple[SegmentFile, ...]] = {}
        self._seconds: dict[str, float] = {}
        self._observed: dict[str, Observed] = {}

    def execute(self, prepared: Prepared, tell: Tell) -> LocalResult:
        """Take all steps, telling of each; what fails leaves no file behind."""
        self._frames = Frames(prepared.readers(), self._room)
        try:
            for number, step in enumerate(prepared.steps, start=1):
                work = _kind_of_work(step, prepared)
                tell(Progress(work, number, len(prepared.steps)))
                with self._timed(work, step):
                    self._advance(step, prepared)
        except BaseException:
            self._publisher.settle()
            for file in (file for files in self._written.values() for file in files):
                if part_of_pack(file.path) is None:
                    (Path(self._place.home) / file.path).unlink(missing_ok=True)
            raise
        return LocalResult(self._written, self._seconds, self._publisher, self._observed)

    @contextmanager
    def _timed(self, kind: str, step: Step) -> Iterator[None]:
        """Count the seconds of the block as a kind of work, and as those of a step."""
        started = time.perf_counter()
        yield
        spent = time.perf_counter() - started
        self._seconds[kind] = self._seconds.get(kind, 0.0) + spent
        self._observe(step, spent)

    def _observe(self, step: Step, seconds: float) -> None:
        """Note the rows of a step; those of streamed statements are counted with their writing."""
        if step.name in self._waiting and not isinstance(step, AppendStep):
            return
        read = sum(self._frames.counts[name] for name in step.reads)
        if isinstance(step, AppendStep):
            made = sum(file.rows for file in self._written[step.arrangement.id])
            self._observed[f"+{step.name}"] = Observed(read, made, seconds)
            if step.input in self._waiting:
                given = sum(self._frames.counts[name] for name in self._waiting[step.input].reads)
                self._observed[step.input] = Observed(given, read)
        else:
            self._observed[step.name] = Observed(read, self._frames.counts[step.name], seconds)

    def _advance(self, step: Step, prepared: Prepared) -> None:
        if isinstance(step, ComputeStep) and step.name in prepared.streamed:
            self._waiting[step.name] = step
            return
        if isinstance(step, AppendStep):
            self._written[step.arrangement.id] = self._write(step, self._to_write(step, prepared))
            if step.input in self._waiting:
                self._frames.release(self._waiting[step.input])
        elif isinstance(step, ComputeStep):
            self._compute(step, prepared)
        else:
            self._take(step, prepared)
        self._frames.release(step)

    def _compute(self, step: ComputeStep, prepared: Prepared) -> None:
        tables = {name: self._frames[name] for name in step.reads}
        statement = prepared.statements.get(step.name)
        if statement is None:
            found = self._spark.execute(print_step(step), tables, prepared.columns)
            self._frames.put(step.name, found, found.nbytes)
            return
        schema = arrow_schema(statement.columns)
        rows = (conform_batch(batch, schema) for batch in self._engine.stream(statement, tables))
        # A direct statement shares most of its columns with the table it reads.
        self._frames.hold(step.name, rows, schema, shares=statement.direct is not None)

    def _to_write(self, step: AppendStep, prepared: Prepared) -> Iterator[pa.RecordBatch]:
        """The rows for state, computed only now where nothing else reads them."""
        if step.input not in self._waiting:
            return iter(self._frames[step.input].to_batches())
        statement = prepared.statements[step.input]
        tables = {name: self._frames[name] for name in statement.reads}
        return self._frames.counted(step.input, self._engine.stream(statement, tables))

    @singledispatchmethod
    def _take(self, step: Step, _prepared: Prepared) -> None:
        raise NotLocalError(f"{type(step).__name__}")

    @_take.register
    def _(self, step: SourceChangesStep, prepared: Prepared) -> None:
        needed = prepared.needed(step.name)
        known = self._changes.get((step.source, needed))
        if known is not None:
            self._frames.put(step.name, known, 0)
            return
        files = self._place.files
        stored = self._stored(files.types(step.source), files.pending(step.source))
        self._read(step.name, stored, needed)
        found = self._frames[step.name]
        if found.num_rows <= _FEW_CHANGES:
            self._changes[step.source, needed] = found

    @_take.register
    def _(self, step: SourceRowsStep, prepared: Prepared) -> None:
        files = self._place.files
        stored = self._stored(files.types(step.source), files.contents(step.source))
        self._read(step.name, stored, prepared.needed(step.name), expanded=True)

    @_take.register
    def _(self, step: StateRowsStep, prepared: Prepared) -> None:
        needless = step.beside is not None and self._frames.is_empty(step.beside)
        state = (
            self._stored(step.arrangement.types, ()) if needless else self._state(step.arrangement)
        )
        self._read(step.name, state, prepared.needed(step.name))

    @_take.register
    def _(self, step: LookUpStep, _prepared: Prepared) -> None:
        probe, stored = self._frames[step.input], self._state(step.arrangement)
        worker = (
            LookUpNested(stored, self._ledger)
            if step.nested
            else LookUp(stored, net=False, ledger=self._ledger)
        )
        schema = _looked_up(probe.schema, stored.columns, nested=step.nested)
        self._frames.hold(step.name, worker(iter(probe.to_batches())), schema, shares=True)

    @_take.register
    def _(self, step: GatherStep, _prepared: Prepared) -> None:
        stored = self._state(step.arrangement)
        arriving = sorted_pieces(self._frames[step.input].to_batches(), self._room)
        weights = [pa.field(name, pa.int64()) for name in (OLD, NEW)]
        schema = pa.schema([pa.field(HASH, pa.int64()), *stored.columns, *weights])
        rows = Gather(stored, self._ledger)(arriving)
        self._frames.hold(step.name, rows, schema, shares=True)

    def _read(
        self, name: str, stored: StoredRows, needed: frozenset[str], *, expanded: bool = False
    ) -> None:
        """Hold the needed columns of stored rows, and their weights unless they are `expanded`."""
        columns = stored.columns
        kept = tuple(n for n, column in enumerate(columns.names) if column in needed)
        worker = ReadSegments(
            stored, even_ranges(1), net=True, ledger=self._ledger, columns=kept, compact=True
        )
        task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
        wide = pa.schema([*(columns.field(n) for n in kept), pa.field(WEIGHT, pa.int64())])
        schema = compact(wide)
        rows = worker(iter([task]))
        if expanded and kept:
            schema = schema.remove(len(kept))
            rows = (_repeated(batch, once=_counts_once(stored)) for batch in rows)
        elif expanded:
            rows = (_repeated(batch) for batch in rows)
        self._frames.hold(name, rows, schema, shares=True)

    def _state(self, arrangement: Arrangement) -> StoredRows:
        return self._stored(arrangement.types, self._place.files.arrangement(arrangement.id))

    def _stored(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> StoredRows:
        return StoredRows(str(self._place.home), files, arrow_layout(types))

    def _write(self, step: AppendStep, rows: Iterator[pa.RecordBatch]) -> tuple[SegmentFile, ...]:
        worker = WriteSegment(
            str(self._place.home),
            f"state/{step.arrangement.id}",
            self._place.stem,
            arrow_layout(step.arrangement.types),
            ordered=False,
            consolidate=not step.fill,
            room=self._room,
            publisher=self._publisher,
            packs=self._packs,
        )
        try:
            file = worker.write(rows)
        except DataError as problem:
            raise NotLocalError(f"rows that cannot be sorted here: {problem}") from problem
        return () if file is None else (file,)


def _counts_once(stored: StoredRows) -> bool:
    """Whether every row is known to count once, without a look at its weight."""
    return len(stored.files) == 1 and not (stored.files[0].heavy or stored.files[0].negative)


def _repeated(batch: pa.RecordBatch, *, once: bool = False) -> pa.RecordBatch:
    """Each row as often as its weight says; the weight is gone unless there is nothing else."""
    rows = batch.drop_columns([WEIGHT]) if batch.num_columns > 1 else batch
    if once:
        return rows
    counts = batch.column(WEIGHT).to_numpy()
    if (counts == 1).all():
        return rows
    if (counts < 1).any():
        raise NotLocalError("a stored row that counts less than once")
    return rows.take(pa.array(np.repeat(np.arange(rows.num_rows), counts)))


def _looked_up(probe: pa.Schema, stored: pa.Schema, *, nested: bool) -> pa.Schema:
    """The columns of a look-up's result."""
    others = [field for field in probe if field.name != HASH]
    state = [field.with_name(f"s{n}") for n, field in enumerate(stored)]
    state.append(pa.field(MATCH_WEIGHT, pa.int64()))
    if nested:
        element = pa.field("element", pa.struct(state))
        state = [pa.field(MATCHES, pa.list_(element))]
    return pa.schema([*others, *state])


def _kind_of_work(step: Step, prepared: Prepared) -> str:
    match step:
        case ComputeStep(name=name):
            return "statements" if name in prepared.statements else "statements in Spark"
        case LookUpStep() | GatherStep():
            return "look-ups"
        case AppendStep():
            return "writing state"
        case SourceChangesStep() | SourceRowsStep() | StateRowsStep() | FragmentStep():
            return "reading rows"
        case _:
            assert_never(step)
