"""What a task tells the driver: what it wrote and saw, and what it could not do."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from slackwater.executors.spark.exchange import Piece
from slackwater.plan.observations import Observed
from slackwater.state.counters import ReadCounters
from slackwater.state.segments import SegmentFile

REPORT = "report"
"""In place of a frame: for the driver, by way of all later blocks."""
FAILED = "failed"
"""In place of a frame: for the later tasks of all partitions, that a part has failed."""


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
    """Parts that were not taken here, with the reasons: they failed here or before."""
    carried: Mapping[str, bytes] = field(default_factory=dict)
    """Rows of small segments, which nobody has written yet."""
    counters: ReadCounters = field(default_factory=ReadCounters)

    def piece(self) -> Piece:
        """The report as it travels, to the same partition of the next block."""
        return Piece(self.partition, self.partition, REPORT, self.block, pickle.dumps(self))


def read_reports(pieces: Iterable[Piece]) -> list[TaskReport]:
    """The reports among pieces, each once, in the order of blocks and partitions."""
    found = {(each.seq, each.source): each.data for each in pieces if each.frame == REPORT}
    return [pickle.loads(found[key]) for key in sorted(found)]


def tell_of_failures(failed: Mapping[int, str], partition: int, partitions: int) -> Iterator[Piece]:
    """Parts that failed in a partition, for all later tasks.

    A task that is repeated may succeed where it failed before. So tasks report besides what they
    left out because they were told to: nothing counts of a part that any of them left out.
    """
    for part, why in failed.items():
        for target in range(partitions):
            yield Piece(target, partition, FAILED, part, why.encode())


def failures(pieces: Iterable[Piece]) -> dict[int, str]:
    """The parts that tasks were told to have failed."""
    return {each.seq: each.data.decode() for each in pieces if each.frame == FAILED}
