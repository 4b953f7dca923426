from __future__ import annotations

import pytest

from slackwater.errors import MatrixError, Span
from slackwater.frontend.linalg.ready import (
    gradient_descent,
    matrix_power,
    ordinary_least_squares,
    pagerank,
    reachability,
    ridge_regression,
)
from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.models import Exponential, Linear, Skip

READY = [
    ordinary_least_squares(),
    ordinary_least_squares(rows=False),
    ridge_regression(0.25),
    gradient_descent(1e-3, 10, ridge=0.5, model=Linear()),
    pagerank(0.85, 20, Skip(4)),
    reachability(5, Exponential()),
    matrix_power(16),
]


@pytest.mark.parametrize("program", READY)
def test_printed_programs_read_back_the_same(program: Program) -> None:
    assert parse_program(str(program)) == program


@pytest.mark.parametrize(
    "value",
    [
        "A * (A * A)",
        "A * A * A",
        "A - (A - A')",
        "-A - 2 * A'",
        "(A + A') * A",
        "2.5e-08 * A * A'",
        "[[A, A']; [eye(n), zeros(n, n)]]",
        "inv(A * A' + eye(n)) * A",
        "iterate(T = (A + A') * T + (A - eye(n)), 3, from A)",
        "iterate(T = A * T + zeros(n, n), 3, from A, skip(2))",
        "powers(A, 3) * A",
        "power_sum(A, 3, linear)",
    ],
)
def test_expressions_read_back_the_same(value: str) -> None:
    text = f"input A(n, n);\nB := {value};\noutput B;\n"
    assert str(parse_program(text)) == text


def test_comments_blanks_and_block_rows_are_only_form() -> None:
    text = """
    % fourth power
    input A(n, n);   # square
    B := A*A; C := [B, B;
                    B, B'];
    """
    assert str(parse_program(text)) == (
        "input A(n, n);\nB := A * A;\nC := [[B, B]; [B, B']];\noutput C;\n"
    )


def test_sizes_may_be_bound_and_added() -> None:
    text = "size n = 4; input A(n, 2*k+1); B := A'; output B;"
    assert str(parse_program(text)) == "input A(4, 2*k+1);\nB := A';\noutput B;\n"


def test_arithmetic_of_numbers_is_done_at_once() -> None:
    text = "input A(n, n); B := (1 - 0.5) / 2 * A / 4;"
    assert "B := 0.0625 * A;" in str(parse_program(text))


def test_an_iteration_starts_from_zeros_unless_told() -> None:
    text = "input A(n, n); input B(n, p); R := iterate(X = B + A * X, 4);"
    assert "R := iterate(T = A * T + B, 4, from zeros(n, p));" in str(parse_program(text))


def test_the_iterated_matrix_hides_another_of_its_name_in_the_step_only() -> None:
    text = "input T(n, n); R := iterate(T = T + eye(n), 4, from T); S := T * R;"
    program = parse_program(text)
    assert str(program.statements[0]) == "R := iterate(T_ = eye(n) * T_ + eye(n), 4, from T);"
    assert parse_program(str(program)) == program


@pytest.mark.parametrize(
    ("text", "what", "line", "column", "length"),
    [
        ("input A(n, n);\nB := A * C;", "C is not defined", 2, 10, 1),
        ("input A(n, p);\nB := A * A;", "cannot multiply n x p by n x p", 2, 6, 5),
        ("input A(n, p);\nB := A + A';", "cannot add n x p and p x n", 2, 6, 6),
        ("input A(n, p);\nB := A +\n  inv(A);", "cannot invert n x p", 3, 3, 6),
        ("input A(n, n);\nB := A + 2;", "'+' does not go with a number", 2, 6, 5),
        ("input A(n, n);\nB := 2 / A;", "'/' does not go with", 2, 6, 5),
        ("input A(n, n);\nB := A / 0;", "cannot divide by zero", 2, 10, 1),
        ("input A(n, n);\nB := 3;", "a matrix was expected, not a number", 2, 6, 1),
        ("input A(n, n);\nB := A", "';' was expected, found the end", 2, 7, 0),
        ("input A(n, n);\nB A;", "':=' was expected, found 'A'", 2, 3, 1),
        ("input A(n, n);\nB := A $ A;", "'$' has no meaning here", 2, 8, 1),
        ("input A(n, n);\nB := (A;", "')' was expected, found ';'", 2, 8, 1),
        ("input A(n, n);\nB := [A, A;", "a matrix or a number was expected", 2, 12, 0),
        ("input A(n, n);\nB := foo(A);", "there is no function foo", 2, 6, 3),
        ("input A(n, n);\nB := powers(A, 2.5);", "a whole number was expected", 2, 16, 3),
        ("input A(n, n);\nB := powers(A, 2, magic);", "there is no model magic", 2, 19, 5),
        ("input A(n, n);\nB := powers(A, 0);", "powers cannot take 0 steps", 2, 6, 12),
        ("input A(n, n);\nB := iterate(T = A * T, 3);", "where the iteration starts", 2, 6, 21),
        ("input A(n, n);\nA := A;", "A is defined twice", 2, 1, 6),
        ("input A(n);", "',' was expected, found ')'", 1, 10, 1),
        ("input A(n, 0);", "a matrix cannot have 0 rows", 1, 12, 1),
        ("input A(n, n) sparse;", "an input cannot be sparse", 1, 15, 6),
        ("input A(n, p) symmetric;", "A cannot be symmetric", 1, 1, 23),
        ("input X(2, n) rows;", "the rows of X come and go", 1, 1, 18),
        ("input X(m, n) rows;\nF := 2 * X;", "an entry for every row of a bag", 2, 1, 10),
        ("input X(m, n) rows;\nF := X * X';", "an entry for every row of a bag", 2, 1, 11),
        ("input X(m, n) rows;\ninput A(m, n);\nF := X' * A;", "rows of m come and go", 3, 1, 11),
    ],
)
def test_mistakes_are_shown_where_they_are(
    text: str, what: str, line: int, column: int, length: int
) -> None:
    with pytest.raises(MatrixError) as error:
        parse_program(text)
    where = error.value.where
    assert what in error.value.what
    assert isinstance(where, Span)
    assert (where.line, where.column, where.stop - where.start) == (line, column, length)


def test_a_message_has_a_caret_and_a_way_out() -> None:
    with pytest.raises(MatrixError) as error:
        parse_program("input X(m, n);\nB := X * X;\n")
    *message, hint = str(error.value).splitlines()
    assert message == [
        "cannot multiply m x n by m x n",
        "at line 2, column 6",
        "  B := X * X;",
        "       ^^^^^",
    ]
    assert hint.startswith("hint: The columns of the left matrix must be the rows")


def test_an_output_that_nobody_defines_is_refused() -> None:
    with pytest.raises(MatrixError, match="no statement defines the output C"):
        parse_program("input A(n, n); B := A; output C;")


def test_an_empty_program_is_refused() -> None:
    with pytest.raises(MatrixError, match="there is no output"):
        parse_program("% nothing\n")
