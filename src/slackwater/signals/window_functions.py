"""Functions that give one number for every row of a matrix of windows.

Sums are dot products, so that no order of additions depends on how many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number


class WindowFunction(Enum):
    """An aggregate of the numbers in a window."""

    SUM = "sum"
    MEAN = "mean"
    MIN = "min"
    MAX = "max"
    ENERGY = "energy"
    """The sum of squared magnitudes."""
    POWER = "power"
    """The mean of squared magnitudes."""
    RMS = "rms"
    """The root of the power."""
    DEVIATION = "deviation"
    """The standard deviation of the window's own numbers."""


_ORDERED = (WindowFunction.MIN, WindowFunction.MAX)
_KEEPS_KIND = (WindowFunction.SUM, WindowFunction.MEAN)


def _sum(rows: Column) -> Column:
    found: Column = np.vecdot(np.ones(rows.shape[1]), rows)
    return found


def _energy(rows: Column) -> Column:
    found: Column = np.vecdot(rows, rows)
    return np.real(found)


def _power(rows: Column) -> Column:
    power: Column = _energy(rows) / rows.shape[1]
    return power


def _mean(rows: Column) -> Column:
    mean: Column = _sum(rows) / rows.shape[1]
    return mean


BY_ROW: Mapping[WindowFunction, Callable[[Column], Column]] = {
    WindowFunction.SUM: _sum,
    WindowFunction.MEAN: _mean,
    WindowFunction.MIN: lambda rows: rows.min(axis=1),
    WindowFunction.MAX: lambda rows: rows.max(axis=1),
    WindowFunction.ENERGY: _energy,
    WindowFunction.POWER: _power,
    WindowFunction.RMS: lambda rows: np.sqrt(_power(rows)),
    WindowFunction.DEVIATION: lambda rows: np.sqrt(_power(rows - _mean(rows)[:, None])),
}


def result_kind(function: WindowFunction, kind: Number) -> Number:
    """The kind of number a function gives for windows of such numbers; refuses what has none."""
    if function in _ORDERED and kind is Number.COMPLEX:
        raise SignalError(
            f"complex numbers have no {function.value}", hint="Take their abs, real or imag first."
        )
    return kind if function in _KEEPS_KIND else Number.REAL
