"""Evaluates programs as they are written, one operation after another, with NumPy alone.

It shares no code with the compiler: neither expansion nor ordering nor deltas. Beside every value
it computes a bound on how far rounding may have moved it: the norm that the value would have if
nothing cancelled out, and for an inverse what an error of the inverted matrix does to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

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
)
from slackwater.linalg.matrix_program import Program

from .samples import Array


@dataclass(frozen=True)
class Estimate:
    """A value, and the norm that its rounding errors are a fraction of."""

    value: Array
    bound: float

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.value + other.value, self.bound + other.bound)

    def __matmul__(self, other: Estimate) -> Estimate:
        return Estimate(self.value @ other.value, self.bound * other.bound)


def exact(value: Array) -> Estimate:
    return Estimate(value, float(np.linalg.norm(value)))


def evaluate_directly(
    program: Program, inputs: Mapping[str, Array], sizes: Mapping[str, int]
) -> dict[str, Estimate]:
    """All matrices of a program."""
    known = {name: exact(value) for name, value in inputs.items()}
    for statement in program.statements:
        known[statement.name] = _value(statement.value, known, sizes)
    return known


def _value(expr: Expr, known: Mapping[str, Estimate], sizes: Mapping[str, int]) -> Estimate:
    def value(inner: Expr) -> Estimate:
        return _value(inner, known, sizes)

    match expr:
        case Ref():
            return known[expr.name]
        case Identity() | Zeros():
            rows, cols = expr.shape.value(sizes)
            return exact(np.eye(rows, cols) * isinstance(expr, Identity))
        case Product(left, right):
            return value(left) @ value(right)
        case Sum(left, right):
            return value(left) + value(right)
        case Scale(factor, child):
            inner = value(child)
            return Estimate(factor * inner.value, abs(factor) * inner.bound)
        case Transpose(child):
            inner = value(child)
            return Estimate(inner.value.T, inner.bound)
        case Inverse(child):
            return _inverse(value(child))
        case HStack(parts) | VStack(parts):
            blocks = [value(part) for part in parts]
            stack = np.hstack if isinstance(expr, HStack) else np.vstack
            return Estimate(stack([b.value for b in blocks]), sum(b.bound for b in blocks))
        case _:
            return _iterated(expr, value)


def _iterated(expr: Expr, value: Callable[[Expr], Estimate]) -> Estimate:
    match expr:
        case Power(base, count) | PowerSum(base, count):
            return _powers(value(base), count, summed=isinstance(expr, PowerSum))
        case Recurrence(base, offset, start, count):
            made = value(start)
            for _ in range(count):
                made = value(base) @ made + value(offset)
            return made
        case RowScale(weights, child):
            inner, counts = value(child), value(weights).value
            return Estimate(counts * inner.value, float(np.abs(counts).max()) * inner.bound)
        case _:
            raise AssertionError(expr)


def _inverse(inner: Estimate) -> Estimate:
    made = np.linalg.inv(inner.value)
    size = float(np.linalg.norm(made))
    return Estimate(made, size + size * size * inner.bound)


def _powers(base: Estimate, count: int, *, summed: bool) -> Estimate:
    one = exact(np.eye(len(base.value)))
    made = one if summed else base
    for _ in range(count - 1):
        made = base @ made + one if summed else base @ made
    return made
