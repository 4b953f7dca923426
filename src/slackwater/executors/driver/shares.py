"""The share of a program's rows that one run works on: all of them, or one partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.plan.placed import Reading
from slackwater.plan.program import Step
from slackwater.state.snapshot import Range, even_ranges

ALL_HASHES = even_ranges(1)[0]


@dataclass(frozen=True, slots=True)
class Share:
    """One of `of` partitions, and how it takes the steps of a block.

    >>> Share(1, 2, {"rows": Reading.RANGE}).hashes("rows")
    (0, 9223372036854775807)
    """

    number: int = 0
    of: int = 1
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """For each step that reads stored rows, where there are several partitions."""
    first: frozenset[str] = frozenset()
    """Steps that only the first partition takes."""

    def takes(self, step: Step) -> bool:
        """Whether a step is taken here."""
        return not self.number or step.name not in self.first

    def hashes(self, name: str) -> Range | None:
        """The stored hashes whose rows a step reads here; None if it reads nothing."""
        reading = Reading.WHOLE if self.of == 1 else self.readings[name]
        if reading is Reading.RANGE:
            return even_ranges(self.of)[self.number]
        if reading is Reading.FIRST and self.number:
            return None
        return ALL_HASHES


EVERYTHING = Share()
"""The share of the driver."""
