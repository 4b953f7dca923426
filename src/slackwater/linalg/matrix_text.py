"""Prints expressions in the text form: the same text every time, and it reads back the same."""

from __future__ import annotations

from typing import assert_never

from slackwater.linalg.matrix_nodes import (
    Expr,
    HStack,
    Identity,
    Inverse,
    Power,
    PowerSum,
    Product,
    Recurrence,
    Ref,
    RowScale,
    Scale,
    Sum,
    Transpose,
    VStack,
    Zeros,
    names_read,
)
from slackwater.linalg.models import Model

_SUM, _PRODUCT, _UNARY, _ATOM = range(4)
"""How tightly an expression holds together; a looser one needs brackets inside a tighter."""


def print_expr(expr: Expr) -> str:
    """The expression as text.

    >>> from slackwater.linalg.dims import shape
    >>> a = Ref("A", shape("n", "n"))
    >>> print(print_expr(Product(Transpose(a), Sum(a, Scale(-2.0, a)))))
    A' * (A - 2 * A)
    """
    return _text(expr)


def _text(expr: Expr) -> str:
    match expr:
        case Ref():
            return expr.name
        case Identity(size):
            return f"eye({size})"
        case Zeros():
            return f"zeros({expr.shape.rows}, {expr.shape.cols})"
        case Product(left, right):
            return f"{_held(left, _PRODUCT)} * {_held(right, _UNARY)}"
        case Sum(left, right):
            return _sum_text(left, right)
        case Scale(factor, child):
            return _scale_text(factor, child)
        case Transpose(child):
            return f"{_held(child, _ATOM)}'"
        case Inverse(child):
            return f"inv({_text(child)})"
        case HStack() | VStack():
            between = ", " if isinstance(expr, HStack) else "; "
            return f"[{between.join(_text(part) for part in expr.parts)}]"
        case RowScale(weights, child):
            return f"{weights.name} .* {_held(child, _UNARY)}"
        case Power() | PowerSum() | Recurrence():
            return _iteration_text(expr)
        case _:
            assert_never(expr)


def _held(expr: Expr, strength: int) -> str:
    text = _text(expr)
    return text if _strength(expr) >= strength else f"({text})"


def _strength(expr: Expr) -> int:
    match expr:
        case Sum():
            return _SUM
        case Scale(factor):
            return _PRODUCT if factor >= 0 else _SUM
        case Product() | RowScale():
            return _PRODUCT
        case Transpose():
            return _UNARY
        case Ref() | Identity() | Zeros() | Inverse() | HStack() | VStack():
            return _ATOM
        case Power() | PowerSum() | Recurrence():
            return _ATOM
        case _:
            assert_never(expr)


def _sum_text(left: Expr, right: Expr) -> str:
    if isinstance(right, Scale) and right.factor < 0:
        less = Scale(-right.factor, right.child) if right.factor != -1 else right.child
        return f"{_text(left)} - {_held(less, _PRODUCT)}"
    return f"{_text(left)} + {_held(right, _PRODUCT)}"


def _scale_text(factor: float, child: Expr) -> str:
    if factor == -1:
        return f"-{_held(child, _PRODUCT)}"
    return f"{number(factor)} * {_held(child, _PRODUCT)}"


def number(value: float) -> str:
    """A number without a needless point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _iteration_text(expr: Power | PowerSum | Recurrence) -> str:
    match expr:
        case Power(base, count, model):
            return f"powers({_text(base)}, {count}{_model_text(model)})"
        case PowerSum(base, count, model):
            return f"power_sum({_text(base)}, {count}{_model_text(model)})"
        case Recurrence(base, offset, start, count, model):
            name = _variable(expr)
            step = f"{name} = {_held(base, _PRODUCT)} * {name} + {_held(offset, _PRODUCT)}"
            return f"iterate({step}, {count}, from {_text(start)}{_model_text(model)})"
        case _:
            assert_never(expr)


def _variable(expr: Recurrence) -> str:
    """A name for the iterated matrix that the recurrence does not read."""
    name, taken = "T", names_read(expr)
    while name in taken:
        name += "_"
    return name


def _model_text(model: Model | None) -> str:
    return "" if model is None else f", {model}"
