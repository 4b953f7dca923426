"""Correlation of a window with itself, with a vector, or with the window of another field.

The result for windows of n samples and vectors of m has n + m - 1 numbers, from the lag -(m - 1)
to the lag n - 1: c[k] = sum over i of x[i + k] * conj(y[i]). All lags come from one transform: a
NaN or an infinity in a window makes all of them NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import fft

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of


@dataclass(frozen=True, slots=True)
class AutoCorrelation(Stage):
    """The window with itself: 2 n - 1 numbers, with lag 0 in the middle."""

    def output(self, field: Field) -> Field:
        """Longer arrays of the same kind."""
        return replace(field, size=2 * length_of(field, "an autocorrelation") - 1)

    def compute(self, rows: Column) -> Column:
        """By transforms, as all windows have one length."""
        return correlate_rows(rows, rows)

    def describe(self) -> str:
        """For a page."""
        return "autocorrelation"


@dataclass(frozen=True, slots=True)
class CrossCorrelation(Stage):
    """The window with a vector, the same for all windows."""

    vector: tuple[float | complex, ...]

    def __post_init__(self) -> None:
        """There is something to correlate with."""
        if not self.vector:
            raise SignalError("a cross-correlation needs a vector of at least one number")

    def output(self, field: Field) -> Field:
        """Longer arrays, complex if the vector is."""
        size = length_of(field, "a cross-correlation") + len(self.vector) - 1
        complex_vector = any(isinstance(each, complex) for each in self.vector)
        return replace(field, size=size, kind=Number.COMPLEX if complex_vector else field.kind)

    def compute(self, rows: Column) -> Column:
        """By transforms, as all windows have one length."""
        return correlate_rows(rows, np.array(self.vector)[None, :])

    def describe(self) -> str:
        """For a page."""
        return f"cross-correlation with {len(self.vector)} numbers"


@dataclass(frozen=True, slots=True)
class FieldCorrelation(Stage):
    """The window of one field with the window of another, as one field."""

    left: str
    right: str
    name: str = "value"

    def outputs(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        """One field in the place of all."""
        left, right = (self._find(fields, name) for name in (self.left, self.right))
        size = length_of(left, "a correlation of fields") + length_of(right, "it") - 1
        kinds = {left.kind, right.kind}
        kind = Number.COMPLEX if Number.COMPLEX in kinds else Number.REAL
        places = (fields.index(left), fields.index(right))
        if len(fields) != 2 or places != (0, 1):
            raise SignalError(
                f"a correlation of {self.left!r} with {self.right!r} needs these two fields alone",
                hint="Select them, in this order, before the window.",
            )
        return (Field(self.name, kind, size),)

    def _find(self, fields: tuple[Field, ...], name: str) -> Field:
        for field in fields:
            if field.name == name:
                return field
        raise SignalError(
            f"the window has no field {name!r}",
            hint=f"It has {', '.join(field.name for field in fields)}.",
        )

    def output(self, field: Field) -> Field:
        """No field stands by itself."""
        raise SignalError(f"{self.describe()} needs two fields, not {field.name!r}")

    def compute(self, rows: Column) -> Column:
        """No field stands by itself."""
        raise SignalError(f"{self.describe()} needs two fields, not {rows.shape[1]} numbers")

    def compute_all(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """Each window with the one beside it."""
        left, right = columns
        return (correlate_rows(left, right),)

    def describe(self) -> str:
        """For a page."""
        return f"correlation of {self.left} with {self.right}"


def correlate_rows(left: Column, right: Column) -> Column:
    """The full correlation of every row with the row beside it, or with the only one there is."""
    size = left.shape[1] + right.shape[1] - 1
    is_complex = np.iscomplexobj(left) or np.iscomplexobj(right)
    if not len(left):
        return np.empty((0, size), dtype=np.complex128 if is_complex else np.float64)
    length = fft.next_fast_len(size, real=not is_complex)
    ahead, back = (fft.fft, fft.ifft) if is_complex else (fft.rfft, fft.irfft)
    spectrum = ahead(left, length, axis=1) * ahead(np.conj(right[:, ::-1]), length, axis=1)
    found: Column = back(spectrum, length, axis=1)[:, :size]
    return np.ascontiguousarray(found)
