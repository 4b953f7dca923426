"""Takes the steps of a program on the driver: frames are Arrow tables, state is read in place."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import singledispatchmethod
from pathlib import Path
from typing import assert_never

import numpy as np
import pyarrow as pa

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.spark_sql import print_step
from slackwater.events import Progress, Tell
from slackwater.executors.driver.engine import LocalEngine, arrow_schema
from slackwater.executors.driver.frames import Frames
from slackwater.executors.driver.prepare import Prepared
from slackwater.executors.driver.run_output import RunOutput
from slackwater.executors.driver.shares import ALL_HASHES, EVERYTHING, Share
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.executors.places import Place
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
from slackwater.state.packs import Packs
from slackwater.state.publish import Publisher
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import Range, ReadSegments
from slackwater.state.sorting import sorted_pieces
from slackwater.state.spill import Room
from slackwater.types import DataType

_FEW_CHANGES = 10_000


class Common:
    """What the parts of one run have in common."""

    def __init__(self, place: Place, ledger: Ledger | None = None, packs: Packs | None = None):
        """What is read goes to the ledger, even if the run fails."""
        self.place = place
        self.ledger = ledger
        self.packs = packs or Packs(Path(place.home), place.stem)
        """Segments of a few rows; whoever runs the parts publishes them in the end."""
        self.changes: dict[tuple[str, frozenset[str], Range | None], pa.Table] = {}
        """Small changes of sources, by source, columns and hashes: read once for all parts."""


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


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of runs in one process, one run at a time."""

    engine: LocalEngine
    spark: SparkStatements | None
    """Runs single statements that only Spark knows; a task has none."""
    room: Room


class LocalRun:
    """One run of a prepared program, or of one partition of a block."""

    def __init__(self, prepared: Prepared, tools: Tools, common: Common, share: Share = EVERYTHING):
        """Nothing is read yet."""
        self._prepared = prepared
        self._tools = tools
        self._common = common
        self._share = share
        self._frames = Frames(prepared.readers(), tools.room)
        self._waiting: dict[str, ComputeStep] = {}
        """Statements that are computed while their rows are written."""
        self._output = RunOutput(common.place, common.packs, tools.room)
        self._observed: dict[str, Observed] = {}

    def give(self, name: str, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> None:
        """Hold rows that came from elsewhere as a frame, before anything is executed."""
        self._frames.hold(name, batches, schema, shares=False)

    def frame(self, name: str) -> pa.Table:
        """A frame that is to be handed on, once everything is executed."""
        return self._frames[name]

    def execute(self, tell: Tell) -> LocalResult:
        """Take all steps, telling of each; what fails leaves no file behind."""
        steps = self._prepared.steps
        seconds: dict[str, float] = {}
        try:
            for number, step in enumerate(steps, start=1):
                work = _kind_of_work(step, self._prepared)
                tell(Progress(work, number, len(steps)))
                started = time.perf_counter()
                self._advance(step)
                spent = time.perf_counter() - started
                seconds[work] = seconds.get(work, 0.0) + spent
                self._observe(step, spent)
        except BaseException:
            self._output.discard()
            raise
        output = self._output
        return LocalResult(output.segments, seconds, output.publisher, self._observed)

    def _observe(self, step: Step, seconds: float) -> None:
        """Note the rows of a step; those of streamed statements are counted with their writing."""
        if step.name in self._waiting and not isinstance(step, AppendStep):
            return
        counts, observed = self._frames.counts, self._observed
        read = sum(counts[name] for name in step.reads)
        if isinstance(step, AppendStep):
            observed[f"+{step.name}"] = Observed(read, self._output.rows(step), seconds)
            if step.input in self._waiting:
                given = sum(counts[name] for name in self._waiting[step.input].reads)
                observed[step.input] = Observed(given, read)
        else:
            observed[step.name] = Observed(read, counts[step.name], seconds)

    def _advance(self, step: Step) -> None:
        if not self._share.takes(step):
            self._skip(step)
        elif isinstance(step, ComputeStep) and step.name in self._prepared.streamed:
            self._waiting[step.name] = step
            return
        elif isinstance(step, AppendStep):
            self._output.write(step, self._to_write(step))
            if step.input in self._waiting:
                self._frames.release(self._waiting[step.input])
        elif isinstance(step, ComputeStep):
            self._compute(step)
        else:
            self._take(step)
        self._frames.release(step)

    def _skip(self, step: Step) -> None:
        """Have no rows of a step that another partition takes."""
        if isinstance(step, AppendStep):
            self._output.write(step, iter(()))
        else:
            schema = arrow_schema(self._prepared.columns[step.name])
            self._frames.put(step.name, schema.empty_table(), 0)

    def _compute(self, step: ComputeStep) -> None:
        tables = {name: self._frames[name] for name in step.reads}
        statement = self._prepared.statements.get(step.name)
        if statement is None:
            columns, spark = self._prepared.columns, self._tools.spark
            if spark is None:
                raise NotLocalError(f"the statement {step.name}")
            found = spark.execute(print_step(step), tables, columns)
            self._frames.put(step.name, found, found.nbytes)
            return
        schema = arrow_schema(statement.columns)
        computed = self._tools.engine.stream(statement, tables)
        rows = (conform_batch(batch, schema) for batch in computed)
        # A direct statement shares most of its columns with the table it reads.
        self._frames.hold(step.name, rows, schema, shares=statement.direct is not None)

    def _to_write(self, step: AppendStep) -> Iterator[pa.RecordBatch]:
        """The rows for state, computed only now where nothing else reads them."""
        if step.input not in self._waiting:
            return iter(self._frames[step.input].to_batches())
        statement = self._prepared.statements[step.input]
        tables = {name: self._frames[name] for name in statement.reads}
        return self._frames.counted(step.input, self._tools.engine.stream(statement, tables))

    @singledispatchmethod
    def _take(self, step: Step) -> None:
        raise NotLocalError(f"{type(step).__name__}")

    @_take.register
    def _(self, step: SourceChangesStep) -> None:
        needed = self._prepared.needed(step.name)
        key = step.source, needed, self._share.hashes(step.name)
        known = self._common.changes.get(key)
        if known is not None:
            self._frames.put(step.name, known, 0)
            return
        files = self._common.place.files
        stored = self._stored(files.types(step.source), files.pending(step.source))
        self._read(step.name, stored, needed)
        found = self._frames[step.name]
        if found.num_rows <= _FEW_CHANGES:
            self._common.changes[key] = found

    @_take.register
    def _(self, step: SourceRowsStep) -> None:
        files = self._common.place.files
        stored = self._stored(files.types(step.source), files.contents(step.source))
        self._read(step.name, stored, self._prepared.needed(step.name), expanded=True)

    @_take.register
    def _(self, step: StateRowsStep) -> None:
        # Elsewhere that frame may have rows, for which a frame that is handed on is needed.
        needless = (
            step.beside is not None
            and step.name not in self._prepared.handed_on
            and self._frames.is_empty(step.beside)
        )
        state = (
            self._stored(step.arrangement.types, ()) if needless else self._state(step.arrangement)
        )
        self._read(step.name, state, self._prepared.needed(step.name))

    @_take.register
    def _(self, step: LookUpStep) -> None:
        probe, stored = self._frames[step.input], self._state(step.arrangement)
        worker = (
            LookUpNested(stored, self._common.ledger)
            if step.nested
            else LookUp(stored, net=False, ledger=self._common.ledger)
        )
        schema = _looked_up(probe.schema, stored.columns, nested=step.nested)
        self._frames.hold(step.name, worker(iter(probe.to_batches())), schema, shares=True)

    @_take.register
    def _(self, step: GatherStep) -> None:
        stored = self._state(step.arrangement)
        arriving = sorted_pieces(self._frames[step.input].to_batches(), self._tools.room)
        weights = [pa.field(name, pa.int64()) for name in (OLD, NEW)]
        schema = pa.schema([pa.field(HASH, pa.int64()), *stored.columns, *weights])
        rows = Gather(stored, self._common.ledger)(arriving)
        self._frames.hold(step.name, rows, schema, shares=True)

    def _read(
        self, name: str, stored: StoredRows, needed: frozenset[str], *, expanded: bool = False
    ) -> None:
        """Hold the needed columns of stored rows, and their weights unless they are `expanded`."""
        hashes = self._share.hashes(name)
        if hashes is None:
            stored, hashes = replace(stored, files=()), ALL_HASHES
        columns = stored.columns
        kept = tuple(n for n, column in enumerate(columns.names) if column in needed)
        worker = ReadSegments(
            stored, (hashes,), net=True, ledger=self._common.ledger, columns=kept, compact=True
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
        return self._stored(arrangement.types, self._common.place.files.arrangement(arrangement.id))

    def _stored(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> StoredRows:
        place = self._common.place
        return StoredRows(str(place.home), files, place.layout(types))


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
