"""Matrix programs as Python expressions.

>>> b = ProgramBuilder()
>>> A = b.input("A", "n", "n")
>>> B = b.let("B", A @ A)
>>> C = b.let("C", B @ B.T + 2 * eye("n"))
>>> print(b.build())
input A(n, n);
B := A * A;
C := B * B' + 2 * eye(n);
output C;
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slackwater.errors import MatrixError
from slackwater.frontend.linalg.recurrence import recurrence
from slackwater.linalg import build
from slackwater.linalg.dims import DimLike, Shape, shape
from slackwater.linalg.matrix_nodes import Expr, HStack, Power, PowerSum, Ref, VStack, names_read
from slackwater.linalg.matrix_program import Input, InputKind, Program, Statement
from slackwater.linalg.matrix_text import print_expr
from slackwater.linalg.models import Model

_RESERVED = "__"
"""The end of names that stand for iterated matrices; no input or statement may be called so."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """An expression that Python's operators work on; its shape is checked as it is built."""

    expr: Expr

    __array_ufunc__ = None
    """Keeps NumPy from taking a matrix apart when it stands on the left of an operator."""

    @property
    def shape(self) -> Shape:
        """Rows and columns."""
        return self.expr.shape

    @property
    def symmetric(self) -> bool:
        """True if the expression proves that the matrix equals its transpose."""
        return build.is_symmetric(self.expr)

    @property
    def T(self) -> Matrix:  # noqa: N802 - the name NumPy uses
        """The transpose."""
        return Matrix(build.transposed(self.expr))

    def inv(self) -> Matrix:
        """The inverse."""
        return self._made(lambda: build.inverse(self.expr), f"inv({self})")

    def __matmul__(self, other: Matrix) -> Matrix:
        """The product."""
        return self._made(lambda: build.product(self.expr, other.expr), f"{self} @ {other}")

    def __add__(self, other: Matrix) -> Matrix:
        """The sum."""
        return self._made(lambda: build.added(self.expr, other.expr), f"{self} + {other}")

    def __sub__(self, other: Matrix) -> Matrix:
        """The difference."""
        return self._made(lambda: build.subtracted(self.expr, other.expr), f"{self} - {other}")

    def __mul__(self, factor: float | Matrix) -> Matrix:
        """The matrix times a number; a matrix is refused with the operator that was meant."""
        if isinstance(factor, Matrix):
            raise MatrixError(
                "* multiplies by a number", where=f"{self} * {factor}", hint="Write A @ B."
            )
        return Matrix(build.scaled(factor, self.expr))

    def __rmul__(self, factor: float) -> Matrix:
        """A number times the matrix."""
        return self * factor

    def __neg__(self) -> Matrix:
        """The matrix times minus one."""
        return self * -1.0

    def __str__(self) -> str:
        """The expression in the text form."""
        return print_expr(self.expr)

    def _made(self, make: Callable[[], Expr], where: str) -> Matrix:
        """The result, or an error that shows where it was tried."""
        try:
            return Matrix(make())
        except MatrixError as error:
            raise type(error)(error.what, where=where, hint=error.hint) from None


def eye(size: DimLike) -> Matrix:
    """The identity matrix."""
    return Matrix(build.identity(size))


def zeros(rows: DimLike, cols: DimLike) -> Matrix:
    """The matrix of zeros."""
    return Matrix(build.zeros(rows, cols))


def hstack(parts: Sequence[Matrix]) -> Matrix:
    """Matrices side by side."""
    return Matrix(HStack(tuple(part.expr for part in parts)))


def vstack(parts: Sequence[Matrix]) -> Matrix:
    """Matrices on top of each other."""
    return Matrix(VStack(tuple(part.expr for part in parts)))


def powers(base: Matrix, count: int, model: Model | None = None) -> Matrix:
    """The matrix to the power of `count`; without a model, costs decide on one."""
    return Matrix(Power(base.expr, count, model))


def power_sum(base: Matrix, count: int, model: Model | None = None) -> Matrix:
    """I + A + ... + A^(count - 1)."""
    return Matrix(PowerSum(base.expr, count, model))


def iterate(
    step: Callable[[Matrix], Matrix], count: int, start: Matrix, model: Model | None = None
) -> Matrix:
    """The matrix after `count` steps of the form T = A T + B.

    >>> b = ProgramBuilder()
    >>> A, B = b.input("A", "n", "n"), b.input("B", "n", 1)
    >>> print(iterate(lambda T: 0.5 * A @ T + B, 8, start=B))
    iterate(T = 0.5 * A * T + B, 8, from B)
    """
    variable = Ref(f"T{_RESERVED}", start.shape)
    made = step(Matrix(variable)).expr
    return Matrix(recurrence(made, variable, start.expr, count, model))


class ProgramBuilder:
    """Collects inputs and statements, in order."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._inputs: list[Input] = []
        self._statements: list[Statement] = []

    def input(
        self, name: str, rows: DimLike, cols: DimLike, kind: InputKind = InputKind.MATRIX
    ) -> Matrix:
        """Declare a matrix that is given from outside."""
        if kind is InputKind.WEIGHTS:
            raise MatrixError("weights are no input of a program", hint="Give them with the rows.")
        _check_name(name)
        self._inputs.append(Input(name, shape(rows, cols), kind))
        return Matrix(self._inputs[-1].ref)

    def let(self, name: str, value: Matrix, *, symmetric: bool = False) -> Matrix:
        """Name the value of an expression; `symmetric` insists that its form proves it so."""
        _check_name(name)
        statement = Statement(name, value.expr)
        if symmetric and not value.symmetric:
            raise MatrixError(
                f"nothing shows that {name} is symmetric",
                where=str(statement),
                hint="Write it as X' * X, or as a sum of symmetric matrices.",
            )
        self._statements.append(statement)
        return Matrix(statement.ref)

    def build(self, *outputs: str) -> Program:
        """The program; without names, its outputs are the statements that no other reads."""
        return Program(
            tuple(self._inputs),
            tuple(self._statements),
            outputs or default_outputs(self._statements),
        )


def _check_name(name: str) -> None:
    if name.endswith(_RESERVED):
        raise MatrixError(f"{name} ends with two underscores", hint="Choose another name.")


def default_outputs(statements: Sequence[Statement]) -> tuple[str, ...]:
    """The statements that no other reads."""
    read = {name for each in statements for name in names_read(each.value)}
    return tuple(each.name for each in statements if each.name not in read)
