"""Runs a program: every step a lazy DataFrame, all state changes written by one Spark job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, assert_never
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.program_cache import ProgramCache
from slackwater.compiler.spark_sql import print_step
from slackwater.events import Progress, Tell, tell_nobody
from slackwater.frontend.sql.fragments import bind_fragment
from slackwater.frontend.sql.planner import Fragment
from slackwater.frontend.sql.sessions import clone_session, exclude_rules
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.costs import Handed, Sizes, find_slowdown, frame_rows, step_seconds
from slackwater.plan.forms import DEFAULT_FORMS, Forms, choose_forms
from slackwater.plan.observations import FACTOR, Observed
from slackwater.plan.prices import DRIVER, SPARK, Rates
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
    merged,
)
from slackwater.runtime.collated import compiling, handles_collations
from slackwater.runtime.files import Place, StateFiles, storage_schema
from slackwater.runtime.local.run import Common, LocalResult
from slackwater.runtime.local.runner import LocalRunner
from slackwater.runtime.local.spark_statements import MOST_ROWS
from slackwater.runtime.metering import Meter
from slackwater.runtime.printed import expect_printed, run_user_text
from slackwater.runtime.session import local_cores
from slackwater.runtime.spark_failures import SPARK_FAILURES, execution_error
from slackwater.state.columns import MAX_BATCH_ROWS
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
_HANDED_ROW = 3e-6
"""Seconds for a row that goes from the driver to a statement of Spark's, or comes back."""


@dataclass(frozen=True, slots=True)
class RunPlace(Place):
    """Where a run reads and writes, and what it should expect."""

    fragments: Mapping[str, Fragment]
    expected_rows: int
    """About how many rows a filled arrangement gets."""
    moved_rows: int
    """About how many rows the run works on: changes, or all rows where it fills."""
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Written:
    """What a run wrote: segment files by arrangement."""

    segments: Mapping[str, tuple[SegmentFile, ...]]
    engine: str = SPARK
    """Where most of it was done."""
    observed: Mapping[str, Observed] = field(default_factory=dict)
    """By step, those that append with a plus before their name."""

    @property
    def files(self) -> tuple[SegmentFile, ...]:
        """All of them."""
        return tuple(file for files in self.segments.values() for file in files)


@dataclass(frozen=True, slots=True)
class Priced:
    """The place that a program is for, and about how long each of its steps takes there."""

    rates: Rates
    seconds: tuple[float, ...]
    slowdown: float = 1.0
    """The factor by which its steps took longer than their prices, as far as that is known."""

    @property
    def total(self) -> float:
        """Seconds of the run."""
        return self.rates.start + sum(self.seconds)

    @property
    def engine(self) -> str:
        """The name of the place."""
        return self.rates.engine


_RUN_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    # Frames of state have no statistics that Spark could know, and it takes them for tiny.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Filters are in the plan already; Spark 4.2 also fails to carry constraints through a UNION
    # above a filter on EXISTS.
    "spark.sql.constraintPropagation.enabled": "false",
    # Each batch of rows to or from a Python worker has a price. Spark bounds their bytes besides.
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(MAX_BATCH_ROWS),
}
_SMALL_RUN_SETTINGS = {
    # Compiling a statement to Java takes longer than a few thousand rows take without it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_IN_MEMORY_SETTINGS = {
    # Spark takes tables in memory for the same if their values are equal, and would read the rows
    # of one for those of the other: -0.0 would become 0.0.
    "spark.sql.exchange.reuse": "false",
}
_SMALL_RUN_ROWS = 20_000
_LOCAL_MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
}
"""The settings that statements translated for the driver are written for."""


class ProgramRunner:
    """Executes programs in sessions of its own, which differ from the user's in how they run."""

    def __init__(
        self,
        spark: SparkSession,
        forms: Forms = DEFAULT_FORMS,
        tell: Tell = tell_nobody,
    ):
        """Clone the session; what decides the meaning of SQL stays as it is there.

        `tell` hears how far a run is.
        """
        self._tell = tell
        meant_alike = all(
            str(spark.conf.get(key)).lower() == value for key, value in _LOCAL_MEANING.items()
        )
        self._most_rows = forms.driver_rows if meant_alike else 0
        self._look_ups = forms.look_ups
        self._driver = forms.prices.driver
        cores = spark.sparkContext.defaultParallelism
        self._spark = forms.prices.spark.with_cores(cores / forms.prices.cores)
        self.session = clone_session(spark)
        exclude_rules(self.session, ("InferFiltersFromConstraints",))
        _configure(self.session, _RUN_SETTINGS)
        expect_printed(self.session)
        self._user = spark
        self.programs = ProgramCache()
        """Programs of earlier runs, which are prepared."""
        self._parts: WeakKeyDictionary[Program, tuple[Program, ...]] = WeakKeyDictionary()
        self._small = clone_session(self.session)
        _configure(self._small, _SMALL_RUN_SETTINGS)
        self._small_compiling = compiling(self._small)
        in_memory = clone_session(self._small)
        _configure(in_memory, _IN_MEMORY_SETTINGS)
        self.local = LocalRunner(in_memory, tell)
        self.room = None if _has_executors(spark) else self.local.room
        """For rows that one task sorts, where tasks are of this machine: no shuffle is needed."""

    @property
    def sessions(self) -> tuple[SparkSession, ...]:
        """All sessions in which statements run."""
        return (self.session, self._small, self._small_compiling, *self.local.sessions)

    def session_for(self, rows: int | None, *, collated: bool) -> SparkSession:
        """The session for work on so many rows; None if nobody knows.

        `collated` says that they may hold texts with a collation.
        """
        if rows is None or rows > _SMALL_RUN_ROWS:
            return self.session
        return self._small_compiling if collated else self._small

    def takes_batch(self, rows: int) -> bool:
        """Whether a batch is hashed and written on the driver."""
        if self._most_rows is not None:
            return rows <= self._most_rows
        here, there = (rates.row + rates.write for rates in (self._driver, self._spark))
        return here * rows <= self._spark.start + self._spark.step + there * rows

    def price(
        self,
        program: Program,
        sizes: Sizes,
        files: StateFiles,
        rows: int,
        slowdown: float = 1.0,
    ) -> Priced:
        """The price of a program that works on so many rows, where it is lower.

        Steps of which nothing is known take `slowdown` times their price.
        """
        if self._most_rows is not None and rows > self._most_rows:
            return self._there(program, sizes, slowdown)
        here = self._price_here(program, sizes, files, slowdown)
        if self._most_rows is not None:
            return here
        there = self._there(program, sizes, max(slowdown, here.slowdown))
        return min((here, there), key=lambda each: each.total)

    def _there(self, program: Program, sizes: Sizes, slowdown: float) -> Priced:
        """The price in Spark, times the factor by which its last runs took longer than that."""
        known = sizes.observed(FACTOR, SPARK)
        factor = slowdown if known is None else known.seconds
        seconds = step_seconds(program, sizes, self._spark)
        return Priced(self._spark, tuple(each * factor for each in seconds), factor)

    def _price_here(
        self, program: Program, sizes: Sizes, files: StateFiles, slowdown: float
    ) -> Priced:
        """The price on the driver, with what it hands to Spark: statements, or whole parts."""
        rows = frame_rows(program, sizes)
        handed: set[str] = set()
        whole: set[str] = set()
        for part in self._parts_of(program):
            left = self.local.left(part, files)
            read = {step.name: sum(rows[name] for name in step.reads) for step in part.steps}
            if left is None or any(read[name] > MOST_ROWS for name in left):
                whole.update(read)
            else:
                handed.update(left)
        fixed = self._spark.start + self._spark.step
        prices = Handed(frozenset(handed), fixed, _HANDED_ROW)
        seconds = step_seconds(program, sizes, self._driver, prices, slowdown)
        found = find_slowdown(program, sizes, self._driver, prices)
        if whole:
            in_spark = self._there(program, sizes, max(slowdown, found)).seconds
            pairs = zip(program.steps, seconds, in_spark, strict=True)
            seconds = [there if step.name in whole else here for step, here, there in pairs]
            seconds[0] += self._spark.start
        return Priced(self._driver, tuple(seconds), found)

    def run(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Take all steps: on the driver where that is possible and cheaper, else in Spark."""
        if self.price(program, place.sizes, place.files, place.moved_rows).rates is self._spark:
            return self._run_in_spark(program, place, meter)
        with meter.phase("on the driver"):
            results, left = self._run_here(program, place, meter)
        segments = {name: files for each in results for name, files in each.segments.items()}
        observed = {name: seen for each in results for name, seen in each.observed.items()}
        if left:
            in_spark = self._run_in_spark(merged(tuple(left)), place, meter)
            segments |= in_spark.segments
            observed |= in_spark.observed
        kept = {name: files for name, files in segments.items() if files}
        return Written(kept, DRIVER if results else SPARK, observed)

    def _run_here(
        self, program: Program, place: RunPlace, meter: Meter
    ) -> tuple[list[LocalResult], list[Program]]:
        """Run the parts that can be run on the driver; all their files have their names then."""
        results: list[LocalResult] = []
        left = []
        common = Common(place, meter.read_here)
        try:
            for part in self._parts_of(program):
                try:
                    results.append(self.local.run(part, common))
                except NotLocalError as problem:
                    left.append(part)
                    meter.leave_to_spark(problem.what.splitlines()[0])
                else:
                    for reason in (self.local.left(part, place.files) or {}).values():
                        meter.leave_to_spark(reason)
        finally:
            for each in results:
                each.publisher.settle()
        common.packs.publish()
        for each in results:
            each.publisher.finish()
            meter.add_parts(each.seconds)
        return results, left

    def _parts_of(self, program: Program) -> tuple[Program, ...]:
        if program not in self._parts:
            self._parts[program] = program.parts()
        return self._parts[program]

    def _run_in_spark(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """One Spark job: the collection of what the writers of all state report."""
        collated = handles_collations(program, place, place.fragments)
        session = self.session_for(place.moved_rows, collated=collated)
        self._tell(Progress(f"planning {len(program.steps)} steps in Spark"))
        with meter.phase("building"):
            access = _Access(
                choose_forms(program, place.sizes, self._spark, self._look_ups),
                self.local.needed(program, place.files),
                self._user,
            )
        frames = _Frames(session, place, program, access, meter.read_in_workers)
        try:
            with meter.phase("building"):
                writers = [writer for step in program.steps if (writer := frames.take(step))]
                if not writers:
                    return Written({})
                reports = _union(writers)
                # Spark would plan only now, with the first row that is asked for.
                reports._jdf.queryExecution().executedPlan()
            self._tell(Progress("running the Spark job"))
            with meter.phase("computing"):
                manifest = reports.collect()
        except SPARK_FAILURES as problem:
            raise execution_error(problem) from problem
        finally:
            frames.release()
        segments: dict[str, list[SegmentFile]] = {}
        for row in manifest:
            values = row.asDict()
            directory = values.pop("directory")
            segments.setdefault(Path(directory).name, []).append(SegmentFile(**values))
        found = {name: tuple(files) for name, files in segments.items()}
        counted = meter.read_in_workers.value.steps
        return Written(found, SPARK, _observed(program, found, counted))


def _observed(
    program: Program,
    written: Mapping[str, tuple[SegmentFile, ...]],
    counted: Mapping[str, tuple[int, int]],
) -> dict[str, Observed]:
    """The rows that workers counted; statements between two of them are not known apart."""
    found: dict[str, Observed] = {}
    for step in program.steps:
        if isinstance(step, AppendStep) and f"+{step.name}" in counted:
            rows_in = counted[f"+{step.name}"][0]
            rows = sum(file.rows for file in written.get(step.name, ()))
            found[f"+{step.name}"] = Observed(rows_in, rows)
        elif step.name in counted:
            found[step.name] = Observed(*counted[step.name])
    return found


def _union(frames: list[DataFrame]) -> DataFrame:
    """All rows of all frames; in pairs, because Spark analyses each union from its root down."""
    while len(frames) > 1:
        pairs = zip(frames[::2], frames[1::2], strict=False)
        odd = frames[-1:] if len(frames) % 2 else []
        frames = [*(left.unionAll(right) for left, right in pairs), *odd]
    return frames[0]


def _configure(session: SparkSession, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        session.conf.set(key, value)


@dataclass(frozen=True, slots=True)
class _Access:
    """How a run reads state: the steps that scan it, and columns, of frames that need not all."""

    scanned: frozenset[str]
    needed: Mapping[str, frozenset[str]]
    user: SparkSession
    """The session that texts of users are written for."""


class _Frames:
    """The frames of one run by name."""

    def __init__(
        self,
        session: SparkSession,
        place: RunPlace,
        program: Program,
        access: _Access,
        ledger: Ledger,
    ):
        self._session = session
        self._place = place
        # A gathering scan reads its input twice.
        twice = {each.reads[0] for each in program.steps if each.name in access.scanned}
        self._once = program.once | twice
        self._unstable = program.unstable if _has_executors(session) else frozenset()
        self._access = access
        self._ledger = ledger
        self._frames: dict[str, DataFrame] = {}
        self._views: set[str] = set()
        self._named = {
            name for step in program.steps if isinstance(step, ComputeStep) for name in step.reads
        }
        self._kept: list[Any] = []
        self._origins: list[DataFrame] = []

    def take(self, step: Step) -> DataFrame | None:
        """Make the step's frame; a step that keeps rows gives its writer instead."""
        frame = self._make(step)
        if isinstance(step, AppendStep):
            return frame
        if step.name in self._unstable:
            # Two executors would each compute a cached frame; what went through a shuffle is
            # computed once, and both read that.
            frame = frame.repartition(self._partitions())
        if step.name in self._once:
            # The first frame owns the counters that its tasks will report to.
            self._origins.append(frame)
            frame = frame.localCheckpoint(eager=False)
            self._kept.append(checkpointed_rdd(frame))
        self._frames[step.name] = frame
        if step.name in self._named:
            frame.createOrReplaceTempView(step.name)
            self._views.add(step.name)
        return None

    def release(self) -> None:
        """Forget views and cached frames of the run."""
        for name in self._views:
            self._session.catalog.dropTempView(name)
        for rdd in self._kept:
            rdd.unpersist(False)

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
        stored = Stored(self._place.home, storage_schema(types), files, self._ledger)
        columns = [f"{decode_sql(dtype, f'k{n}')} AS k{n}" for n, dtype in enumerate(types)]
        rows = snapshot(self._session, stored, self._access.needed.get(step.name))
        return rows.selectExpr(*columns, "_w")

    def _stored(self, arrangement: Arrangement, step: str | None = None) -> Stored:
        """The files of an arrangement; with a step, the rows that workers see of it are counted."""
        files = self._place.files.arrangement(arrangement.id)
        ledger = StepLedger(self._ledger, step) if step is not None else self._ledger
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
        ledger = StepLedger(self._ledger, f"+{step.name}")
        return write_segments(
            self._frames[step.input], Stored(self._place.home, schema, (), ledger), target
        )


def _has_executors(session: SparkSession) -> bool:
    """Whether work is done by more processes than this one's Java."""
    return local_cores(session.sparkContext.master or "local") is None


def _unweighted(frame: DataFrame) -> DataFrame:
    """Each row as often as its weight says."""
    columns = [name for name in frame.columns if name != "_w"]
    return frame.selectExpr(*columns, f"{COPIES} AS copy").drop("copy")


def checkpointed_rdd(frame: DataFrame) -> Any:
    """The cached rows behind a frame that was checkpointed."""
    return frame._jdf.queryExecution().logical().rdd()
