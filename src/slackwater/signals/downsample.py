"""Downsample: every n-th sample of a uniform signal, by the number of its beat."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.errors import SignalError
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator, require_grid
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Downsample(Operator):
    """The samples whose beat number is a multiple of `factor`."""

    input: Operator
    factor: int

    def __post_init__(self) -> None:
        """There are samples to choose from."""
        require_grid(self.input.schema, "downsampling")
        if self.factor < 1:
            raise SignalError(f"downsampling by {self.factor}", hint="Give a factor of 1 or more.")

    @property
    def schema(self) -> SignalSchema:
        """The same payload at every n-th beat."""
        before = self.input.schema
        return replace(before, grid=require_grid(before, "downsampling").every(self.factor))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal thinned out."""
        return (self.input,)

    def describe(self) -> str:
        """The factor."""
        return f"Downsample by {self.factor}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Keep samples of this frame; nothing is remembered."""
        (frame,) = frames
        grid = require_grid(self.input.schema, "downsampling")
        return frame.keep(grid.number(frame.start) % self.factor == 0), state
