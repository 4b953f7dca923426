"""Makes expressions, leaving out what is obviously superfluous.

Transposes are pushed to the leaves and numbers pulled out of products, so that equal
expressions are equal trees and a thin factor always meets a matrix by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from slackwater.linalg.dims import DimLike, Sizes, dim, shape
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


def identity(size: DimLike) -> Identity:
    """The identity matrix."""
    return Identity(dim(size))


def zeros(rows: DimLike, cols: DimLike) -> Zeros:
    """The matrix of zeros."""
    return Zeros(shape(rows, cols))


def product(left: Expr, right: Expr) -> Expr:
    """Two matrices multiplied; identities vanish, zeros absorb, numbers move out."""
    whole = Product(left, right)
    if isinstance(left, Zeros) or isinstance(right, Zeros):
        return Zeros(whole.shape)
    if isinstance(left, Identity):
        return right
    if isinstance(right, Identity):
        return left
    if isinstance(left, Scale):
        return scaled(left.factor, product(left.child, right))
    if isinstance(right, Scale):
        return scaled(right.factor, product(left, right.child))
    return whole


def added(left: Expr, right: Expr) -> Expr:
    """Two matrices added; zeros vanish."""
    whole = Sum(left, right)
    if isinstance(left, Zeros):
        return right
    return left if isinstance(right, Zeros) else whole


def subtracted(left: Expr, right: Expr) -> Expr:
    """One matrix less another."""
    return added(left, scaled(-1.0, right))


def scaled(factor: float, child: Expr) -> Expr:
    """A matrix times a number; numbers multiply, one vanishes."""
    whole = Scale(float(factor), child)
    if isinstance(child, Scale):
        return scaled(whole.factor * child.factor, child.child)
    if isinstance(child, Zeros) or whole.factor == 0.0:
        return Zeros(child.shape)
    return child if whole.factor == 1.0 else whole


def transposed(expr: Expr) -> Expr:
    """The transpose, pushed down to matrices that have a name."""
    if is_symmetric(expr):
        return expr
    match expr:
        case Transpose(child):
            return child
        case Zeros():
            return Zeros(expr.shape.turned)
        case Product(left, right):
            return product(transposed(right), transposed(left))
        case Sum(left, right):
            return added(transposed(left), transposed(right))
        case Scale(factor, child):
            return scaled(factor, transposed(child))
        case Inverse(child):
            return inverse(transposed(child))
        case HStack(parts):
            return VStack(tuple(transposed(part) for part in parts))
        case VStack(parts):
            return HStack(tuple(transposed(part) for part in parts))
        case Ref() | Identity() | RowScale() | Power() | PowerSum() | Recurrence():
            return Transpose(expr)
        case _:
            assert_never(expr)


def inverse(expr: Expr) -> Expr:
    """The inverse; that of an inverse is the matrix itself."""
    whole = Inverse(expr)
    if isinstance(expr, Identity):
        return expr
    return expr.child if isinstance(expr, Inverse) else whole


def beside(*parts: Expr) -> Expr:
    """Matrices side by side; one alone is itself."""
    return parts[0] if len(parts) == 1 else HStack(parts)


def above(*parts: Expr) -> Expr:
    """Matrices on top of each other; one alone is itself."""
    return parts[0] if len(parts) == 1 else VStack(parts)


def is_symmetric(expr: Expr) -> bool:
    """True if the form of an expression proves that it equals its transpose."""
    match expr:
        case Ref():
            return expr.symmetric
        case Identity():
            return True
        case Zeros():
            return expr.shape.square
        case Scale(_, child) | Transpose(child) | Inverse(child):
            return is_symmetric(child)
        case Power(base) | PowerSum(base):
            return is_symmetric(base)
        case Sum(left, right):
            return is_symmetric(left) and is_symmetric(right)
        case Product():
            return _reads_the_same_backwards(expr)
        case HStack() | VStack() | RowScale() | Recurrence():
            return False
        case _:
            assert_never(expr)


def factors(expr: Expr) -> tuple[Expr, ...]:
    """The matrices of a product, from left to right."""
    if isinstance(expr, Product):
        return (*factors(expr.left), *factors(expr.right))
    return (expr,)


def _reads_the_same_backwards(expr: Product) -> bool:
    """True if the factors, turned and in reverse order, are the same factors, as in X' * X."""
    chain = tuple(part for each in factors(expr) for part in _weighed_parts(each))
    return chain == tuple(_turned_factor(each) for each in reversed(chain))


def _weighed_parts(expr: Expr) -> tuple[Expr, ...]:
    """Weighing rows is multiplying by a diagonal matrix, which is a factor of its own."""
    if isinstance(expr, RowScale):
        return (RowScale(expr.weights, Identity(expr.child.shape.rows)), *factors(expr.child))
    return (expr,)


def _turned_factor(expr: Expr) -> Expr:
    return expr if isinstance(expr, RowScale) else transposed(expr)


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with each direct input changed, simplified anew."""
    match expr:
        case Ref() | Identity() | Zeros():
            return expr
        case Product(left, right):
            return product(change(left), change(right))
        case Sum(left, right):
            return added(change(left), change(right))
        case Scale(factor, child):
            return scaled(factor, change(child))
        case Transpose(child):
            return transposed(change(child))
        case Inverse(child):
            return inverse(change(child))
        case HStack(parts):
            return HStack(tuple(change(part) for part in parts))
        case VStack(parts):
            return VStack(tuple(change(part) for part in parts))
        case RowScale(weights, child):
            return replace(expr, child=change(child), weights=weights)
        case Power(base) | PowerSum(base):
            return replace(expr, base=change(base))
        case Recurrence(base, offset, start):
            return replace(expr, base=change(base), offset=change(offset), start=change(start))
        case _:
            assert_never(expr)


def bound(expr: Expr, sizes: Sizes) -> Expr:
    """The expression with numbers for the names of sizes that have one."""
    match expr:
        case Ref():
            return replace(expr, shape=expr.shape.bind(sizes))
        case Identity(size):
            return Identity(size.bind(sizes))
        case Zeros():
            return Zeros(expr.shape.bind(sizes))
        case RowScale(weights, child):
            scaled_rows = replace(weights, shape=weights.shape.bind(sizes))
            return RowScale(scaled_rows, bound(child, sizes))
        case Product() | Sum() | Scale() | Transpose() | Inverse() | HStack() | VStack():
            return rebuilt(expr, lambda child: bound(child, sizes))
        case Power() | PowerSum() | Recurrence():
            return rebuilt(expr, lambda child: bound(child, sizes))
        case _:
            assert_never(expr)
