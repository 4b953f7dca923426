"""Evaluates expressions over arrays, and counts the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

import numpy as np

from slackwater.errors import InvariantError
from slackwater.linalg.arrays import Array
from slackwater.linalg.backend import Scope
from slackwater.linalg.build import is_symmetric
from slackwater.linalg.local.invert import invert
from slackwater.linalg.local.multiply import multiply
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


class Evaluation:
    """Evaluates expressions over kept matrices and the factors of a scope."""

    def __init__(self, kept: Mapping[str, Array], scope: Scope, count: Callable[[int], None]):
        """Tell `count` of all floating-point operations."""
        self._kept = kept
        self._scope = scope
        self._count = count

    def value(self, expr: Expr) -> Array:
        """The value; it may be a kept matrix itself, or a view of one."""
        match expr:
            case Ref():
                return self._named(expr.name)
            case Identity():
                return np.eye(expr.size.value(self._scope.sizes))
            case Zeros():
                return np.zeros(expr.shape.value(self._scope.sizes))
            case Product(left, right):
                return self._counted(*multiply(self.value(left), self.value(right)))
            case Sum(left, right):
                return self._sum(left, right)
            case Scale(factor, child):
                made: Array = factor * self.value(child)
                return self._counted(made, made.size)
            case Transpose(child):
                return self.value(child).T
            case Inverse(child):
                return self._counted(*invert(self.value(child), symmetric=is_symmetric(child)))
            case HStack() | VStack():
                axis = 1 if isinstance(expr, HStack) else 0
                return np.concatenate([self.value(part) for part in expr.parts], axis)
            case RowScale(weights, child):
                return self._weighed(self._named(weights.name), self.value(child))
            case Power() | PowerSum() | Recurrence():
                raise InvariantError("iterative forms are expanded before they are evaluated")
            case _:
                assert_never(expr)

    def _named(self, name: str) -> Array:
        if name in self._scope.factors:
            return self._scope.factors[name]
        if name not in self._kept:
            raise InvariantError(f"{name} has no value here")
        return self._kept[name]

    def _counted(self, value: Array, flops: int) -> Array:
        self._count(flops)
        return value

    def _sum(self, left: Expr, right: Expr) -> Array:
        for one, other in ((left, right), (right, left)):
            match other:
                case Identity():
                    return self._plus_identity(self.value(one), 1.0)
                case Scale(factor, Identity()):
                    return self._plus_identity(self.value(one), factor)
        made: Array = self.value(left) + self.value(right)
        return self._counted(made, made.size)

    def _plus_identity(self, value: Array, factor: float) -> Array:
        made = np.array(value, order="C")
        np.einsum("ii->i", made)[...] += factor
        return self._counted(made, len(made))

    def _weighed(self, weights: Array, value: Array) -> Array:
        if (weights == 1.0).all():
            return value
        made: Array = weights * value
        return self._counted(made, made.size)
