"""IIR filter: every sample becomes a weighted sum of samples up to it and of results before it.

    a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + ... - a[1] y[n - 1] - a[2] y[n - 2] - ...

The recurrence runs in SciPy, for many stretches at once: a stretch of 13 samples is cut into
pieces of 8, 4 and 1, and all pieces of one length are the rows of one call. The state is that of
the filter (its transposed direct form), which SciPy carries on without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.signal import lfilter

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.fir import check_coefficients, shown, with_kind
from slackwater.signals.frame import Frame, samples
from slackwater.signals.gathering import gather
from slackwater.signals.group_state import OperatorState, read_rows, rows_part
from slackwater.signals.missing_samples import ZEROS, MissingSamples
from slackwater.signals.operator import Operator, require_grid, require_scalars
from slackwater.signals.schema import SignalSchema
from slackwater.signals.stretches import (
    STRETCH_PARTS,
    Stretches,
    WindowShape,
    lay_out,
    stretch_bound,
    windows_in,
)


@dataclass(frozen=True, slots=True)
class Iir(Operator):
    """An infinite impulse response; every stretch of signal starts from rest."""

    input: Operator
    forward: tuple[float | complex, ...]
    backward: tuple[float | complex, ...]
    missing: MissingSamples = ZEROS

    parts: ClassVar[int] = STRETCH_PARTS + 1

    def __post_init__(self) -> None:
        """There is a recurrence, and it can be solved for the newest result."""
        for each in (self.forward, self.backward):
            check_coefficients(each, "an IIR filter")
        if len(self.backward) < 2 or not self.backward[0]:
            raise SignalError(
                "an IIR filter needs a first coefficient of results that is not zero, and another",
                hint="Without results of its own it is a FIR filter: call fir.",
            )
        require_grid(self.input.schema, "an IIR filter")
        require_scalars(self.input.schema, "an IIR filter")

    @property
    def schema(self) -> SignalSchema:
        """The same fields, complex if a coefficient is."""
        return with_kind(self.input.schema, (*self.forward, *self.backward))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal filtered."""
        return (self.input,)

    @property
    def order(self) -> int:
        """How many numbers the filter remembers."""
        return max(len(self.forward), len(self.backward)) - 1

    def describe(self) -> str:
        """The coefficients, if they are few."""
        return f"Iir {shown(self.forward)} over {shown(self.backward)}, {self.missing}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Run the recurrence on from where it was."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "an IIR filter")
        shape = WindowShape(1, 1, self.missing)
        stretches, dense_after = lay_out(frame, grid, shape, state[:STRETCH_PARTS])
        windows = windows_in(stretches, shape, frame.groups)
        memory = read_rows(state[STRETCH_PARTS], 0, self._blanks)
        columns, memories = [], []
        for column, old in zip(stretches.columns, memory.columns, strict=True):
            rest = np.zeros((len(stretches.group), self.order), dtype=old.dtype)
            rest[stretches.goes_on] = old[memory.offsets[stretches.group[stretches.goes_on]]]
            columns.append(self._filter(column.astype(old.dtype, copy=False), stretches, rest))
            memories.append(stretches.keep_last(memory.ragged(old), rest))
        kept = rows_part(memories[0].offsets, (), [each.values for each in memories])
        bound = stretch_bound(frame, grid, self.missing, dense_after)
        times = grid.time(windows.beat)
        return samples(windows.offsets, times, tuple(columns), bound), (*dense_after, kept)

    @property
    def _blanks(self) -> tuple[Column, ...]:
        types = [field.blank().dtype for field in self.schema.fields]
        return tuple(np.empty((0, self.order), dtype=each) for each in types)

    def _filter(self, column: Column, stretches: Stretches, rest: Column) -> Column:
        """The results of all stretches; `rest` becomes the filter's memory after each."""
        found = np.empty_like(column)
        place = stretches.offsets[:-1].copy()
        lengths = np.diff(stretches.offsets)
        for bit in reversed(range(int(lengths.max(initial=0)).bit_length())):
            size = 1 << bit
            rows = np.flatnonzero(lengths & size)
            if len(rows):
                pieces = gather(column, place[rows], size)
                answer, rest[rows] = lfilter(
                    self.forward, self.backward, pieces, axis=1, zi=rest[rows]
                )
                sliding_window_view(found, size, writeable=True)[place[rows]] = answer
                place[rows] += size
        return found
