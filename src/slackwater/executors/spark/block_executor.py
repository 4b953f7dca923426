"""Runs placed programs as one Spark job: a stage a block, a task a partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import DataFrame

from slackwater.events import Progress, Tell
from slackwater.executors.spark.block_task import BlockTask
from slackwater.executors.spark.exchange import COLUMNS, TARGET, Piece
from slackwater.executors.spark.partitions import Partitions
from slackwater.executors.spark.placements import Placement, Placements, Shipped
from slackwater.executors.spark.run_sessions import RunSessions
from slackwater.executors.spark.shipped_files import ShippedFiles
from slackwater.executors.spark.task_report import TaskReport, read_reports
from slackwater.executors.written import NotHere, RunPlace
from slackwater.plan.observations import Observed
from slackwater.spark.failures import SPARK_FAILURES, execution_error
from slackwater.spark.metering import Meter
from slackwater.state.packs import part_of_pack
from slackwater.state.segments import SegmentFile


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What tasks wrote, by arrangement, and the parts that they could not take."""

    segments: Mapping[str, tuple[SegmentFile, ...]]
    observed: Mapping[str, Observed]
    failed: Mapping[int, str]
    """Why, by the number of the part."""


class BlockExecutor:
    """Takes placed programs in tasks, by the kernel that takes them on the driver."""

    def __init__(
        self, sessions: RunSessions, placements: Placements, partitions: Partitions, tell: Tell
    ):
        """`tell` hears how far a run is."""
        self._sessions = sessions
        self._placements = placements
        self._tell = tell
        self._partitions = partitions

    def run(self, placement: Placement, place: RunPlace, meter: Meter) -> BlockResult | NotHere:
        """One Spark job; what comes of it, unless the program cannot be placed."""
        program = placement.taken
        if program is None:
            return NotHere("; ".join(placement.reasons))
        partitions = self._partitions.of(program, place.sizes, place.moved_rows)
        with meter.phase("building"):
            shipped = self._placements.shipped(placement, place.sizes, place.files, partitions)
            if isinstance(shipped, NotHere):
                return shipped
            frame = self._job(shipped, partitions, place)
        self._tell(Progress(f"running {len(shipped.placed.blocks)} blocks in Spark"))
        try:
            with meter.phase("computing"):
                rows = frame.collect()
        except SPARK_FAILURES as problem:
            raise execution_error(problem) from problem
        reports = read_reports(Piece(*row) for row in rows)
        found = _result(reports, place.home, min(partitions, self._partitions.cores))
        if partitions > 1:
            sent = sum(each.bytes_sent for each in reports)
            meter.note_exchanges(shipped.placed.exchanges, sent)
        for each in reports:
            meter.read_in_workers.add(each.counters)
            meter.add_task_parts(each.seconds)
        return found

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


def _result(reports: Iterable[TaskReport], home: Path, at_once: int) -> BlockResult:
    """What all tasks did, so many at once; of parts that failed somewhere nothing."""
    segments: dict[str, tuple[SegmentFile, ...]] = {}
    observed: dict[str, Observed] = {}
    failed = {part: why for each in reports for part, why in each.failed.items()}
    for report in reports:
        for part, written in report.segments.items():
            for name, files in written.items():
                if part in failed:
                    _delete(files, home)
                else:
                    segments[name] = (*segments.get(name, ()), *files)
        for name, seen in report.observed.items():
            observed[name] = seen.added(observed[name]) if name in observed else seen
    shared = {
        name: replace(seen, seconds=seen.seconds / at_once) for name, seen in observed.items()
    }
    return BlockResult(segments, shared, failed)


def _delete(files: Iterable[SegmentFile], home: Path) -> None:
    for file in files:
        if part_of_pack(file.path) is None:
            (home / file.path).unlink(missing_ok=True)
