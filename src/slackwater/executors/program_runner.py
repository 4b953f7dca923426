"""Runs programs: on the driver where that is possible and cheaper, else as a job of Spark."""

from __future__ import annotations

from pyspark.sql import SparkSession

from slackwater.compiler.placement.placement_options import DEFAULT_OPTIONS, PlacementOptions
from slackwater.compiler.program_cache import ProgramCache
from slackwater.events import Tell, tell_nobody
from slackwater.executors.driver.driver_executor import DriverExecutor
from slackwater.executors.driver.program_run import Common, LocalResult
from slackwater.executors.engine_choice import EngineChoice
from slackwater.executors.spark.block_executor import BlockExecutor
from slackwater.executors.spark.block_prices import BlockPrices
from slackwater.executors.spark.partitions import Partitions
from slackwater.executors.spark.placements import Placements
from slackwater.executors.spark.run_sessions import RunSessions, has_executors
from slackwater.executors.spark.spark_executor import SparkExecutor
from slackwater.executors.spark.spark_runs import SparkRuns
from slackwater.executors.written import NotHere, RunPlace, Written
from slackwater.plan.forms import DEFAULT_FORMS, Forms, LookUps
from slackwater.plan.prices import DRIVER, SPARK
from slackwater.plan.program import Program, merged
from slackwater.spark.metering import Meter

_LOCAL_MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
}
"""The settings that statements translated for the driver are written for."""


class ProgramRunner:
    """Executes programs, in sessions of its own."""

    def __init__(self, spark: SparkSession, forms: Forms = DEFAULT_FORMS, tell: Tell = tell_nobody):
        """Clone the session; `tell` hears how far a run is."""
        meant_alike = all(
            str(spark.conf.get(key)).lower() == value for key, value in _LOCAL_MEANING.items()
        )
        cores = spark.sparkContext.defaultParallelism
        rates = forms.prices.spark.with_cores(cores / forms.prices.cores)
        self.run_sessions = RunSessions(spark)
        self.local = DriverExecutor(self.run_sessions.in_memory, tell)
        most_rows = forms.driver_rows if meant_alike else 0
        why = _why_no_blocks(forms, meant_alike=meant_alike)
        # Who insists on partitions wants to see them at work, however few rows there are.
        options = DEFAULT_OPTIONS if forms.partitions is None else PlacementOptions(alone_rows=0)
        placements = Placements(self.run_sessions.in_memory, self.local.programs, options)
        partitions = Partitions(cores, forms.partitions)
        blocks = BlockExecutor(self.run_sessions, placements, partitions, self.local.room, tell)
        prices = BlockPrices(forms.prices, placements, partitions)
        self._spark = SparkRuns(
            self.local.programs,
            SparkExecutor(self.run_sessions, rates, forms.look_ups, tell),
            NotHere(why) if why else blocks,
        )
        self.choice = EngineChoice(
            (forms.prices.driver, rates),
            most_rows,
            self.local.programs,
            None if why else prices,
        )
        self.programs = ProgramCache()
        """Programs of earlier runs, which are prepared."""
        self.room = None if has_executors(spark) else self.local.room
        """For rows that one task sorts, where tasks are of this machine: no shuffle is needed."""

    @property
    def session(self) -> SparkSession:
        """The session of large runs."""
        return self.run_sessions.large

    @property
    def sessions(self) -> tuple[SparkSession, ...]:
        """All sessions in which statements run."""
        return (*self.run_sessions.all, *self.local.sessions)

    def run(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Take all steps: on the driver where that is possible and cheaper, else in Spark."""
        priced = self.choice.price(program, place.sizes, place.files, place.moved_rows)
        meter.told.engine = priced.engine
        if priced.engine == SPARK:
            return self._spark.run(program, place, meter)
        with meter.phase("on the driver"):
            results, left = self._run_here(program, place, meter)
        segments = {name: files for each in results for name, files in each.segments.items()}
        observed = {name: seen for each in results for name, seen in each.observed.items()}
        if left:
            # What the kernel cannot do here it cannot do in tasks.
            in_spark = self._spark.run_statements(merged(tuple(left)), place, meter)
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
            for part in self.local.programs.parts_of(program):
                found = self.local.run(part, common)
                if isinstance(found, NotHere):
                    left.append(part)
                    meter.leave_to_spark(found.reason)
                    continue
                results.append(found)
                reasons = self.local.programs.left(part, place.files) or {}
                for reason in reasons.values():
                    meter.leave_to_spark(reason)
        finally:
            for each in results:
                each.publisher.settle()
        common.packs.publish()
        for each in results:
            each.publisher.finish()
            meter.add_parts(each.seconds)
        return results, left


def _why_no_blocks(forms: Forms, *, meant_alike: bool) -> str | None:
    """Why tasks take no blocks of any program; None if they may."""
    if not meant_alike:
        return "settings under which SQL means something else than in tasks"
    if forms.look_ups is LookUps.SCAN:
        return "look-ups that are to read all state, as only statements of Spark's do"
    return None
