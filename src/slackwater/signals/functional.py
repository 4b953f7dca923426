"""Functional: a signal whose values are functions of time, with the events' fields as arguments.

An event that lives from 0 to 100 and holds a frequency is a hundred ticks of a sine, and is kept
as one row. One formula serves the whole signal; a `Choice` in it gives every event a function of
its own, by a field that says which. `Sample` computes values at its beats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.errors import SignalError
from slackwater.signals.evaluation import kind_of, text
from slackwater.signals.formulas import Formula
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator, require_scalars, require_values
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Functional(Operator):
    """Events whose fields are the arguments of functions of time."""

    input: Operator
    functions: tuple[tuple[str, Formula], ...]

    def __post_init__(self) -> None:
        """Samples have no value between beats, so there is nothing to give them a function for."""
        before = self.input.schema
        require_values(before, "a function of time")
        require_scalars(before, "a function of time")
        if before.grid is not None:
            raise SignalError(
                "a uniform signal has values at its beats only, no function of time",
                hint="Give the function before sampling, or use select.",
            )
        for _, formula in self.functions:
            kind_of(formula, before.kinds)
        _ = self.schema

    @property
    def schema(self) -> SignalSchema:
        """The stored fields as they are, and the functions."""
        return replace(self.input.schema, functions=self.functions)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal of arguments."""
        return (self.input,)

    def describe(self) -> str:
        """The functions."""
        shown = ", ".join(f"{name}(t) = {text(formula)}" for name, formula in self.functions)
        return f"Functional {shown}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Pass the arguments on."""
        return frames[0], state
