"""What a task tells the driver: what it wrote and saw, and what it could not do."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from slackwater.executors.spark.exchange import Piece
from slackwater.plan.observations import Observed
from slackwater.state.counters import ReadCounters
from slackwater.state.segments import SegmentFile

REPORT = "report"
"""In place of a frame: for the driver, by way of all later blocks."""


@dataclass(frozen=True, slots=True)
class TaskReport:
    """One block in one partition."""

    block: int
    partition: int
    segments: Mapping[int, Mapping[str, tuple[SegmentFile, ...]]]
    """By part and arrangement."""
    observed: Mapping[str, Observed]
    """By step."""
    seconds: Mapping[str, float]
    """By kind of work."""
    bytes_sent: int
    failed: Mapping[int, str] = field(default_factory=dict)
    """Parts that cannot be taken here, with the reasons."""
    carried: Mapping[str, bytes] = field(default_factory=dict)
    """Rows of small segments, which nobody has written yet."""
    counters: ReadCounters = field(default_factory=ReadCounters)

    def pieces(self, partitions: int) -> Iterable[Piece]:
        """The report as it travels; if a part failed, all later tasks hear of it."""
        data = pickle.dumps(self)
        targets = range(partitions) if self.failed else (self.partition,)
        return [Piece(target, self.partition, REPORT, self.block, data) for target in targets]


def read_reports(pieces: Iterable[Piece]) -> list[TaskReport]:
    """The reports among pieces, each once, in the order of blocks and partitions."""
    found = {(each.seq, each.source): each.data for each in pieces if each.frame == REPORT}
    return [pickle.loads(found[key]) for key in sorted(found)]


def failures(pieces: Iterable[Piece]) -> dict[int, str]:
    """The parts that failed anywhere."""
    return {part: why for each in read_reports(pieces) for part, why in each.failed.items()}
