"""Into how many partitions a run is divided."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.plan.costs import Sizes
from slackwater.plan.program import Program, SourceChangesStep, SourceRowsStep, StateRowsStep

_BYTES = 96 << 20
"""Stored bytes that are read for one partition of a large run."""
_ROWS = 50_000
"""Changed rows that are worth a partition of their own."""


@dataclass(frozen=True, slots=True)
class Partitions:
    """As many as there is work for: few rows keep few cores busy."""

    cores: int
    insisted: int | None = None

    def of(self, program: Program, sizes: Sizes, rows: int) -> int:
        """Those of a run that works on so many rows."""
        if self.insisted is not None:
            return self.insisted
        few = min(self.cores, -(-rows // _ROWS))
        return max(1, few, -(-_read_bytes(program, sizes) // _BYTES))


def _read_bytes(program: Program, sizes: Sizes) -> int:
    """Stored bytes that a program reads from one end to the other."""
    total = 0
    for step in program.steps:
        if isinstance(step, SourceChangesStep):
            total += sizes.pending(step.source).bytes
        elif isinstance(step, SourceRowsStep):
            total += sizes.contents(step.source).bytes
        elif isinstance(step, StateRowsStep):
            total += sizes.arrangement(step.arrangement.id).bytes
    return total
