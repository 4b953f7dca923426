"""The base of all operators: frozen records that derive their schema and refuse to be wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from slackwater.errors import SignalError
from slackwater.signals.frame import Frame
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import OperatorState
from slackwater.signals.schema import SignalSchema


@dataclass(frozen=True, slots=True)
class Operator(ABC):
    """A signal computed from other signals."""

    parts: ClassVar[int] = 0
    """Into how many parts the state of a group is divided; 0 for none."""

    @property
    @abstractmethod
    def schema(self) -> SignalSchema:
        """The signal this operator gives."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Operator, ...]:
        """The signals it reads."""

    @abstractmethod
    def describe(self) -> str:
        """The operator on one line, without its inputs."""

    @abstractmethod
    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Take the next frames of the inputs in; give what is final now, and the state after it.

        The result depends on the events and bounds taken in so far, never on how they were
        divided into frames. That is the law the property tests hold every operator to.
        """

    def __str__(self) -> str:
        """The whole pipeline, inputs indented below."""
        return "\n".join(_lines(self, 0))


def _lines(operator: Operator, indent: int) -> Iterator[str]:
    yield "  " * indent + operator.describe()
    for each in operator.inputs:
        yield from _lines(each, indent + 1)


def require_grid(schema: SignalSchema, what: str) -> Grid:
    """The beats of a signal that must be uniform."""
    if schema.grid is None:
        raise SignalError(
            f"{what} needs equally spaced samples, and this signal has none",
            hint="Call sample(period) first.",
        )
    return schema.grid


def require_scalars(schema: SignalSchema, what: str) -> None:
    """Refuse a signal of arrays."""
    for field in schema.fields:
        if field.size is not None:
            raise SignalError(
                f"{what} needs one number for each event; {field.name!r} is an array of "
                f"{field.size}",
                hint="Unwindow it first, or end the window with a stage that gives one number.",
            )


def require_values(schema: SignalSchema, what: str) -> None:
    """Refuse a signal whose payload is a function of time."""
    if schema.functions:
        raise SignalError(
            f"{what} needs values, and this signal has functions of time",
            hint="Call sample(period) first.",
        )
