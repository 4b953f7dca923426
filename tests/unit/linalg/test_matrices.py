from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from slackwater.errors import MatrixError
from slackwater.frontend.linalg.matrices import (
    Matrix,
    ProgramBuilder,
    eye,
    hstack,
    iterate,
    power_sum,
    powers,
    vstack,
    zeros,
)
from slackwater.linalg.matrix_nodes import Recurrence
from slackwater.linalg.matrix_program import InputKind
from slackwater.linalg.models import Skip


class Given(NamedTuple):
    a: Matrix
    b: Matrix
    s: Matrix


def inputs() -> Given:
    b = ProgramBuilder()
    symmetric = b.input("S", "n", "n", InputKind.SYMMETRIC)
    return Given(b.input("A", "n", "n"), b.input("B", "n", "p"), symmetric)


def test_operators_print_as_the_text_form() -> None:
    a, b, _ = inputs()
    assert str(a @ a.T @ b - 2 * b) == "A * A' * B - 2 * B"
    assert str((a + eye("n")).inv() @ b) == "inv(A + eye(n)) * B"
    assert str(-a * 0.5) == "-0.5 * A"
    assert str(vstack([hstack([a, b]), hstack([a, b])])) == "[[A, B]; [A, B]]"


def test_transposes_move_to_the_leaves() -> None:
    a, b, s = inputs()
    assert str((a @ b).T) == "B' * A'"
    assert str((2 * a + a.T).T) == "2 * A' + A"
    assert str(hstack([a, b]).T) == "[A'; B']"
    assert s == s.T


def test_identities_and_zeros_vanish() -> None:
    a, b, _ = inputs()
    assert eye("n") @ a @ eye("n") == a
    assert a + zeros("n", "n") == a
    assert a @ zeros("n", "p") + b == b
    assert str(0 * a) == "zeros(n, n)"


@pytest.mark.parametrize(
    ("make", "symmetric"),
    [
        (lambda g: g.a.T @ g.a, True),
        (lambda g: g.a @ g.a, False),
        (lambda g: g.s @ g.s, True),
        (lambda g: g.b.T @ g.s @ g.b, True),
        (lambda g: g.b.T @ g.a @ g.b, False),
        (lambda g: (g.a.T @ g.a + 2 * eye("n")).inv(), True),
        (lambda g: g.s + g.a, False),
        (lambda g: powers(g.s, 3), True),
    ],
)
def test_symmetry_follows_from_the_form(make: Callable[[Given], Matrix], symmetric: bool) -> None:
    assert make(inputs()).symmetric is symmetric


@pytest.mark.parametrize(
    ("make", "what", "where"),
    [
        (lambda g: g.b @ g.a, "cannot multiply n x p by n x n", "B @ A"),
        (lambda g: g.a + g.b, "cannot add n x n and n x p", "A + B"),
        (lambda g: g.a - g.b, "cannot add n x n and n x p", "A - B"),
        (lambda g: g.b.inv(), "cannot invert n x p", "inv(B)"),
        (lambda g: g.a * g.b, "* multiplies by a number", "A * B"),
        (lambda g: powers(g.b, 3), "powers needs a square matrix, not n x p", None),
        (lambda g: power_sum(g.a, 0), "power_sum cannot take 0 steps", None),
        (lambda g: g.a * float("nan"), "cannot multiply a matrix by nan", None),
        (lambda g: hstack([g.a]), "a block matrix needs at least two blocks", None),
        (lambda g: vstack([g.a, g.b]), "cannot put blocks above each other", None),
        (lambda g: iterate(lambda t: t @ g.a, 3, g.a), "from the left", None),
        (lambda g: iterate(lambda _: g.a, 3, g.a), "does not read", "A"),
    ],
)
def test_mistakes_are_refused_where_they_are_made(
    make: Callable[[Given], Matrix], what: str, where: str | None
) -> None:
    with pytest.raises(MatrixError) as error:
        make(inputs())
    assert what in error.value.what
    assert error.value.where == where


def test_a_symmetric_input_must_be_square() -> None:
    with pytest.raises(MatrixError, match="cannot be symmetric"):
        ProgramBuilder().input("A", "n", "p", InputKind.SYMMETRIC)


def test_symmetry_that_is_asked_for_must_be_provable() -> None:
    b = ProgramBuilder()
    a = b.input("A", "n", "n")
    assert b.let("Z", a.T @ a, symmetric=True).symmetric
    with pytest.raises(MatrixError, match="nothing shows that Q is symmetric"):
        b.let("Q", a @ a, symmetric=True)


def test_a_step_is_taken_apart_wherever_its_terms_stand() -> None:
    a, b, _ = inputs()
    made = iterate(lambda t: b + 0.5 * (a @ (t + b)) - t, 4, zeros("n", "p"), Skip(2)).expr
    assert isinstance(made, Recurrence)
    assert str(Matrix(made.base)) == "0.5 * A - eye(n)"
    assert str(Matrix(made.offset)) == "B + 0.5 * A * B"


def test_numpy_does_not_take_a_matrix_apart() -> None:
    a, _, _ = inputs()
    with pytest.raises(TypeError):
        np.ones((2, 2)) @ a
    assert str(np.float64(2) * a) == "2 * A"


def test_outputs_are_what_no_statement_reads() -> None:
    b = ProgramBuilder()
    a = b.input("A", "n", "n")
    b.let("C", b.let("B", a @ a) @ a)
    b.let("D", a.T)
    assert b.build().outputs == ("C", "D")
    assert b.build("B").outputs == ("B",)


def test_programs_compare_by_value() -> None:
    def made(factor: float) -> object:
        b = ProgramBuilder()
        b.let("B", factor * b.input("A", "n", "n"))
        return b.build()

    assert made(2) == made(2)
    assert made(2) != made(3)
    assert hash(made(2)) == hash(made(2))


@pytest.mark.parametrize(
    ("name", "read", "what"),
    [
        ("A", ("A", "n"), "A is defined twice"),
        ("B", ("C", "n"), "C is read before"),
        ("B", ("A", "k"), "but read as k x k"),
    ],
)
def test_programs_refuse_names_that_do_not_fit(name: str, read: tuple[str, str], what: str) -> None:
    b = ProgramBuilder()
    b.input("A", "n", "n")
    b.let(name, ProgramBuilder().input(read[0], read[1], read[1]))
    with pytest.raises(MatrixError, match=what):
        b.build()


def test_an_output_must_be_defined() -> None:
    b = ProgramBuilder()
    b.let("B", b.input("A", "n", "n") * 2)
    with pytest.raises(MatrixError, match="no statement defines the output C"):
        b.build("C")


def test_binding_gives_sizes_numbers() -> None:
    b = ProgramBuilder()
    b.let("B", b.input("A", "n", "n") + eye("n"))
    program = b.build().bind({"n": 3})
    assert str(program) == "input A(3, 3);\nB := A + eye(3);\noutput B;\n"
