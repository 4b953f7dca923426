from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from slackwater.errors import SignalError
from slackwater.frontend.signal import formula_functions as f
from slackwater.signals.evaluation import evaluate, kind_of, substitute, text
from slackwater.signals.formulas import Constant, Formula, Number, as_formula

V = f.field("v")
Z = f.field("z")
KINDS = {"v": Number.REAL, "z": Number.COMPLEX}


def value(formula: Formula, **columns: Any) -> Any:
    arrays = {name: np.array(each) for name, each in columns.items()}
    count = len(next(iter(arrays.values())))
    return evaluate(formula, arrays, np.arange(count)).tolist()


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        (V * 2 + 1, "((v * 2) + 1)"),
        (1 - V / 0.1, "(1 - (v / 0.1))"),
        (-(abs(V) ** 2), "-(abs(v) ** 2)"),
        ((V > 1) & ~(V <= 2) | V.equals(3), "(((v > 1) and not (v <= 2)) or (v = 3))"),
        (f.sin(f.t) * 1j, "(sin(t) * 1j)"),
        (f.choose(V, 1, f.t), "choose(v, 1, t)"),
        (f.call(np.hypot, V, 3), "hypot(v, 3)"),
    ],
)
def test_formulas_print_and_compare(formula: Formula, printed: str) -> None:
    assert text(formula) == printed
    rebuilt = substitute(formula, lambda _each: None)
    assert rebuilt == formula
    assert hash(rebuilt) == hash(formula)
    assert formula != formula + 1


def test_formulas_evaluate_whole_columns() -> None:
    assert value(V * 2 - f.t, v=[1.0, 5.0]) == [2.0, 9.0]
    assert value((V > 1) | (V < 0), v=[1.0, 5.0, -1.0]) == [False, True, True]
    assert value(f.real(Z) + f.imag(f.conj(Z)), z=[1 + 2j]) == [-1.0]
    assert value(f.sqrt(f.floor(V)), v=[4.5]) == [2.0]
    assert value(f.call(np.hypot, V, 3.0), v=[4.0]) == [5.0]
    assert value(as_formula(7), v=[4.0, 5.0]) == [7.0, 7.0]


def test_division_by_zero_is_infinite_or_nan() -> None:
    with np.errstate(all="ignore"):
        found = value(V / 0, v=[1.0, 0.0])
    assert found[0] == np.inf
    assert np.isnan(found[1])


def test_a_choice_gives_every_event_its_own_branch() -> None:
    found = value(f.choose(V, 10, f.t), v=[0.0, 1.0, 2.0])
    assert found[:2] == [10.0, 1.0]
    assert np.isnan(found[2])


def test_kinds_are_derived() -> None:
    assert kind_of(V + 1j, KINDS) is Number.COMPLEX
    assert kind_of(abs(Z), KINDS) is Number.REAL
    assert kind_of(V < 3, KINDS) is Number.BOOLEAN
    assert kind_of(f.choose(V, V, Z), KINDS) is Number.COMPLEX
    assert kind_of(f.call(np.exp, V, is_complex=True), KINDS) is Number.COMPLEX


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (f.field("w"), "no field 'w'"),
        (Z < 1, "complex ones have no order"),
        (V & (V > 1), "needs conditions"),
        ((V > 1) + 1, "needs numbers"),
        (~V, "needs conditions"),
        (f.floor(Z), "complex ones have no order"),
    ],
)
def test_formulas_without_meaning_are_refused(formula: Formula, message: str) -> None:
    with pytest.raises(SignalError, match=message):
        kind_of(formula, KINDS)


def test_python_cannot_ask_a_formula_for_its_truth() -> None:
    with pytest.raises(SignalError, match="no truth value"):
        bool(V > 1)


def test_only_numbers_and_formulas_are_operands() -> None:
    with pytest.raises(SignalError, match="neither a number nor a formula"):
        V + "x"
    with pytest.raises(SignalError, match="at least one branch"):
        f.choose(V)
    assert as_formula(np.float64(2)) == Constant(2.0)
    assert as_formula(np.complex128(2j)) == Constant(2j)
