"""The segments that a run on the driver writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.errors import DataError
from slackwater.executors.places import Place
from slackwater.plan.program import AppendStep
from slackwater.state.packs import Packs, part_of_pack
from slackwater.state.publish import Publisher
from slackwater.state.segments import SegmentFile
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment


class RunOutput:
    """Writes segments, and knows those written so far by arrangement."""

    def __init__(self, place: Place, packs: Packs, room: Room):
        """Segments of a few rows go to packs; rows that have to be sorted first find room."""
        self._place = place
        self._packs = packs
        self._room = room
        self.publisher = Publisher()
        """Gives files their names while others are written."""
        self.segments: dict[str, tuple[SegmentFile, ...]] = {}

    def write(self, step: AppendStep, rows: Iterator[pa.RecordBatch]) -> None:
        """Write the rows of a step as one segment, if there are any."""
        worker = WriteSegment(
            str(self._place.home),
            f"state/{step.arrangement.id}",
            self._place.stem,
            self._place.layout(step.arrangement.types),
            ordered=False,
            consolidate=not step.fill,
            room=self._room,
            publisher=self.publisher,
            packs=self._packs,
        )
        try:
            file = worker.write(rows)
        except DataError as problem:
            raise NotLocalError(f"rows that cannot be sorted here: {problem}") from problem
        self.segments[step.arrangement.id] = () if file is None else (file,)

    def rows(self, step: AppendStep) -> int:
        """The number of rows that a step has written."""
        return sum(file.rows for file in self.segments[step.arrangement.id])

    def discard(self) -> None:
        """Leave no file behind."""
        self.publisher.settle()
        for file in (file for files in self.segments.values() for file in files):
            if part_of_pack(file.path) is None:
                (Path(self._place.home) / file.path).unlink(missing_ok=True)
