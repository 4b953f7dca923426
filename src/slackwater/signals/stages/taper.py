"""Window functions: weights that let a window fade at its ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scipy.signal import get_window

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of


class TaperShape(Enum):
    """A window function by its usual name, in its periodic form."""

    HANN = "hann"
    HAMMING = "hamming"
    BLACKMAN = "blackman"
    BARTLETT = "bartlett"
    FLAT_TOP = "flattop"
    KAISER = "kaiser"
    """Needs a beta: the higher, the narrower."""


@dataclass(frozen=True, slots=True)
class Taper(Stage):
    """The window times a window function of its length."""

    shape: TaperShape
    beta: float | None = None

    def __post_init__(self) -> None:
        """Only Kaiser's window has a parameter."""
        if (self.shape is TaperShape.KAISER) != (self.beta is not None):
            raise SignalError(
                f"window function {self.shape.value} with beta {self.beta}",
                hint="Give beta for kaiser, and for no other.",
            )

    def output(self, field: Field) -> Field:
        """The same arrays."""
        length_of(field, "a window function")
        return field

    def compute(self, rows: Column) -> Column:
        """Every row times the weights."""
        name = self.shape.value if self.beta is None else (self.shape.value, self.beta)
        tapered: Column = rows * get_window(name, rows.shape[1])
        return tapered

    def describe(self) -> str:
        """For a page."""
        return self.shape.value + ("" if self.beta is None else f" {self.beta:g}")
