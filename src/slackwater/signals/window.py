"""Window: hopping windows of samples, a pipeline of stages over them, and back to samples.

Windows of all groups end at the same beats, every `hop` samples. Stages turn arrays into arrays,
many windows at a time and one chunk after the other, so that overlapping windows are never all in
memory. With a merge the arrays are laid back on the beats (`unwindow.py`); without one each
window is an event at its last beat that holds an array, or one number if its last stage gives one.
The state is the last samples, the results an incremental stage goes on from, and open slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.frame import Frame, samples
from slackwater.signals.gathering import chunks, gather
from slackwater.signals.group_state import OperatorState, Part, read_rows
from slackwater.signals.missing_samples import BREAK, MissingSamples
from slackwater.signals.operator import Operator, require_grid, require_scalars
from slackwater.signals.result_chain import ResultChain
from slackwater.signals.schema import Field, SignalSchema
from slackwater.signals.stages.incremental import IncrementalStage
from slackwater.signals.stages.stage import Stage
from slackwater.signals.stretches import (
    STRETCH_PARTS,
    Stretches,
    Windows,
    WindowShape,
    lay_out,
    stretch_bound,
    windows_in,
)
from slackwater.signals.unwindow import Merge, Unwindow, check_merge

_RESULTS, _SLOTS = STRETCH_PARTS, STRETCH_PARTS + 1
_CHUNK_NUMBERS = 1 << 18
"""Numbers in a chunk of windows: as many as stay in the processor's cache."""
_CHAIN_NUMBERS = 1 << 22
"""Numbers in a chunk of an incremental stage: long chunks have more starts to update from."""


@dataclass(frozen=True, slots=True)
class Window(Operator):
    """A pipeline of stages over windows of `size` samples that move by `hop`."""

    input: Operator
    size: int
    hop: int
    stages: tuple[Stage, ...] = ()
    merge: Merge | None = None
    missing: MissingSamples = BREAK

    parts: ClassVar[int] = STRETCH_PARTS + 2

    def __post_init__(self) -> None:
        """Stages fit one another; only the first may be updated from deltas."""
        require_grid(self.input.schema, "a window")
        require_scalars(self.input.schema, "a window")
        for stage in self.stages[1:]:
            if isinstance(stage, IncrementalStage):
                raise SignalError(
                    f"{stage.describe()} is not the first stage, so nobody knows what left its "
                    "window",
                    hint="Put it first, or use the stage that recomputes.",
                )
        if self._incremental and self.hop > self.size:
            raise SignalError(
                f"windows of {self.size} that move by {self.hop} have nothing in common to update",
                hint="Use the stage that recomputes.",
            )
        if self.merge is not None:
            check_merge(self.merge, self.arrays)
        _ = self.shape

    @property
    def _incremental(self) -> IncrementalStage | None:
        first = self.stages[0] if self.stages else None
        return first if isinstance(first, IncrementalStage) else None

    @property
    def shape(self) -> WindowShape:
        """The windows; an incremental stage needs what left them."""
        return WindowShape(self.size, self.hop, self.missing, self.hop if self._incremental else 0)

    @property
    def arrays(self) -> tuple[Field, ...]:
        """What the stages give for a window."""
        fields = tuple(replace(field, size=self.size) for field in self.input.schema.fields)
        for stage in self.stages:
            fields = stage.outputs(fields)
        return fields

    @property
    def schema(self) -> SignalSchema:
        """Samples on the beats of the input if merged, else arrays at the end of each window."""
        before, arrays = self.input.schema, self.arrays
        grid = require_grid(before, "a window")
        if self.merge is None:
            return replace(before, fields=arrays, grid=grid.every(self.hop, self.hop - 1))
        return replace(before, fields=tuple(replace(field, size=None) for field in arrays))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal cut into windows."""
        return (self.input,)

    def describe(self) -> str:
        """The windows, the stages and the merge."""
        stages = "".join(f" | {stage.describe()}" for stage in self.stages)
        merge = "" if self.merge is None else f" | merge by {self.merge.value}"
        return f"Window {self.shape}{stages}{merge}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Run the stages over the windows that new samples fill."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "a window")
        stretches, after = lay_out(frame, grid, self.shape, state[:STRETCH_PARTS])
        windows = windows_in(stretches, self.shape, frame.groups)
        bound = stretch_bound(frame, grid, self.missing, after)
        chain = self._chain(stretches, windows, state[_RESULTS])
        pieces = self._chunks(stretches.columns, windows, chain)
        if self.merge is None:
            columns = _together(pieces, self.arrays)
            found = samples(windows.offsets, grid.time(windows.beat), columns, bound)
            slots_after = state[_SLOTS]
        else:
            unwindow = Unwindow(self.merge, self.arrays, self.hop, grid)
            slots = unwindow.open(windows, state[_SLOTS])
            for part, columns in pieces:
                slots.add(self.merge, part, columns)
            found, slots_after = unwindow.close(slots, bound)
        results = state[_RESULTS] if chain is None else chain.state_after()
        return found, (*after, results, slots_after)

    def _chain(self, stretches: Stretches, windows: Windows, results: Part) -> ResultChain | None:
        stage = self._incremental
        if stage is None:
            return None
        sized = tuple(replace(field, size=self.size) for field in self.input.schema.fields)
        blanks = tuple(field.blank() for field in stage.outputs(sized))
        return ResultChain(stage, stretches, windows, self.shape, read_rows(results, 0, blanks))

    def _chunks(
        self, columns: tuple[Column, ...], windows: Windows, chain: ResultChain | None
    ) -> Iterator[tuple[slice, tuple[Column, ...]]]:
        """The results of the stages, for one range of windows after the other."""
        numbers = _CHUNK_NUMBERS if chain is None else _CHAIN_NUMBERS
        for part in chunks(len(windows.start), self.size, numbers):
            rows = tuple(gather(column, windows.start[part], self.size) for column in columns)
            stages = self.stages
            if chain is not None:
                rows, stages = chain.compute(part, rows), stages[1:]
            for stage in stages:
                rows = stage.compute_all(rows)
            yield part, rows


def _together(
    pieces: Iterator[tuple[slice, tuple[Column, ...]]], fields: tuple[Field, ...]
) -> tuple[Column, ...]:
    blanks = tuple(field.blank() for field in fields)
    return tuple(
        np.concatenate(each)
        for each in zip(blanks, *(columns for _, columns in pieces), strict=True)
    )
