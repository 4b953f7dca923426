"""What the tasks of a run have done, put together on the driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from slackwater.executors.driver.run_output import RunOutput
from slackwater.executors.places import Place
from slackwater.executors.spark.carried_segments import is_carried
from slackwater.executors.spark.task_report import TaskReport
from slackwater.plan.observations import Observed
from slackwater.plan.program import AppendStep
from slackwater.state.columns import compact_stored
from slackwater.state.packs import Packs, part_of_pack
from slackwater.state.segments import SegmentFile
from slackwater.state.spill import Room


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What tasks wrote, by arrangement, and the parts that they could not take."""

    segments: Mapping[str, tuple[SegmentFile, ...]]
    observed: Mapping[str, Observed]
    failed: Mapping[int, str]
    """Why, by the number of the part."""


class Collected:
    """The reports of all tasks; of parts that failed somewhere nothing counts."""

    def __init__(self, reports: Sequence[TaskReport]):
        """Look who failed."""
        self._reports = reports
        self.failed = {part: why for each in reports for part, why in each.failed.items()}

    @property
    def bytes_sent(self) -> int:
        """What all exchanges moved."""
        return sum(each.bytes_sent for each in self._reports)

    def result(
        self, appends: Iterable[AppendStep], place: Place, room: Room, at_once: int
    ) -> BlockResult:
        """What was done by so many tasks at once; rows that were carried are on disk then."""
        packs = Packs(place.home, place.stem)
        output = RunOutput(place, packs, room)
        segments: dict[str, tuple[SegmentFile, ...]] = {}
        try:
            for step in appends:
                written = tuple(self._written(step.arrangement.id))
                carried = [self._rows(step, place, *each) for each in written if _carries(*each)]
                if carried:
                    output.write(step, iter(carried))
                own = (file for _, file in written if not is_carried(file.path))
                found = (*own, *output.segments.get(step.arrangement.id, ()))
                if found:
                    segments[step.arrangement.id] = found
        finally:
            output.publisher.settle()
        packs.publish()
        output.publisher.finish()
        return BlockResult(segments, self._observed(at_once), self.failed)

    def _written(self, arrangement_id: str) -> Iterator[tuple[TaskReport, SegmentFile]]:
        for report in self._reports:
            for part, segments in report.segments.items():
                if part not in self.failed:
                    for file in segments.get(arrangement_id, ()):
                        yield report, file

    def _rows(
        self, step: AppendStep, place: Place, report: TaskReport, file: SegmentFile
    ) -> pa.RecordBatch:
        schema = compact_stored(place.layout(step.arrangement.types))
        return pa.ipc.read_record_batch(pa.py_buffer(report.carried[file.path]), schema)

    def delete_failed(self, place: Place) -> None:
        """Delete the files of parts that failed elsewhere."""
        for report in self._reports:
            for part in self.failed.keys() & report.segments.keys():
                for file in (file for files in report.segments[part].values() for file in files):
                    if not is_carried(file.path) and part_of_pack(file.path) is None:
                        (place.home / file.path).unlink(missing_ok=True)

    def _observed(self, at_once: int) -> dict[str, Observed]:
        """Rows of all partitions; seconds as if so many tasks had shared them evenly."""
        found: dict[str, Observed] = {}
        for report in self._reports:
            for name, seen in report.observed.items():
                found[name] = seen.added(found[name]) if name in found else seen
        return {name: replace(seen, seconds=seen.seconds / at_once) for name, seen in found.items()}


def _carries(_report: TaskReport, file: SegmentFile) -> bool:
    return is_carried(file.path)
