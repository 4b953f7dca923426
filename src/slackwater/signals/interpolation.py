"""Interpolation: values between two points of a signal, from points close by.

A policy reads so many points in a row, the last of which lies after the gap. All of them must lie
within its window; else the gap is the border between two stretches of signal, and stays empty.
`Fill` and `Hold` read only the point before the gap and reach one window beyond it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import function_name
from slackwater.signals.group_state import Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Places between points, one a row. Times are relative to the point before the gap.

    So large times lose no digits.
    """

    ticks: Doubles
    """How far each place lies behind the point before the gap."""
    times: Doubles
    """The points that are read, oldest first, one column each."""
    values: Column
    """Their values."""


@dataclass(frozen=True, slots=True)
class Interpolation(ABC):
    """How missing samples are computed, from points within the window; None is any distance."""

    window: int | None = None

    forward: ClassVar[bool] = False
    """Whether the point before a gap is enough."""

    def __post_init__(self) -> None:
        """A window is at least one tick, and has an end if nothing else ends the gap."""
        if self.window is None and not self.forward:
            return
        if self.window is None or self.window < 1:
            raise SignalError(
                f"an interpolation window of {self.window} ticks", hint="Give at least one tick."
            )

    @property
    def points(self) -> int:
        """How many points are read."""
        return 1 if self.forward else 2

    @abstractmethod
    def compute(self, gaps: Gaps) -> Column:
        """The value at each place."""

    def describe(self) -> str:
        """For a page."""
        window = "" if self.window is None else f" within {self.window}"
        return f"{self.name}{window}"

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return type(self).__name__.lower()


@dataclass(frozen=True, slots=True)
class Fill(Interpolation):
    """A constant, at most one window after the last event."""

    value: float = 0.0

    forward: ClassVar[bool] = True

    def compute(self, gaps: Gaps) -> Column:
        """The constant."""
        return np.full(len(gaps.ticks), self.value, dtype=gaps.values.dtype)

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return f"fill {self.value:g}"


@dataclass(frozen=True, slots=True)
class Hold(Interpolation):
    """The last value, at most one window after its event; no later event is waited for."""

    forward: ClassVar[bool] = True

    def compute(self, gaps: Gaps) -> Column:
        """The value before."""
        return gaps.values[:, 0]


@dataclass(frozen=True, slots=True)
class Step(Interpolation):
    """Between two events the value of the first (zero order)."""

    def compute(self, gaps: Gaps) -> Column:
        """The value before."""
        return gaps.values[:, 0]


@dataclass(frozen=True, slots=True)
class Linear(Interpolation):
    """Between two events the line through them (first order)."""

    def compute(self, gaps: Gaps) -> Column:
        """The line."""
        before, after = gaps.values[:, 0], gaps.values[:, 1]
        line: Column = before + (after - before) * (gaps.ticks / gaps.times[:, 1])
        return line


@dataclass(frozen=True, slots=True)
class Parabola(Interpolation):
    """Between two events the parabola through them and the point before (second order)."""

    @property
    def points(self) -> int:
        """Two before the gap and one after it."""
        return 3

    def compute(self, gaps: Gaps) -> Column:
        """Newton's form, around the point before the gap."""
        first, last, values = gaps.times[:, 0], gaps.times[:, 2], gaps.values
        back = (values[:, 1] - values[:, 0]) / -first
        ahead = (values[:, 2] - values[:, 1]) / last
        bend = (ahead - back) / (last - first)
        curve: Column = values[:, 1] + gaps.ticks * (ahead + (gaps.ticks - last) * bend)
        return curve


@dataclass(frozen=True, slots=True)
class CustomInterpolation(Interpolation):
    """A user's function of ticks, times and values, as in `Gaps`; it gives one value a row."""

    function: Callable[[Doubles, Doubles, Column], Any] = field(kw_only=True)
    reads: int = 2

    def __post_init__(self) -> None:
        """A gap lies between two points at least."""
        Interpolation.__post_init__(self)
        if self.reads < 2:
            raise SignalError(
                f"an interpolation that reads {self.reads} points has none after the gap",
                hint="Let it read 2 or more.",
            )

    @property
    def points(self) -> int:
        """As many as the function reads."""
        return self.reads

    def compute(self, gaps: Gaps) -> Column:
        """The function's answer."""
        answer = self.function(gaps.ticks, gaps.times, gaps.values)
        return np.asarray(answer, dtype=gaps.values.dtype)

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return f"{function_name(self.function)} of {self.reads} points"
