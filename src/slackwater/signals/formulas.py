"""Formulas over the payload of an event and the time: frozen values that print and compare.

Python operators build them, so that `lambda v: v * 2 > 1` is a formula once it is called with
one. Nothing is computed before `evaluate` gets whole columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from slackwater.errors import SignalError


class Number(Enum):
    """The kind of value a field or formula has."""

    REAL = "real"
    COMPLEX = "complex"
    BOOLEAN = "boolean"


class UnaryOp(Enum):
    """A function of one number."""

    NEGATE = "-"
    NOT = "not "
    ABS = "abs"
    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    SIN = "sin"
    COS = "cos"
    FLOOR = "floor"
    REAL = "real"
    IMAG = "imag"
    CONJ = "conj"
    ANGLE = "angle"


class BinaryOp(Enum):
    """An operator between two numbers."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"
    POWER = "**"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    EQUAL = "="
    AND = "and"
    OR = "or"


COMPARISONS = (BinaryOp.LESS, BinaryOp.AT_MOST, BinaryOp.MORE, BinaryOp.AT_LEAST)
CONNECTIVES = (BinaryOp.AND, BinaryOp.OR)


@dataclass(frozen=True, slots=True)
class Formula:
    """Base of all formulas, with Python's operators. `equals` is `=`: `==` compares formulas."""

    def __add__(self, other: Any) -> Formula:
        """The sum."""
        return Binary(BinaryOp.PLUS, self, as_formula(other))

    def __radd__(self, other: Any) -> Formula:
        """The sum with a number."""
        return Binary(BinaryOp.PLUS, as_formula(other), self)

    def __sub__(self, other: Any) -> Formula:
        """The difference."""
        return Binary(BinaryOp.MINUS, self, as_formula(other))

    def __rsub__(self, other: Any) -> Formula:
        """The difference from a number."""
        return Binary(BinaryOp.MINUS, as_formula(other), self)

    def __mul__(self, other: Any) -> Formula:
        """The product."""
        return Binary(BinaryOp.TIMES, self, as_formula(other))

    def __rmul__(self, other: Any) -> Formula:
        """The product with a number."""
        return Binary(BinaryOp.TIMES, as_formula(other), self)

    def __truediv__(self, other: Any) -> Formula:
        """The quotient; by zero it is infinite or NaN."""
        return Binary(BinaryOp.DIVIDE, self, as_formula(other))

    def __rtruediv__(self, other: Any) -> Formula:
        """The quotient of a number."""
        return Binary(BinaryOp.DIVIDE, as_formula(other), self)

    def __pow__(self, other: Any) -> Formula:
        """The power."""
        return Binary(BinaryOp.POWER, self, as_formula(other))

    def __lt__(self, other: Any) -> Formula:
        """True where less."""
        return Binary(BinaryOp.LESS, self, as_formula(other))

    def __le__(self, other: Any) -> Formula:
        """True where at most."""
        return Binary(BinaryOp.AT_MOST, self, as_formula(other))

    def __gt__(self, other: Any) -> Formula:
        """True where more."""
        return Binary(BinaryOp.MORE, self, as_formula(other))

    def __ge__(self, other: Any) -> Formula:
        """True where at least."""
        return Binary(BinaryOp.AT_LEAST, self, as_formula(other))

    def equals(self, other: Any) -> Formula:
        """True where equal."""
        return Binary(BinaryOp.EQUAL, self, as_formula(other))

    def __and__(self, other: Any) -> Formula:
        """True where both are."""
        return Binary(BinaryOp.AND, self, as_formula(other))

    def __or__(self, other: Any) -> Formula:
        """True where one is."""
        return Binary(BinaryOp.OR, self, as_formula(other))

    def __neg__(self) -> Formula:
        """The number with the other sign."""
        return Unary(UnaryOp.NEGATE, self)

    def __invert__(self) -> Formula:
        """True where false."""
        return Unary(UnaryOp.NOT, self)

    def __abs__(self) -> Formula:
        """The magnitude."""
        return Unary(UnaryOp.ABS, self)

    def __bool__(self) -> bool:
        """Refuse `and`, `or` and `if`, which cannot see columns."""
        raise SignalError(
            "a formula has no truth value before it has events",
            hint="Write & for and, | for or, ~ for not, and brackets around comparisons.",
        )


@dataclass(frozen=True, slots=True)
class Constant(Formula):
    """The same number for every event."""

    value: float | complex


@dataclass(frozen=True, slots=True)
class FieldRef(Formula):
    """A field of the payload, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Time(Formula):
    """The time at which a signal is looked at, in ticks."""


@dataclass(frozen=True, slots=True)
class Unary(Formula):
    """A function of one argument."""

    op: UnaryOp
    argument: Formula


@dataclass(frozen=True, slots=True)
class Binary(Formula):
    """An operator between two arguments."""

    op: BinaryOp
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Choice(Formula):
    """For every event the branch its selector counts to, from 0; NaN where there is none.

    It gives each event a function of its own: the selector is a field of the event.
    """

    selector: Formula
    branches: tuple[Formula, ...]

    def __post_init__(self) -> None:
        """There is something to choose from."""
        if not self.branches:
            raise SignalError("a choice needs at least one branch")


@dataclass(frozen=True, slots=True)
class Apply(Formula):
    """A user's function of whole columns, element by element, with a result of the given kind."""

    function: Callable[..., Any]
    arguments: tuple[Formula, ...]
    kind: Number = Number.REAL


Node = Constant | FieldRef | Time | Unary | Binary | Choice | Apply


def node(formula: Formula) -> Node:
    """The formula as one of the closed set of kinds."""
    if not isinstance(formula, Node):
        raise TypeError(f"not a formula: {formula!r}")
    return formula


def as_formula(value: Any) -> Formula:
    """A number as a formula; a formula as it is."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, complex | np.complexfloating):
        return Constant(complex(value))
    if isinstance(value, int | float | np.integer | np.floating):
        return Constant(float(value))
    raise SignalError(
        f"{value!r} is neither a number nor a formula",
        hint="Formulas are made of fields, the time and numbers.",
    )


def function_name(function: Callable[..., Any]) -> str:
    """What a user's function is called on a page.

    >>> function_name(function_name)
    'function_name'
    """
    return getattr(function, "__name__", type(function).__name__)
