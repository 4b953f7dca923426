"""The operations an expression takes, counted from sizes alone.

A multiplication of m x k by k x n takes 2 m k n floating-point operations, half of it where a
matrix meets its own transpose; an inverse takes 2 n^3, half of it if symmetric; all else one
for each number of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from slackwater.errors import InvariantError
from slackwater.linalg.build import is_symmetric, transposed
from slackwater.linalg.dims import Sizes
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
    children,
)
from slackwater.linalg.triggers import (
    Append,
    Apply,
    Assign,
    Compress,
    Guard,
    Reevaluate,
    Step,
)


class Kind(Enum):
    """Kinds of operations, as far as their speed depends on it."""

    MULTIPLY = "multiply"
    INVERT = "invert"
    PASS = "pass"
    """One pass over numbers: adding, scaling, copying."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of a numeric routine."""

    kind: Kind
    flops: int
    numbers: int
    """Numbers read and written."""


def multiply_flops(rows: int, inner: int, cols: int, *, own_transpose: bool = False) -> int:
    """Of a product."""
    return rows * inner * cols * (1 if own_transpose else 2)


def inverse_flops(size: int, *, symmetric: bool) -> int:
    """Of an inverse: by Cholesky's factors if symmetric, by Gauss's otherwise."""
    return size**3 * (1 if symmetric else 2)


def compress_flops(rows: int, cols: int, rank: int) -> int:
    """Of two QR factorizations, a small SVD and two products."""
    return 6 * (rows + cols) * rank**2 + 20 * rank**3


def operations(expr: Expr, sizes: Sizes) -> Iterator[Operation]:
    """All operations of an expression, innermost first."""
    for child in children(expr):
        if not (isinstance(expr, Sum) and is_multiple_of_identity(child)):
            yield from operations(child, sizes)
    if not isinstance(expr, Transpose | Ref | Identity | Zeros):
        yield _operation(expr, sizes)


def is_multiple_of_identity(expr: Expr) -> bool:
    """True if adding the expression touches a diagonal only."""
    return isinstance(expr, Identity) or (
        isinstance(expr, Scale) and isinstance(expr.child, Identity)
    )


def _operation(expr: Expr, sizes: Sizes) -> Operation:
    rows, cols = expr.shape.value(sizes)
    match expr:
        case Product(left, right):
            return _product(left, right, sizes)
        case Inverse(child):
            flops = inverse_flops(rows, symmetric=is_symmetric(child))
            return Operation(Kind.INVERT, flops, 2 * rows * cols)
        case Sum(left, right) if is_multiple_of_identity(left) or is_multiple_of_identity(right):
            return Operation(Kind.PASS, rows, 2 * rows * cols)
        case Sum() | Scale() | RowScale():
            return Operation(Kind.PASS, rows * cols, 2 * rows * cols)
        case HStack() | VStack():
            return Operation(Kind.PASS, 0, 2 * rows * cols)
        case Power() | PowerSum() | Recurrence():
            raise InvariantError("iterative forms are expanded before they are counted")
        case Ref() | Identity() | Zeros() | Transpose():
            return Operation(Kind.PASS, 0, 0)
        case _:
            assert_never(expr)


def _product(left: Expr, right: Expr, sizes: Sizes) -> Operation:
    rows, inner = left.shape.value(sizes)
    cols = right.shape.cols.value(sizes)
    own = transposed(left) == right
    flops = multiply_flops(rows, inner, cols, own_transpose=own)
    return Operation(Kind.MULTIPLY, flops, rows * inner + inner * cols + rows * cols)


def step_operations(step: Step, sizes: Sizes) -> Iterator[Operation]:
    """All operations of a trigger's step; re-evaluation is counted by who knows the program."""
    match step:
        case Assign(_, value):
            yield from operations(value, sizes)
        case Guard(_, value):
            yield from operations(Inverse(value), sizes)
        case Compress(left, right):
            (rows, rank), cols = left.shape.value(sizes), right.shape.rows.value(sizes)
            yield Operation(Kind.INVERT, compress_flops(rows, cols, rank), 4 * (rows + cols) * rank)
        case Apply():
            yield _apply(step, sizes)
        case Append(_, rows_ref):
            rows, cols = rows_ref.shape.value(sizes)
            yield Operation(Kind.PASS, 0, 2 * rows * cols)
        case Reevaluate():
            return
        case _:
            assert_never(step)


def _apply(step: Apply, sizes: Sizes) -> Operation:
    rows, cols = step.view.shape.value(sizes)
    if step.whole is not None:
        return Operation(Kind.PASS, rows * cols, 3 * rows * cols)
    rank = step.rank.value(sizes)
    return Operation(Kind.MULTIPLY, multiply_flops(rows, rank, cols), 2 * rows * cols)
