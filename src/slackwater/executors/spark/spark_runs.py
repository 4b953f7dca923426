"""Runs programs in Spark: in blocks what can be, the rest as statements of Spark's."""

from __future__ import annotations

from slackwater.executors.driver.prepared_programs import PreparedPrograms
from slackwater.executors.spark.block_executor import BlockExecutor
from slackwater.executors.spark.spark_executor import SparkExecutor
from slackwater.executors.written import NotHere, RunPlace, Written
from slackwater.plan.prices import SPARK
from slackwater.plan.program import Program, merged
from slackwater.spark.metering import Meter


class SparkRuns:
    """Takes programs in Spark, part by part in the quicker form that it has."""

    def __init__(
        self,
        programs: PreparedPrograms,
        statements: SparkExecutor,
        blocks: BlockExecutor | NotHere,
    ):
        """Without an executor for blocks, the reason why there is none."""
        self._programs = programs
        self._statements = statements
        self._blocks = blocks

    def run(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Take all steps; why some are not taken in blocks goes to the meter."""
        if isinstance(self._blocks, NotHere):
            meter.leave_to_spark(self._blocks.reason)
            return self.run_statements(program, place, meter)
        placement = self._blocks.placements.of(program, place.files)
        for reason in placement.reasons:
            meter.leave_to_spark(reason)
        found = self._blocks.run(placement, place, meter)
        if isinstance(found, NotHere):
            meter.leave_to_spark(found.reason)
            return self.run_statements(program, place, meter)
        for reason in found.failed.values():
            meter.leave_to_spark(reason)
        left = (*placement.left, *(placement.parts[part] for part in found.failed))
        if not left:
            return Written(found.segments, SPARK, found.observed)
        others = self.run_statements(merged(left), place, meter)
        return Written(
            {**found.segments, **others.segments}, SPARK, {**found.observed, **others.observed}
        )

    def run_statements(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Take all steps as statements of Spark's."""
        needed = self._programs.needed(program, place.files)
        return self._statements.run(program, place, meter, needed)
