"""Runs placed programs as one Spark job: a stage a block, a task a partition."""

from __future__ import annotations

from pyspark.sql import DataFrame

from slackwater.events import Progress, Tell
from slackwater.executors.spark.block_task import BlockTask
from slackwater.executors.spark.collected import BlockResult, Collected
from slackwater.executors.spark.exchange import COLUMNS, TARGET, Piece
from slackwater.executors.spark.partitions import Partitions
from slackwater.executors.spark.placements import Placement, Placements, Shipped
from slackwater.executors.spark.run_sessions import RunSessions
from slackwater.executors.spark.shipped_files import ShippedFiles
from slackwater.executors.spark.task_report import read_reports
from slackwater.executors.written import NotHere, RunPlace
from slackwater.spark.failures import SPARK_FAILURES, execution_error
from slackwater.spark.metering import Meter
from slackwater.state.spill import Room


class BlockExecutor:
    """Takes placed programs in tasks, by the kernel that takes them on the driver."""

    def __init__(
        self,
        sessions: RunSessions,
        placements: Placements,
        partitions: Partitions,
        room: Room,
        tell: Tell,
    ):
        """Rows that tasks carry home find `room`; `tell` hears how far a run is."""
        self._sessions = sessions
        self.placements = placements
        """What tasks take of programs."""
        self._tell = tell
        self._partitions = partitions
        self._room = room

    def run(self, placement: Placement, place: RunPlace, meter: Meter) -> BlockResult | NotHere:
        """One Spark job; what comes of it, unless the program cannot be placed."""
        program = placement.taken
        if program is None:
            return NotHere("; ".join(placement.reasons))
        partitions = self._partitions.of(program, place.sizes, place.moved_rows)
        with meter.phase("building"):
            shipped = self.placements.shipped(placement, place.sizes, place.files, partitions)
            if isinstance(shipped, NotHere):
                return shipped
            frame = self._job(shipped, partitions, place)
        self._tell(Progress("running the Spark job"))
        try:
            with meter.phase("computing"):
                rows = frame.collect()
        except SPARK_FAILURES as problem:
            raise execution_error(problem) from problem
        reports = read_reports(Piece(*row) for row in rows)
        collected = Collected(reports)
        if partitions > 1:
            meter.note_exchanges(shipped.placed.exchanges, collected.bytes_sent)
        for each in reports:
            meter.read_in_workers.add(each.counters)
            meter.add_task_parts(each.seconds)
        collected.delete_failed(place)
        with meter.phase("collecting"):
            at_once = min(partitions, self._partitions.cores)
            return collected.result(program.appends, place, self._room, at_once)

    def _job(self, shipped: Shipped, partitions: int, place: RunPlace) -> DataFrame:
        """The job as Spark plans it, however many statements there are."""
        session = self._sessions.session_for(0, collated=False)
        files = ShippedFiles.of(shipped.placed.program, place.files)
        count = len(shipped.placed.blocks)
        stages = [range(n, n + 1) for n in range(count)] if partitions > 1 else [range(count)]
        frame = session.range(0, partitions, 1, partitions).toDF(TARGET)
        for number, blocks in enumerate(stages):
            if number:
                frame = frame.repartitionById(partitions, frame[TARGET])
            task = BlockTask(
                shipped.digest,
                shipped.content,
                blocks,
                partitions,
                place.home,
                place.stem,
                files,
            )
            frame = frame.mapInArrow(task, COLUMNS)
        return frame
