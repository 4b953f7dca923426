"""Matrix expressions: frozen trees that know their shape and refuse to exist when it is wrong.

Nodes compare and hash by structure, which makes equal work recognisable. The functions of
`build` make them with the obvious simplifications; the classes here do only what they say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from slackwater.errors import MatrixError
from slackwater.linalg.dims import Dim, Shape
from slackwater.linalg.models import Model


@dataclass(frozen=True, slots=True)
class Ref:
    """A matrix by its name: an input, the result of a statement, or a factor of a delta."""

    name: str
    shape: Shape
    symmetric: bool = False

    def __post_init__(self) -> None:
        """A symmetric matrix is square."""
        if not self.name.isidentifier():
            raise MatrixError(f"{self.name!r} is no name of a matrix", hint="Write a name like A1.")
        if self.symmetric and not self.shape.square:
            raise MatrixError(
                f"{self.name} cannot be symmetric: it is {self.shape}",
                hint="A symmetric matrix has as many rows as columns.",
            )

    def __hash__(self) -> int:
        """By name: within a program two matrices differ in that."""
        return hash(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class _Derived:
    """Base of the nodes that derive their shape; the hash is kept, as it is asked for often."""

    shape: Shape = field(init=False, repr=False)
    signature: tuple[object, ...] = field(init=False, repr=False)
    key: int = field(init=False, repr=False)

    def derive(self, shape: Shape, *signature: object) -> None:
        """Set the shape, and what tells this node from others."""
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "signature", signature)
        object.__setattr__(self, "key", hash((type(self).__name__, signature)))

    def __eq__(self, other: object) -> bool:
        """Two nodes of one kind with equal signatures are equal."""
        return (
            type(self) is type(other)
            and isinstance(other, _Derived)
            and self.key == other.key
            and self.signature == other.signature
        )

    def __hash__(self) -> int:
        """The hash of kind and signature."""
        return self.key


@dataclass(frozen=True, slots=True, eq=False)
class Identity(_Derived):
    """The matrix that changes nothing when multiplied."""

    size: Dim

    def __post_init__(self) -> None:
        """Identities are square."""
        self.derive(Shape(self.size, self.size), self.size)


@dataclass(frozen=True, slots=True)
class Zeros:
    """The matrix of zeros."""

    shape: Shape


@dataclass(frozen=True, slots=True, eq=False)
class Product(_Derived):
    """Two matrices multiplied."""

    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        """Columns on the left meet rows on the right."""
        if self.left.shape.cols != self.right.shape.rows:
            raise MatrixError(
                f"cannot multiply {self.left.shape} by {self.right.shape}",
                hint="The columns of the left matrix must be the rows of the right one; "
                "transpose one of them?",
            )
        self.derive(Shape(self.left.shape.rows, self.right.shape.cols), self.left, self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Sum(_Derived):
    """Two matrices added."""

    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        """Both have one shape."""
        if self.left.shape != self.right.shape:
            raise MatrixError(
                f"cannot add {self.left.shape} and {self.right.shape}",
                hint="Both matrices of a sum or difference need the same shape.",
            )
        self.derive(self.left.shape, self.left, self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Scale(_Derived):
    """A matrix times a number."""

    factor: float
    child: Expr

    def __post_init__(self) -> None:
        """Only finite numbers leave a matrix meaningful."""
        if not math.isfinite(self.factor):
            raise MatrixError(f"cannot multiply a matrix by {self.factor}")
        self.derive(self.child.shape, self.factor, self.child)


@dataclass(frozen=True, slots=True, eq=False)
class Transpose(_Derived):
    """A matrix with rows and columns exchanged."""

    child: Expr

    def __post_init__(self) -> None:
        """The shape is turned."""
        self.derive(self.child.shape.turned, self.child)


@dataclass(frozen=True, slots=True, eq=False)
class Inverse(_Derived):
    """The inverse of a square matrix."""

    child: Expr

    def __post_init__(self) -> None:
        """Only square matrices have one."""
        if not self.child.shape.square:
            raise MatrixError(
                f"cannot invert {self.child.shape}",
                hint="Only square matrices have an inverse; for a tall X write inv(X' * X) * X'.",
            )
        self.derive(self.child.shape, self.child)


@dataclass(frozen=True, slots=True, eq=False)
class HStack(_Derived):
    """Matrices side by side."""

    parts: tuple[Expr, ...]

    def __post_init__(self) -> None:
        """All have the same rows."""
        rows, cols = _stacked([part.shape for part in self.parts], "beside")
        self.derive(Shape(rows, cols), *self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class VStack(_Derived):
    """Matrices on top of each other."""

    parts: tuple[Expr, ...]

    def __post_init__(self) -> None:
        """All have the same columns."""
        cols, rows = _stacked([part.shape.turned for part in self.parts], "above")
        self.derive(Shape(rows, cols), *self.parts)


def _stacked(shapes: list[Shape], how: str) -> tuple[Dim, Dim]:
    """The size all blocks share, and the sum of the other."""
    if len(shapes) < 2:
        raise MatrixError("a block matrix needs at least two blocks")
    total = shapes[0].cols
    for each in shapes[1:]:
        total += each.cols
        if each.rows != shapes[0].rows:
            side = "rows" if how == "beside" else "columns"
            raise MatrixError(
                f"cannot put blocks {how} each other: one has {shapes[0].rows} {side}, "
                f"another {each.rows}",
                hint=f"Blocks that stand {how} each other need the same number of {side}.",
            )
    return shapes[0].rows, total


@dataclass(frozen=True, slots=True, eq=False)
class RowScale(_Derived):
    """Each row of a matrix times the weight of that row."""

    weights: Ref
    child: Expr

    def __post_init__(self) -> None:
        """There is one weight for each row."""
        if self.weights.shape != Shape(self.child.shape.rows, Dim(1)):
            raise MatrixError(f"{self.weights.shape} weights do not fit {self.child.shape}")
        self.derive(self.child.shape, self.weights, self.child)


@dataclass(frozen=True, slots=True, eq=False)
class Power(_Derived):
    """A square matrix multiplied by itself `count` times; no model leaves the choice to costs."""

    base: Expr
    count: int
    model: Model | None = None

    def __post_init__(self) -> None:
        """The base is square, the power at least the first."""
        _check_iteration(self.base, self.count, "powers")
        self.derive(self.base.shape, self.base, self.count, self.model)


@dataclass(frozen=True, slots=True, eq=False)
class PowerSum(_Derived):
    """I + A + ... + A^(count - 1)."""

    base: Expr
    count: int
    model: Model | None = None

    def __post_init__(self) -> None:
        """The base is square, the sum has a term."""
        _check_iteration(self.base, self.count, "power_sum")
        self.derive(self.base.shape, self.base, self.count, self.model)


@dataclass(frozen=True, slots=True, eq=False)
class Recurrence(_Derived):
    """T = A T + B, repeated `count` times from a start."""

    base: Expr
    offset: Expr
    start: Expr
    count: int
    model: Model | None = None

    def __post_init__(self) -> None:
        """A T, B and T have one shape."""
        _check_iteration(self.base, self.count, "iterate")
        stepped = Product(self.base, self.start).shape
        if self.offset.shape != stepped:
            raise MatrixError(
                f"cannot iterate: A * T is {stepped}, what is added {self.offset.shape}",
                hint="In T = A * T + B, the matrices T and B need the same shape.",
            )
        self.derive(stepped, self.base, self.offset, self.start, self.count, self.model)


def _check_iteration(base: Expr, count: int, what: str) -> None:
    if not base.shape.square:
        raise MatrixError(
            f"{what} needs a square matrix, not {base.shape}",
            hint="Only a square matrix can be multiplied by itself.",
        )
    if count < 1:
        raise MatrixError(f"{what} cannot take {count} steps", hint="Take at least one step.")


Iteration = Power | PowerSum | Recurrence
"""Forms that a model expands into statements."""

Expr = (
    Ref
    | Identity
    | Zeros
    | Product
    | Sum
    | Scale
    | Transpose
    | Inverse
    | HStack
    | VStack
    | RowScale
    | Iteration
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct inputs, in order."""
    match expr:
        case Ref() | Identity() | Zeros():
            return ()
        case Product(left, right) | Sum(left, right):
            return (left, right)
        case Scale(_, child) | Transpose(child) | Inverse(child):
            return (child,)
        case HStack(parts) | VStack(parts):
            return parts
        case RowScale(weights, child):
            return (weights, child)
        case Power(base) | PowerSum(base):
            return (base,)
        case Recurrence(base, offset, start):
            return (base, offset, start)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything inside it, parents first."""
    yield expr
    for each in children(expr):
        yield from walk(each)


def names_read(expr: Expr) -> tuple[str, ...]:
    """The names of the matrices an expression reads, in order, each once."""
    return tuple(dict.fromkeys(each.name for each in walk(expr) if isinstance(each, Ref)))
