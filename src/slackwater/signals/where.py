"""Where: the events for which a condition on their payload is true.

A uniform signal stays one; what is removed is missing from it, as if it had never come.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import SignalError
from slackwater.signals.evaluation import evaluate, kind_of, text
from slackwater.signals.formulas import Formula, Number
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator, require_scalars, require_values
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Where(Operator):
    """Events that satisfy a condition; the time in it is when an event starts."""

    input: Operator
    condition: Formula

    def __post_init__(self) -> None:
        """The condition is one, and its answer is the same for as long as an event lives."""
        schema = self.input.schema
        require_values(schema, "where")
        require_scalars(schema, "where")
        kind = kind_of(self.condition, schema.kinds)
        if kind is not Number.BOOLEAN:
            raise SignalError(
                f"{text(self.condition)} is a {kind.value} number, not a condition",
                hint="Compare it with something.",
            )

    @property
    def schema(self) -> SignalSchema:
        """That of the input."""
        return self.input.schema

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal it filters."""
        return (self.input,)

    def describe(self) -> str:
        """The condition."""
        return f"Where {text(self.condition)}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Keep the events of this frame; nothing is remembered."""
        (frame,) = frames
        named = self.schema.named(frame.columns)
        return frame.keep(evaluate(self.condition, named, frame.start)), state
