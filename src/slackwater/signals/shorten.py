"""Shorten: events that live at most so many ticks. One tick makes point events of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Shorten(Operator):
    """Events cut to a length; longer lives could overlap, so none is made longer."""

    input: Operator
    ticks: int

    def __post_init__(self) -> None:
        """Events live for at least a tick."""
        if self.ticks < 1:
            raise SignalError(f"events cannot last {self.ticks} ticks", hint="Give 1 or more.")

    @property
    def schema(self) -> SignalSchema:
        """That of the input."""
        return self.input.schema

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal cut."""
        return (self.input,)

    def describe(self) -> str:
        """The length."""
        return f"Shorten to {self.ticks}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Cut the events of this frame; nothing is remembered."""
        (frame,) = frames
        if frame.ends is None:
            return frame, state
        return replace(frame, ends=np.minimum(frame.ends, frame.start + self.ticks)), state
