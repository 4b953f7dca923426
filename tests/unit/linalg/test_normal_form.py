from __future__ import annotations

import numpy as np
import pytest

from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.models import Exponential, Linear, Model, Skip
from slackwater.linalg.normal_form import normalize

from .direct import evaluate_directly
from .samples import contraction, distance

MODELS = [Linear(), Exponential(), Skip(2), Skip(3), Skip(4), Skip(20)]
FORMS = """
input A(n, n);
input B(n, p);
input S(n, p);
P := powers(A, {count});
Q := power_sum(A, {count});
R := iterate(T = A * T + B, {count}, from S);
"""


def lines(text: str, *options: object) -> list[str]:
    program = normalize(parse_program(text), *options)  # type: ignore[arg-type]
    return [str(each) for each in program.statements]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13, 16])
def test_every_model_computes_the_same(model: Model, count: int) -> None:
    program = parse_program(FORMS.format(count=count))
    random = np.random.default_rng(count)
    inputs = {"A": contraction(random, 6)}
    inputs |= {name: random.standard_normal((6, 2)) for name in "BS"}
    sizes = {"n": 6, "p": 2}
    wanted = evaluate_directly(program, inputs, sizes)
    made = evaluate_directly(normalize(program, model), inputs, sizes)
    for name in program.outputs:
        assert distance(made[name].value, wanted[name].value) < 1e-13


def test_a_form_keeps_the_model_it_names() -> None:
    text = "input A(n, n); P := powers(A, 4, linear); Q := powers(A, 4);"
    assert lines(text, Exponential()) == [
        "A_p2 := A * A;",
        "A_p3 := A * A_p2;",
        "P := A * A_p3;",
        "Q := A_p2 * A_p2;",
    ]


def test_forms_share_their_powers() -> None:
    text = "input A(n, n); input B(n, 1); P := powers(A, 4); R := iterate(T = A * T + B, 4);"
    assert lines(text, Exponential()) == [
        "A_p2 := A * A;",
        "P := A_p2 * A_p2;",
        "R_2 := A * B + B;",
        "A_s2 := A + eye(n);",
        "R := A_p2 * R_2 + A_s2 * B;",
    ]


def test_forms_inside_expressions_become_statements() -> None:
    text = "input A(n, n); B := powers(A + A', 2) * A;"
    assert lines(text) == [
        "B_step := A + A';",
        "B_iterated := B_step * B_step;",
        "B := B_iterated * A;",
    ]


def test_new_names_avoid_those_of_the_user() -> None:
    text = "input A(n, n); input A_p2(n, n); P := powers(A, 4) + A_p2;"
    assert lines(text)[0] == "A_p2_2 := A * A;"


def test_inverses_and_blocks_get_names() -> None:
    text = "input A(n, n); B := A * inv(A + eye(n)); C := [A, A] * [A; A];"
    assert lines(text) == [
        "B_arg := A + eye(n);",
        "B_inv := inv(B_arg);",
        "B := A * B_inv;",
        "C_blocks := [A, A];",
        "C_blocks_2 := [A; A];",
        "C := C_blocks * C_blocks_2;",
    ]


def test_an_inverse_of_a_named_matrix_uses_the_name() -> None:
    text = "input A(n, n); Z := A' * A; W := inv(A' * A);"
    assert lines(text) == ["Z := A' * A;", "W := inv(Z);"]


def test_products_that_occur_twice_are_computed_once() -> None:
    text = "input A(n, n); B := A * A' + A; C := A * A' - A;"
    assert lines(text) == ["t1 := A * A';", "B := t1 + A;", "C := t1 - A;"]


def test_products_are_ordered_by_sizes() -> None:
    text = "input A(n, n); input x(n, 1); v := A * A * x;"
    assert lines(text, None, {"n": 5}) == ["v := A * (A * x);"]


def test_sums_over_rows_are_weighed_and_named() -> None:
    text = "input X(m, n) rows; input Y(m, p) rows; b := inv(X' * X) * X' * Y;"
    assert lines(text) == [
        "b_arg := X' * (w_m .* X);",
        "b_inv := inv(b_arg);",
        "b_rows := X' * (w_m .* Y);",
        "b := b_inv * b_rows;",
    ]


def test_weighed_products_stay_symmetric() -> None:
    program = normalize(parse_program("input X(m, n) rows; Z := X' * X; B := Z' * Z;"))
    assert program.statements[0].ref.symmetric
    assert str(program.statements[1]) == "B := Z * Z;"


def test_symmetry_is_read_as_before_whatever_a_rewrite_shows() -> None:
    text = "input A(n, n); input S(n, n) symmetric; I := power_sum(A, 1); P := powers(S, 3);"
    identity, _, power = normalize(parse_program(f"{text} B := I' * P' * A;")).statements[:3]
    assert (str(identity), identity.ref.symmetric) == ("I := eye(n);", False)
    assert (str(power), power.ref.symmetric) == ("P := S * S_p2;", True)
