"""What a run is given, and what comes of it, whichever engine takes its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.executors.places import Place
from slackwater.frontend.sql.planner import Fragment
from slackwater.plan.costs import Sizes
from slackwater.plan.observations import Observed
from slackwater.plan.prices import SPARK
from slackwater.state.segments import SegmentFile


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
class NotHere:
    """A part of a program that an engine does not run, and why; nothing of it is done."""

    reason: str
