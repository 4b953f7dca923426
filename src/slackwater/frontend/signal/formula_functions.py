"""Functions for formulas over payloads, named as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.signals.formulas import (
    Apply,
    Choice,
    FieldRef,
    Formula,
    Number,
    Time,
    Unary,
    UnaryOp,
    as_formula,
)

t = Time()
"""The time, in ticks: of an event its start, of a functional signal the moment looked at."""


def field(name: str) -> Formula:
    """A field of the payload."""
    return FieldRef(name)


def sqrt(value: Any) -> Formula:
    """The square root; NaN for negative numbers."""
    return Unary(UnaryOp.SQRT, as_formula(value))


def exp(value: Any) -> Formula:
    """The exponential."""
    return Unary(UnaryOp.EXP, as_formula(value))


def log(value: Any) -> Formula:
    """The natural logarithm."""
    return Unary(UnaryOp.LOG, as_formula(value))


def sin(value: Any) -> Formula:
    """The sine of an angle in radians."""
    return Unary(UnaryOp.SIN, as_formula(value))


def cos(value: Any) -> Formula:
    """The cosine of an angle in radians."""
    return Unary(UnaryOp.COS, as_formula(value))


def floor(value: Any) -> Formula:
    """The largest whole number that is not larger."""
    return Unary(UnaryOp.FLOOR, as_formula(value))


def real(value: Any) -> Formula:
    """The real part."""
    return Unary(UnaryOp.REAL, as_formula(value))


def imag(value: Any) -> Formula:
    """The imaginary part."""
    return Unary(UnaryOp.IMAG, as_formula(value))


def conj(value: Any) -> Formula:
    """The conjugate."""
    return Unary(UnaryOp.CONJ, as_formula(value))


def angle(value: Any) -> Formula:
    """The angle of a complex number in radians."""
    return Unary(UnaryOp.ANGLE, as_formula(value))


def choose(selector: Any, *branches: Any) -> Formula:
    """The branch that the selector counts to, from 0: a function of its own for every event."""
    return Choice(as_formula(selector), tuple(as_formula(each) for each in branches))


def call(function: Callable[..., Any], *arguments: Any, is_complex: bool = False) -> Formula:
    """A function of whole columns that works element by element, such as a ufunc of SciPy."""
    kind = Number.COMPLEX if is_complex else Number.REAL
    return Apply(function, tuple(as_formula(each) for each in arguments), kind)
