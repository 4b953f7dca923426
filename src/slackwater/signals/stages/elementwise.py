"""Element-wise stages: every number of a window by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.evaluation import evaluate, kind_of, text
from slackwater.signals.formulas import FieldRef, Formula, Number
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of

ELEMENT = "x"
"""What formulas call a number of the window."""


@dataclass(frozen=True, slots=True)
class Product(Stage):
    """The window times a vector of its length."""

    vector: tuple[float | complex, ...]

    def output(self, field: Field) -> Field:
        """The same arrays, complex if the vector is."""
        size = length_of(field, "a product")
        if size != len(self.vector):
            raise SignalError(
                f"a window of {size} numbers times a vector of {len(self.vector)}",
                hint="Give a vector as long as the window.",
            )
        complex_vector = any(isinstance(each, complex) for each in self.vector)
        return replace(field, kind=Number.COMPLEX if complex_vector else field.kind)

    def compute(self, rows: Column) -> Column:
        """Every row times the vector."""
        product: Column = rows * np.array(self.vector)
        return product

    def describe(self) -> str:
        """For a page."""
        return f"product with {len(self.vector)} numbers"


@dataclass(frozen=True, slots=True)
class MapElements(Stage):
    """Every number x replaced by a formula of it."""

    formula: Formula

    def output(self, field: Field) -> Field:
        """Arrays of the formula's kind."""
        length_of(field, "a formula")
        return replace(field, kind=kind_of(self.formula, {ELEMENT: field.kind}))

    def compute(self, rows: Column) -> Column:
        """The formula of all numbers."""
        flat = rows.reshape(-1)
        values = evaluate(self.formula, {ELEMENT: flat}, np.zeros(len(flat), dtype=np.int64))
        return np.ascontiguousarray(values).reshape(rows.shape)

    def describe(self) -> str:
        """For a page."""
        return f"{ELEMENT} -> {text(self.formula)}"


def element() -> Formula:
    """A number of the window, for formulas."""
    return FieldRef(ELEMENT)
