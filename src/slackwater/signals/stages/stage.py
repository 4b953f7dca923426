"""The base of all stages of a window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.schema import Field


@dataclass(frozen=True, slots=True)
class Stage(ABC):
    """Turns the arrays of many windows, one a row, into others; each field by itself."""

    @abstractmethod
    def output(self, field: Field) -> Field:
        """The field it makes of one whose size is the length of its arrays."""

    @abstractmethod
    def compute(self, rows: Column) -> Column:
        """The arrays it makes of these; each row must depend on its own row alone."""

    @abstractmethod
    def describe(self) -> str:
        """The stage on a page."""

    def outputs(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        """The fields it makes of all."""
        return tuple(self.output(field) for field in fields)

    def compute_all(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """The arrays of all fields."""
        return tuple(self.compute(column) for column in columns)


def length_of(field: Field, what: str) -> int:
    """The length of the arrays that a stage reads."""
    if field.size is None:
        raise SignalError(
            f"{what} follows a stage that gives one number for each window",
            hint="Let the stage that gives one number be the last.",
        )
    return field.size
