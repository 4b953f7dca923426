"""Shift: the signal later, or earlier, by a number of ticks; s'(t) = s(t - by)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.signals.arrays import move_bounds
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Shift(Operator):
    """All events moved in time."""

    input: Operator
    by: int

    @property
    def schema(self) -> SignalSchema:
        """The same payload on beats moved along; functions of time move with their events."""
        return self.input.schema.delayed(self.by)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal moved."""
        return (self.input,)

    def describe(self) -> str:
        """How far."""
        return f"Shift by {self.by}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Move events and bounds; nothing is remembered."""
        (frame,) = frames
        moved = replace(
            frame,
            start=frame.start + self.by,
            ends=None if frame.ends is None else frame.ends + self.by,
            bound=move_bounds(frame.bound, self.by),
        )
        return moved, state
