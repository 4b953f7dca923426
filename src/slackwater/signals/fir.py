"""FIR filter: every sample becomes the weighted sum of the samples up to it.

    y[n] = taps[0] * x[n] + taps[1] * x[n - 1] + ...

Convolution with a vector is this filter with the vector as taps, correlation with a vector this
filter with the vector reversed. The state is the last `len(taps) - 1` samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number
from slackwater.signals.frame import Frame, samples
from slackwater.signals.gathering import weigh_windows
from slackwater.signals.group_state import OperatorState
from slackwater.signals.missing_samples import ZEROS, MissingSamples
from slackwater.signals.operator import Operator, require_grid, require_scalars
from slackwater.signals.schema import SignalSchema
from slackwater.signals.stretches import (
    STRETCH_PARTS,
    WindowShape,
    lay_out,
    stretch_bound,
    windows_in,
)


@dataclass(frozen=True, slots=True)
class Fir(Operator):
    """A finite impulse response."""

    input: Operator
    taps: tuple[float | complex, ...]
    missing: MissingSamples = ZEROS

    parts: ClassVar[int] = STRETCH_PARTS

    def __post_init__(self) -> None:
        """A filter weighs samples."""
        check_coefficients(self.taps, "a FIR filter")
        require_grid(self.input.schema, "a FIR filter")
        require_scalars(self.input.schema, "a FIR filter")

    @property
    def schema(self) -> SignalSchema:
        """The same fields, complex if the taps are."""
        return with_kind(self.input.schema, self.taps)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal filtered."""
        return (self.input,)

    def describe(self) -> str:
        """The taps, if they are few."""
        return f"Fir {shown(self.taps)}, {self.missing}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Weigh the window that ends with each new sample."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "a FIR filter")
        shape = WindowShape(len(self.taps), 1, self.missing)
        stretches, after = lay_out(frame, grid, shape, state)
        windows = windows_in(stretches, shape, frame.groups)
        weights = np.array(self.taps)[::-1]
        columns = tuple(
            weigh_windows(*common(column, weights, windows.start)) for column in stretches.columns
        )
        bound = stretch_bound(frame, grid, self.missing, after)
        return samples(windows.offsets, grid.time(windows.beat), columns, bound), after


def common(column: Column, weights: Column, start: Column) -> tuple[Column, Column, Column]:
    """The arguments of `weigh_windows`, with numbers of one type."""
    dtype = np.result_type(column, weights, np.float64)
    return column.astype(dtype, copy=False), start, np.ascontiguousarray(weights, dtype=dtype)


def check_coefficients(values: tuple[float | complex, ...], what: str) -> None:
    """Refuse none, and numbers that are not finite."""
    if not values:
        raise SignalError(f"{what} needs at least one coefficient")
    if not all(np.isfinite(each) for each in values):
        raise SignalError(f"a coefficient of {what} is not finite")


def with_kind(schema: SignalSchema, values: tuple[float | complex, ...]) -> SignalSchema:
    """The schema after arithmetic with these numbers."""
    if not any(isinstance(each, complex) for each in values):
        return schema
    fields = tuple(replace(field, kind=Number.COMPLEX) for field in schema.fields)
    return replace(schema, fields=fields)


def shown(values: tuple[float | complex, ...], most: int = 4) -> str:
    """A vector for a page.

    >>> shown((1.0, 0.5)), shown((0.25,) * 64)
    ('[1, 0.5]', '[0.25, 0.25, 0.25, 0.25, ...] of 64')
    """
    first = ", ".join(f"{each:g}" for each in values[:most])
    return f"[{first}]" if len(values) <= most else f"[{first}, ...] of {len(values)}"
