"""Custom stage: a user's function of a matrix of windows, one a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number, function_name
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of


@dataclass(frozen=True, slots=True)
class CustomStage(Stage):
    """Gives a matrix of `size` columns, or one number a row where the size is None."""

    function: Callable[[Column], Any]
    size: int | None
    kind: Number = Number.REAL

    def output(self, field: Field) -> Field:
        """Arrays of the declared length and kind."""
        length_of(field, self.describe())
        return Field(field.name, self.kind, self.size)

    def compute(self, rows: Column) -> Column:
        """The function's answer, as large as declared."""
        dtype = np.complex128 if self.kind is Number.COMPLEX else np.float64
        found = np.asarray(self.function(rows), dtype=dtype)
        shape = (len(rows),) if self.size is None else (len(rows), self.size)
        if found.shape != shape:
            raise SignalError(
                f"{self.describe()} gave an array of shape {found.shape}, not {shape}",
                hint="Declare the size that the function gives.",
            )
        return found

    def describe(self) -> str:
        """For a page."""
        return function_name(self.function)
