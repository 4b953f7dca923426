"""The frames of a run as lazy DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import assert_never

from pyspark.sql import DataFrame, SparkSession

from slackwater.compiler.spark_sql import print_step
from slackwater.executors.places import storage_schema
from slackwater.executors.spark.checkpoints import Checkpoints
from slackwater.executors.spark.run_sessions import has_executors
from slackwater.executors.written import RunPlace
from slackwater.frontend.sql.fragments import bind_fragment
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)
from slackwater.spark.printed import run_user_text
from slackwater.state.counters import Ledger, StepLedger
from slackwater.state.frames import (
    COPIES,
    Stored,
    Target,
    gather,
    gather_scanned,
    join_stored,
    look_up,
    look_up_nested,
    snapshot,
    write_segments,
)
from slackwater.state.segments import SegmentFile
from slackwater.types.storage import decode_sql

_ROWS_PER_FILE = 500_000


@dataclass(frozen=True, slots=True)
class Access:
    """How a run reads state: the steps that scan it, and columns, of frames that need not all."""

    scanned: frozenset[str]
    needed: Mapping[str, frozenset[str]]
    user: SparkSession
    """The session that texts of users are written for."""
    ledger: Ledger
    """Takes what workers count."""


@dataclass(frozen=True, slots=True)
class _Care:
    """The frames that are not just handed on."""

    once: frozenset[str]
    """They are computed once only."""
    shuffled: frozenset[str]
    """They go through a shuffle before that."""
    named: frozenset[str]
    """Statements read them by name."""

    @staticmethod
    def of(program: Program, scanned: frozenset[str], *, executors: bool) -> _Care:
        """The care that a program asks for, where some steps scan state."""
        # A gathering scan reads its input twice.
        twice = {each.reads[0] for each in program.steps if each.name in scanned}
        named = (step.reads for step in program.steps if isinstance(step, ComputeStep))
        return _Care(
            program.once | twice,
            program.unstable if executors else frozenset(),
            frozenset(chain.from_iterable(named)),
        )


class SparkFrames:
    """The frames of one run by name."""

    def __init__(self, session: SparkSession, place: RunPlace, program: Program, access: Access):
        """Nothing is made yet."""
        self._session = session
        self._place = place
        self._access = access
        self._care = _Care.of(program, access.scanned, executors=has_executors(session))
        self._frames: dict[str, DataFrame] = {}
        self._views: set[str] = set()
        self._checkpoints = Checkpoints()

    def take(self, step: Step) -> DataFrame | None:
        """Make the step's frame; a step that keeps rows gives its writer instead."""
        frame = self._make(step)
        if isinstance(step, AppendStep):
            return frame
        if step.name in self._care.shuffled:
            # Two executors would each compute a cached frame; what went through a shuffle is
            # computed once, and both read that.
            frame = frame.repartition(self._partitions())
        if step.name in self._care.once:
            frame = self._checkpoints.once(frame)
        self._frames[step.name] = frame
        if step.name in self._care.named:
            frame.createOrReplaceTempView(step.name)
            self._views.add(step.name)
        return None

    def release(self) -> None:
        """Forget views and cached frames of the run."""
        for name in self._views:
            self._session.catalog.dropTempView(name)
        self._checkpoints.release()

    def _make(self, step: Step) -> DataFrame:
        match step:
            case ComputeStep():
                return self._session.sql(print_step(step))
            case SourceChangesStep(source=source):
                return self._source(step, source, self._place.files.pending(source))
            case SourceRowsStep(source=source):
                return _unweighted(self._source(step, source, self._place.files.contents(source)))
            case StateRowsStep(name=name, arrangement=arrangement):
                return snapshot(
                    self._session, self._stored(arrangement), self._access.needed.get(name)
                )
            case LookUpStep(input=name, arrangement=arrangement, nested=nested):
                stored, probe = self._stored(arrangement, step.name), self._frames[name]
                if nested:
                    return look_up_nested(probe, stored)
                if step.name in self._access.scanned:
                    return join_stored(probe, stored)
                return look_up(probe, stored, net=False)
            case GatherStep(input=name, arrangement=arrangement):
                stored, arriving = self._stored(arrangement, step.name), self._frames[name]
                how = gather_scanned if step.name in self._access.scanned else gather
                return how(arriving, stored, partitions=self._partitions())
            case FragmentStep():
                return self._fragment(step)
            case AppendStep():
                return self._writer(step)
            case _:
                assert_never(step)

    def _partitions(self) -> int:
        return int(self._session.conf.get("spark.sql.shuffle.partitions") or 2)

    def _source(self, step: Step, source: str, files: tuple[SegmentFile, ...]) -> DataFrame:
        types = self._place.files.types(source)
        stored = Stored(self._place.home, storage_schema(types), files, self._access.ledger)
        columns = [f"{decode_sql(dtype, f'k{n}')} AS k{n}" for n, dtype in enumerate(types)]
        rows = snapshot(self._session, stored, self._access.needed.get(step.name))
        return rows.selectExpr(*columns, "_w")

    def _stored(self, arrangement: Arrangement, step: str | None = None) -> Stored:
        """The files of an arrangement; with a step, the rows that workers see of it are counted."""
        files = self._place.files.arrangement(arrangement.id)
        ledger = StepLedger(self._access.ledger, step) if step is not None else self._access.ledger
        return Stored(self._place.home, storage_schema(arrangement.types), files, ledger)

    def _fragment(self, step: FragmentStep) -> DataFrame:
        tables = {name: self._frames[frame].toDF(*columns) for name, frame, columns in step.tables}
        fragment = self._place.fragments[step.fragment]
        if fragment.sql is not None:
            found = run_user_text(self._session, self._access.user, fragment.sql, tables)
        else:
            found = bind_fragment(self._session, fragment.plan, tables.__getitem__)
        return found.toDF(*(f"k{n}" for n in range(step.width)))

    def _writer(self, step: AppendStep) -> DataFrame:
        arrangement = step.arrangement
        bits = 0
        if step.fill:
            bits = max(0, (self._place.expected_rows // _ROWS_PER_FILE).bit_length())
        target = Target(f"state/{arrangement.id}", self._place.stem, bits, not step.fill)
        schema = storage_schema(arrangement.types)
        ledger = StepLedger(self._access.ledger, f"+{step.name}")
        return write_segments(
            self._frames[step.input], Stored(self._place.home, schema, (), ledger), target
        )


def _unweighted(frame: DataFrame) -> DataFrame:
    """Each row as often as its weight says."""
    columns = [name for name in frame.columns if name != "_w"]
    return frame.selectExpr(*columns, f"{COPIES} AS copy").drop("copy")
