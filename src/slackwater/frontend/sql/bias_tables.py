"""Reads from Spark by how much estimates of distinct counts are off.

Spark holds, for each size of a sketch, estimates and their biases as they were measured. What it
takes off an estimate is the mean of the biases of the six nearest: a step function of the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from py4j.protocol import Py4JError

from slackwater.expr.registers import LEAST_PRECISION, MOST_PRECISION, Sketch

_NEAREST = 6
_WORD_REGISTERS = 10
"""The number of registers that Spark puts into a word."""
_BEYOND = 5.0
"""Estimates of more values a register are not corrected."""


def read_sketch(jvm: Any, error: float) -> Sketch | None:
    """The sketch that Spark makes for an error; None if it corrects no estimate of such a one."""
    try:
        helper = jvm.org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper
        precision = _precision(int(helper(error).numWords()))
        if precision is None:
            return None
        place = precision - LEAST_PRECISION
        tables = (helper.RAW_ESTIMATE_DATA()[place], helper.BIAS_DATA()[place])
        return _sketch(precision, *map(jvm.java.util.Arrays.toString, tables))
    except (AttributeError, IndexError, TypeError, Py4JError):
        # A release of Spark that keeps its tables elsewhere: groups are then read whole.
        return None


def _precision(words: int) -> int | None:
    """The address bits of a sketch that fills so many words."""
    sizes = {
        (1 << each) // _WORD_REGISTERS + 1: each
        for each in range(LEAST_PRECISION, MOST_PRECISION + 1)
    }
    return sizes.get(words)


@cache
def _sketch(precision: int, estimates: str, biases: str) -> Sketch:
    table = BiasTable(_numbers(estimates), _numbers(biases))
    return Sketch(precision, *table.steps(_BEYOND * (1 << precision)))


def _numbers(array: str) -> tuple[float, ...]:
    return tuple(map(float, array.strip("[]").split(", ")))


@dataclass(frozen=True)
class BiasTable:
    """Estimates, nearly in order, and by how much each was off on average."""

    estimates: tuple[float, ...]
    biases: tuple[float, ...]

    def bias(self, estimate: float) -> float:
        """The correction that Spark applies to an estimate, step by step as it does."""
        low = self._first_near(estimate)
        near = self.biases[low : low + _NEAREST]
        total = 0.0
        for each in near:
            total += each
        return total / len(near)

    def _first_near(self, estimate: float) -> int:
        count = len(self.estimates)
        low = max(self._place(estimate) - _NEAREST + 1, 0)
        while low + _NEAREST < count:
            if not self._distance(estimate, low + _NEAREST) < self._distance(estimate, low):
                break
            low += 1
        return low

    def _place(self, estimate: float) -> int:
        """The place where Java's binary search finds an estimate in tables not quite in order."""
        low, high = 0, len(self.estimates) - 1
        while low <= high:
            middle = (low + high) // 2
            if self.estimates[middle] == estimate:
                return middle
            if self.estimates[middle] < estimate:
                low = middle + 1
            else:
                high = middle - 1
        return low

    def _distance(self, estimate: float, place: int) -> float:
        difference = estimate - self.estimates[place]
        return difference * difference

    def steps(self, beyond: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The least estimates with another bias than those before, and the biases."""
        bounds: list[float] = []
        biases = [self.bias(0.0)]
        for one, other in pairwise(self._probes(beyond)):
            if self.bias(one) != self.bias(other):
                bounds.append(_first_other(self.bias, one, other))
                biases.append(self.bias(other))
        return tuple(bounds), tuple(biases)

    def _probes(self, beyond: float) -> list[float]:
        """Estimates between which the bias changes once at most.

        It changes at estimates of the table, and half-way between one and the sixth behind it.
        """
        pairs = zip(self.estimates, self.estimates[_NEAREST:], strict=False)
        halves = ((one + other) / 2 for one, other in pairs)
        changes = sorted({0.0, *self.estimates, *halves, beyond})
        between = [(one + other) / 2 for one, other in pairwise(changes)]
        around = (
            near
            for each in self.estimates
            for near in (math.nextafter(each, 0.0), math.nextafter(each, beyond))
        )
        return sorted({*changes, *between, *around})


def _first_other(value: Callable[[float], float], low: float, high: float) -> float:
    """The least number up to `high` whose value is not that of `low`, but that of `high`."""
    before = value(low)
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if value(middle) == before:
            low = middle
        else:
            high = middle
