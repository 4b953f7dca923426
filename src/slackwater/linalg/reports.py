"""Reports of changes: what was done, what it cost and what it was expected to cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.linalg.drift import DriftReport
from slackwater.linalg.matrix_plan import Strategy


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """The effects of one change."""

    strategy: Strategy
    rank: int
    """The rank of the change after its columns were merged; of several changes, the sum."""
    predicted: float
    """Seconds by the prices, for the strategy that was taken."""
    alternative: float
    """The same for the strategy that was not."""
    seconds: float
    flops: Mapping[str, int]
    """Floating-point operations by the matrix or factor that they were for."""
    reevaluated: tuple[str, ...] = ()
    """Matrices evaluated anew although others were updated, as their update was nearly singular."""
    drift: DriftReport | None = None

    @property
    def total_flops(self) -> int:
        """Of all matrices and factors."""
        return sum(self.flops.values())
