"""Aggregate: one number for every window of samples, such as their sum or their power.

Windows of all groups end at the same beats, every `hop` samples. The state is the last samples.
Each window is summed by itself: a running sum would be cheaper for long windows with short hops,
and would give other last digits in one run than in two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slackwater.signals.arrays import Column, Ints
from slackwater.signals.formulas import function_name
from slackwater.signals.frame import Frame, samples
from slackwater.signals.gathering import each_window, weigh_windows
from slackwater.signals.group_state import OperatorState
from slackwater.signals.missing_samples import BREAK, MissingSamples
from slackwater.signals.operator import Operator, require_grid, require_scalars
from slackwater.signals.schema import SignalSchema
from slackwater.signals.stretches import (
    STRETCH_PARTS,
    WindowShape,
    lay_out,
    stretch_bound,
    windows_in,
)
from slackwater.signals.window_functions import BY_ROW, WindowFunction, result_kind


@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """A uniform signal of aggregates, with a sample at the end of every window."""

    input: Operator
    function: WindowFunction | Callable[[Column], Column]
    """A user's function gets a matrix of windows, one a row, and gives one number a row."""
    size: int
    hop: int
    missing: MissingSamples = BREAK

    parts: ClassVar[int] = STRETCH_PARTS

    def __post_init__(self) -> None:
        """Complex numbers have no least one."""
        schema = self.input.schema
        require_grid(schema, "an aggregate of samples")
        require_scalars(schema, "an aggregate of samples")
        _ = self.shape, self.schema

    @property
    def name(self) -> str:
        """What the aggregate is called."""
        function = self.function
        return function.value if isinstance(function, WindowFunction) else function_name(function)

    @property
    def shape(self) -> WindowShape:
        """The windows."""
        return WindowShape(self.size, self.hop, self.missing)

    @property
    def schema(self) -> SignalSchema:
        """The same fields, at the beat that ends each window."""
        before = self.input.schema
        grid = require_grid(before, "an aggregate of samples").every(self.hop, self.hop - 1)
        fields, function = before.fields, self.function
        if isinstance(function, WindowFunction):
            fields = tuple(
                replace(field, kind=result_kind(function, field.kind)) for field in fields
            )
        return replace(before, fields=fields, grid=grid)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal aggregated."""
        return (self.input,)

    def describe(self) -> str:
        """The function and the windows."""
        return f"Aggregate {self.name} of {self.shape}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Aggregate the windows that new samples fill."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "an aggregate of samples")
        stretches, after = lay_out(frame, grid, self.shape, state)
        windows = windows_in(stretches, self.shape, frame.groups)
        columns = tuple(self._apply(column, windows.start) for column in stretches.columns)
        bound = stretch_bound(frame, grid, self.missing, after)
        return samples(windows.offsets, grid.time(windows.beat), columns, bound), after

    def _apply(self, column: Column, start: Ints) -> Column:
        function = self.function
        if function is WindowFunction.SUM:
            return weigh_windows(column, start, np.ones(self.size, dtype=column.dtype))
        if function is WindowFunction.MEAN:
            ones = np.ones(self.size, dtype=column.dtype)
            return weigh_windows(column, start, ones) / self.size
        if isinstance(function, WindowFunction):
            return each_window(column, start, self.size, BY_ROW[function])
        return each_window(
            column, start, self.size, lambda rows: np.asarray(function(rows), dtype=column.dtype)
        )
