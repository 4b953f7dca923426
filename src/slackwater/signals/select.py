"""Select: another payload for every event, computed from the one it has.

On a signal whose values are functions of time, the formulas are put into each other and nothing
is computed before the signal is sampled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.evaluation import evaluate, kind_of, substitute, text
from slackwater.signals.formulas import FieldRef, Formula, Time
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.operator import Operator
from slackwater.signals.schema import Field, SignalSchema, rewritten


@dataclass(frozen=True, slots=True)
class Select(Operator):
    """Events with the given fields; the time in a formula is when an event starts."""

    input: Operator
    outputs: tuple[tuple[str, Formula], ...]

    def __post_init__(self) -> None:
        """Formulas read fields there are, and give numbers."""
        if not self.outputs:
            raise SignalError("select needs at least one field")
        _ = self.schema

    @property
    def schema(self) -> SignalSchema:
        """Fields of the formulas' kinds, arrays where they read arrays."""
        before = self.input.schema
        if before.functions:
            return replace(before, functions=self._composed(before))
        fields = tuple(
            Field(name, kind_of(formula, before.kinds), _size(before, formula))
            for name, formula in self.outputs
        )
        return replace(before, fields=fields)

    def _composed(self, before: SignalSchema) -> tuple[tuple[str, Formula], ...]:
        for _, formula in self.outputs:
            kind_of(formula, before.kinds)
        inner = {field.name: before.formula(field.name) for field in before.values}

        def change(each: Formula) -> Formula | None:
            return inner[each.name] if isinstance(each, FieldRef) else None

        return rewritten(self.outputs, change)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The signal it reads."""
        return (self.input,)

    def describe(self) -> str:
        """The fields and their formulas."""
        return f"Select {', '.join(f'{name} = {text(each)}' for name, each in self.outputs)}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Compute the payload of this frame; nothing is remembered."""
        (frame,) = frames
        if self.input.schema.functions:
            return frame, state
        named = self.input.schema.named(frame.columns)
        columns = tuple(
            np.ascontiguousarray(evaluate(each, named, frame.start)) for _, each in self.outputs
        )
        return frame.with_columns(columns), state


def _size(schema: SignalSchema, formula: Formula) -> int | None:
    """The length of arrays that the formula reads."""
    sizes: set[int | None] = set()
    timed = False

    def look(each: Formula) -> None:
        nonlocal timed
        if isinstance(each, FieldRef):
            sizes.update(field.size for field in schema.values if field.name == each.name)
        timed = timed or isinstance(each, Time)

    substitute(formula, look)
    lengths = sizes - {None}
    if lengths and (len(sizes) > 1 or timed):
        raise SignalError(
            f"{text(formula)} mixes arrays with arrays of another length or single numbers",
            hint="Compute with arrays inside the window, by its stages.",
        )
    return lengths.pop() if lengths else None
