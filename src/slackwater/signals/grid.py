"""The beats of a uniform signal: the times offset + k * period for whole numbers k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Ints, Mask


@dataclass(frozen=True, slots=True)
class Grid:
    """The beats offset + k * period; the offset lies in the first period."""

    period: int
    offset: int = 0

    def __post_init__(self) -> None:
        """A period is at least one tick."""
        if self.period < 1:
            raise SignalError(
                f"a sampling period of {self.period} has no beats",
                hint="Give a period of at least one tick of the time column.",
            )
        if not 0 <= self.offset < self.period:
            raise SignalError(
                f"offset {self.offset} does not lie within the period {self.period}",
                hint=f"The same beats have offset {self.offset % self.period}.",
            )

    def number(self, times: Ints) -> Ints:
        """The number of the last beat at or before each time."""
        since = times - self.offset if self.offset else times
        return since // self.period if self.period > 1 else since

    def time(self, numbers: Ints) -> Ints:
        """The time of each beat."""
        passed = numbers * self.period if self.period > 1 else numbers
        return passed + self.offset if self.offset else passed

    def holds(self, times: Ints) -> Mask:
        """Which times are beats."""
        if self.period == 1:
            return np.ones(len(times), dtype=np.bool_)
        found: Mask = (times - self.offset) % self.period == 0
        return found

    def every(self, hop: int, last: int = 0) -> Grid:
        """Each beat whose number is `last` modulo `hop`."""
        period = self.period * hop
        return Grid(period, (self.offset + self.period * last) % period)

    def __str__(self) -> str:
        """For a page.

        >>> print(Grid(30), Grid(30, 10))
        every 30 every 30 from 10
        """
        return f"every {self.period}" + (f" from {self.offset}" if self.offset else "")
