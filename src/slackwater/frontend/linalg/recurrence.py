"""Reads T = A T + B out of a step: what multiplies the iterated matrix, and what is added."""

from __future__ import annotations

from slackwater.errors import MatrixError
from slackwater.linalg.build import added, identity, product, scaled
from slackwater.linalg.matrix_nodes import (
    Expr,
    Product,
    Recurrence,
    Ref,
    Scale,
    Sum,
    Zeros,
    names_read,
)
from slackwater.linalg.matrix_text import print_expr
from slackwater.linalg.models import Model


def recurrence(
    step: Expr, variable: Ref, start: Expr, count: int, model: Model | None = None
) -> Recurrence:
    """The recurrence whose step is `step`, an expression over the iterated matrix `variable`."""
    base, offset = _parts(step, variable)
    if base is None:
        raise MatrixError(
            f"the step of an iteration does not read {variable.name}",
            where=print_expr(step),
            hint=f"Write it as A * {variable.name} + B.",
        )
    return Recurrence(base, offset or Zeros(variable.shape), start, count, model)


def _parts(expr: Expr, variable: Ref) -> tuple[Expr | None, Expr | None]:
    """The matrix that multiplies the variable from the left, and the rest."""
    if variable.name not in names_read(expr):
        return None, expr
    match expr:
        case Ref():
            return identity(variable.shape.rows), None
        case Sum(left, right):
            one, other = _parts(left, variable), _parts(right, variable)
            return _plus(one[0], other[0]), _plus(one[1], other[1])
        case Scale(factor, child):
            base, rest = _parts(child, variable)
            return base and scaled(factor, base), rest and scaled(factor, rest)
        case Product(left, right) if variable.name not in names_read(left):
            base, rest = _parts(right, variable)
            return base and product(left, base), rest and product(left, rest)
        case _:
            raise MatrixError(
                f"{print_expr(expr)} is no matrix times {variable.name} from the left",
                hint=f"Only steps of the form A * {variable.name} + B can be iterated.",
            )


def _plus(one: Expr | None, other: Expr | None) -> Expr | None:
    if one is None or other is None:
        return one or other
    return added(one, other)
