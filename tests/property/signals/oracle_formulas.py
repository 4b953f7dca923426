"""What a formula means for one event, in plain Python."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from slackwater.signals.formulas import Apply, Binary, Choice, Constant, FieldRef, Time, Unary

_BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": np.divide,
    "**": np.power,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
_UNARY = {
    "-": lambda a: -a,
    "not ": lambda a: not a,
    "abs": abs,
    "real": lambda a: complex(a).real,
    "imag": lambda a: complex(a).imag,
    "conj": lambda a: a.conjugate(),
    "angle": cmath.phase,
    "sin": math.sin,
    "cos": math.cos,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "floor": math.floor,
}


def number(formula: Any, payload: Mapping[str, Any], time: int) -> Any:
    """The value of a formula for one event."""
    if isinstance(formula, Constant):
        return formula.value
    if isinstance(formula, FieldRef):
        return payload[formula.name]
    if isinstance(formula, Time):
        return float(time)
    if isinstance(formula, Unary):
        return _UNARY[formula.op.value](number(formula.argument, payload, time))
    if isinstance(formula, Binary):
        left, right = (number(each, payload, time) for each in (formula.left, formula.right))
        return _BINARY[formula.op.value](left, right)
    if isinstance(formula, Choice):
        at = number(formula.selector, payload, time)
        known = at == int(at) and 0 <= at < len(formula.branches)
        return number(formula.branches[int(at)], payload, time) if known else math.nan
    assert isinstance(formula, Apply)
    return formula.function(*(number(each, payload, time) for each in formula.arguments))
