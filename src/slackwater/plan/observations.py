"""Observations that runs made of operators' steps, and the forecasts that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from slackwater.plan.program import Origin

_MOST_GROUPS = 1e15
_ALIKE = 0.2
"""Observations that differ by less than this share are not worth writing down."""


FACTOR = Origin("run", "factor")
"""The seconds of an engine's last run, whose steps it cannot time, as a multiple of its price."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A step of the last run: rows in and out, and its seconds; 0 if they were not measured."""

    rows_in: float
    rows_out: float
    seconds: float = 0.0

    def scaled(self, rows: float) -> float:
        """Rows out of so many rows in, if each gives as many as they did."""
        return rows * self.rows_out / self.rows_in if self.rows_in else rows

    def grouped(self, rows: float) -> float:
        """Groups among so many rows, if groups are drawn as they were.

        >>> Observed(1000, 10).grouped(100_000), round(Observed(1000, 1000).grouped(5000))
        (10.0, 5000)
        """
        if self.rows_in <= self.rows_out:
            return self.scaled(rows)
        groups = _groups_behind(self.rows_in, self.rows_out)
        return min(rows, -groups * math.expm1(-rows / groups))

    def gathered(self, rows: float, stored: float) -> float:
        """Stored rows of the groups that so many rows touch, if they touch groups as they did.

        >>> Observed(5, 125_000).gathered(1000, 500_000)
        500000.0
        """
        if self.rows_out >= stored or not self.rows_in:
            return min(self.scaled(rows), stored)
        share = math.log1p(-self.rows_out / stored) / self.rows_in
        return -stored * math.expm1(share * rows)

    def added(self, other: Observed) -> Observed:
        """Both together: the same step over other rows."""
        return Observed(
            self.rows_in + other.rows_in,
            self.rows_out + other.rows_out,
            self.seconds + other.seconds,
        )

    def is_like(self, other: Observed) -> bool:
        """Tell if another observation says about the same."""
        pairs = (
            (self.rows_in, other.rows_in),
            (self.rows_out, other.rows_out),
            (self.seconds, other.seconds),
        )
        return all(abs(one - two) <= _ALIKE * max(one, two) for one, two in pairs)


def _groups_behind(rows: float, seen: float) -> float:
    """An estimate of the number of equally likely groups if so many rows showed `seen` of them."""
    if seen < 1:
        return 1.0
    low, high = seen, _MOST_GROUPS
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if -middle * math.expm1(-rows / middle) > seen else (middle, high)
    return low


@dataclass(frozen=True, slots=True)
class Key:
    """The key of an observation: a step of an operator, on an engine."""

    origin: Origin
    engine: str


def q_error(predicted: float, actual: float) -> float:
    """The factor between two numbers, whichever is larger; both count as one at least.

    >>> q_error(10, 40), q_error(40, 10), q_error(0, 0)
    (4.0, 4.0, 1.0)
    """
    one, other = max(predicted, 1.0), max(actual, 1.0)
    return max(one, other) / min(one, other)
