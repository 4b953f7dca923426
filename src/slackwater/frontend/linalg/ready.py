"""Programs that many people need, ready to be planned and kept.

Inputs that hold data are bags of rows by default, so that least squares grows with its data;
`rows=False` makes them matrices of a fixed shape, whose entries change.
"""

from __future__ import annotations

from slackwater.errors import MatrixError
from slackwater.frontend.linalg.matrices import (
    Matrix,
    ProgramBuilder,
    eye,
    iterate,
    power_sum,
    powers,
    zeros,
)
from slackwater.linalg.matrix_program import InputKind, Program
from slackwater.linalg.models import Model


def ordinary_least_squares(*, rows: bool = True) -> Program:
    """The coefficients `beta` that fit Y = X beta best.

    >>> print(ordinary_least_squares(rows=False))
    input X(m, n);
    input Y(m, p);
    Z := X' * X;
    C := X' * Y;
    W := inv(Z);
    beta := W * C;
    output beta;
    <BLANKLINE>
    """
    return _regression(0.0, rows=rows)


def ridge_regression(ridge: float, *, rows: bool = True) -> Program:
    """Least squares that also keeps the coefficients small, which makes every X usable."""
    if not ridge > 0:
        raise MatrixError(f"a ridge of {ridge} holds nothing", hint="Take a number above zero.")
    return _regression(ridge, rows=rows)


def _regression(ridge: float, *, rows: bool) -> Program:
    b = ProgramBuilder()
    gram, moments = _moments(b, rows=rows)
    held = b.let("R", gram + ridge * eye("n")) if ridge else gram
    inverse = b.let("W", held.inv())
    b.let("beta", inverse @ moments)
    return b.build("beta")


def gradient_descent(
    rate: float, steps: int, *, ridge: float = 0.0, rows: bool = True, model: Model | None = None
) -> Program:
    """Batch gradient descent for least squares: beta - rate (X' (X beta - Y) + ridge beta)."""
    b = ProgramBuilder()
    gram, moments = _moments(b, rows=rows)
    step = b.let("M", (1.0 - rate * ridge) * eye("n") - rate * gram)
    gain = b.let("G", rate * moments)
    b.let("beta", iterate(lambda earlier: step @ earlier + gain, steps, zeros("n", "p"), model))
    return b.build("beta")


def _moments(b: ProgramBuilder, *, rows: bool) -> tuple[Matrix, Matrix]:
    """X' X and X' Y."""
    kind = InputKind.ROWS if rows else InputKind.MATRIX
    predictors, responses = b.input("X", "m", "n", kind), b.input("Y", "m", "p", kind)
    gram = b.let("Z", predictors.T @ predictors, symmetric=True)
    return gram, b.let("C", predictors.T @ responses)


def pagerank(damping: float, steps: int, model: Model | None = None) -> Program:
    """Ranks after some steps of a random surfer.

    Column j of `M` says where page j leads to, each of its links by an equal share; `v` is where
    the surfer starts, and starts again with probability 1 - damping.
    """
    if not 0 < damping < 1:
        raise MatrixError(f"a damping of {damping} is none", hint="Take one between 0 and 1.")
    b = ProgramBuilder()
    links, start = b.input("M", "n", "n"), b.input("v", "n", 1)
    # Without rounding, 1 - 0.85 would be printed with seventeen digits.
    again = round(1.0 - damping, 15) * start
    b.let("rank", iterate(lambda now: damping * links @ now + again, steps, start, model))
    return b.build("rank")


def reachability(steps: int, model: Model | None = None) -> Program:
    """The number of walks of at most `steps` edges from each node to each other.

    `A` has a one where an edge is. A walk exists where the count is not zero; counts are exact
    as long as they are below 2^53.
    """
    b = ProgramBuilder()
    b.let("walks", power_sum(b.input("A", "n", "n"), steps + 1, model))
    return b.build("walks")


def matrix_power(count: int, model: Model | None = None) -> Program:
    """A to the power of `count`."""
    b = ProgramBuilder()
    b.let("P", powers(b.input("A", "n", "n"), count, model))
    return b.build("P")
