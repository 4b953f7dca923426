"""Custom filter: a user's function of the last samples and of its own last results.

The function gets matrices with one row a window: the last `forward` samples, and the last
`backward` results, oldest first and zero before the first result of a stretch. It gives one number
a row. Without results of its own it is called for many windows at a time. With them it must be
called beat after beat, each time with a row for every stretch of every group that has that beat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import function_name
from slackwater.signals.frame import Frame, samples
from slackwater.signals.gathering import each_window, gather
from slackwater.signals.group_state import OperatorState, read_rows, rows_part
from slackwater.signals.missing_samples import ZEROS, MissingSamples
from slackwater.signals.operator import Operator, require_grid, require_scalars
from slackwater.signals.schema import SignalSchema
from slackwater.signals.stretches import (
    STRETCH_PARTS,
    Windows,
    WindowShape,
    lay_out,
    stretch_bound,
    windows_in,
)


@dataclass(frozen=True, slots=True)
class CustomFilter(Operator):
    """One result for every sample whose window is full."""

    input: Operator
    function: Callable[[Column, Column], Any]
    forward: int
    backward: int = 0
    missing: MissingSamples = ZEROS

    parts: ClassVar[int] = STRETCH_PARTS + 1

    def __post_init__(self) -> None:
        """The function reads the newest sample at least."""
        if self.forward < 1 or self.backward < 0:
            raise SignalError(
                f"a filter of {self.forward} samples and {self.backward} results",
                hint="Let it read one sample or more, and no results or more.",
            )
        require_grid(self.input.schema, "a filter")
        require_scalars(self.input.schema, "a filter")

    @property
    def schema(self) -> SignalSchema:
        """That of the input."""
        return self.input.schema

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal filtered."""
        return (self.input,)

    def describe(self) -> str:
        """The function and what it reads."""
        name = function_name(self.function)
        return f"Filter {name} of {self.forward} samples, {self.backward} results, {self.missing}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Call the function for the windows that end with new samples."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "a filter")
        shape = WindowShape(self.forward, 1, self.missing)
        stretches, after = lay_out(frame, grid, shape, state[:STRETCH_PARTS])
        windows = windows_in(stretches, shape, frame.groups)
        memory = read_rows(state[STRETCH_PARTS], 0, self._blanks)
        columns, memories = [], []
        for column, old in zip(stretches.columns, memory.columns, strict=True):
            rest = np.zeros((len(stretches.group), self.backward), dtype=column.dtype)
            if self.backward:
                goes_on = stretches.goes_on
                rest[goes_on] = old[memory.offsets[stretches.group[goes_on]]]
            columns.append(self._apply(column, windows, rest))
            if self.backward:
                memories.append(stretches.keep_last(memory.ragged(old), rest))
        kept = state[STRETCH_PARTS]
        if memories:
            kept = rows_part(memories[0].offsets, (), [each.values for each in memories])
        bound = stretch_bound(frame, grid, self.missing, after)
        found = samples(windows.offsets, grid.time(windows.beat), tuple(columns), bound)
        return found, (*after, kept)

    @property
    def _blanks(self) -> tuple[Column, ...]:
        types = [field.blank().dtype for field in self.schema.fields]
        return tuple(np.empty((0, self.backward), dtype=each) for each in types)

    def _apply(self, column: Column, windows: Windows, rest: Column) -> Column:
        if self.backward:
            return self._recur(column, windows, rest)
        return each_window(
            column,
            windows.start,
            self.forward,
            lambda rows: self._call(rows, rows[:, :0], column),
        )

    def _recur(self, column: Column, windows: Windows, rest: Column) -> Column:
        """The results beat after beat; `rest` becomes the last results of each stretch."""
        found = np.empty(len(windows.start), dtype=column.dtype)
        counts = windows.counts
        first = np.cumsum(counts) - counts
        for rank in range(int(counts.max(initial=0))):
            rows = np.flatnonzero(counts > rank)
            at = first[rows] + rank
            answer = self._call(gather(column, windows.start[at], self.forward), rest[rows], column)
            found[at] = answer
            rest[rows] = np.concatenate([rest[rows, 1:], answer[:, None]], axis=1)
        return found

    def _call(self, samples_read: Column, results: Column, column: Column) -> Column:
        answer = np.asarray(self.function(samples_read, results))
        if answer.shape != (len(samples_read),):
            raise SignalError(
                f"{function_name(self.function)} gave an array of shape {answer.shape} "
                f"for {len(samples_read)} windows",
                hint="Return one number for each row.",
            )
        return answer.astype(column.dtype, copy=False)
