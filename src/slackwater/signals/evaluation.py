"""What formulas mean: their kind, their values over whole columns, and their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, assert_never

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column, Ints
from slackwater.signals.formulas import (
    COMPARISONS,
    CONNECTIVES,
    Apply,
    Binary,
    BinaryOp,
    Choice,
    Constant,
    FieldRef,
    Formula,
    Number,
    Time,
    Unary,
    UnaryOp,
    function_name,
    node,
)

_UNARY: Mapping[UnaryOp, Callable[[Column], Any]] = {
    UnaryOp.NEGATE: np.negative,
    UnaryOp.NOT: np.logical_not,
    UnaryOp.ABS: np.abs,
    UnaryOp.SQRT: np.sqrt,
    UnaryOp.EXP: np.exp,
    UnaryOp.LOG: np.log,
    UnaryOp.SIN: np.sin,
    UnaryOp.COS: np.cos,
    UnaryOp.FLOOR: np.floor,
    UnaryOp.REAL: np.real,
    UnaryOp.IMAG: np.imag,
    UnaryOp.CONJ: np.conj,
    UnaryOp.ANGLE: np.angle,
}
_BINARY: Mapping[BinaryOp, Callable[[Column, Column], Any]] = {
    BinaryOp.PLUS: np.add,
    BinaryOp.MINUS: np.subtract,
    BinaryOp.TIMES: np.multiply,
    BinaryOp.DIVIDE: np.divide,
    BinaryOp.POWER: np.power,
    BinaryOp.LESS: np.less,
    BinaryOp.AT_MOST: np.less_equal,
    BinaryOp.MORE: np.greater,
    BinaryOp.AT_LEAST: np.greater_equal,
    BinaryOp.EQUAL: np.equal,
    BinaryOp.AND: np.logical_and,
    BinaryOp.OR: np.logical_or,
}
_TO_REAL = (UnaryOp.ABS, UnaryOp.REAL, UnaryOp.IMAG, UnaryOp.ANGLE)

_DTYPES = {Number.REAL: np.float64, Number.COMPLEX: np.complex128, Number.BOOLEAN: np.bool_}


def kind_of(formula: Formula, fields: Mapping[str, Number]) -> Number:
    """The kind of value the formula has over these fields; refuses what has none."""
    found = node(formula)
    match found:
        case Constant():
            return Number.COMPLEX if isinstance(found.value, complex) else Number.REAL
        case FieldRef():
            return _field_kind(found.name, fields)
        case Time():
            return Number.REAL
        case Unary():
            return _unary_kind(found, kind_of(found.argument, fields))
        case Binary():
            return _binary_kind(found, kind_of(found.left, fields), kind_of(found.right, fields))
        case Choice():
            _require_number(found, kind_of(found.selector, fields), real=True)
            return _wider(found, [kind_of(each, fields) for each in found.branches])
        case Apply():
            for each in found.arguments:
                kind_of(each, fields)
            return found.kind
        case _:
            assert_never(found)


def _field_kind(name: str, fields: Mapping[str, Number]) -> Number:
    if name not in fields:
        known = ", ".join(fields)
        raise SignalError(f"the signal has no field {name!r}", hint=f"It has {known}.")
    return fields[name]


def _unary_kind(found: Unary, argument: Number) -> Number:
    if found.op is UnaryOp.NOT:
        return _require_boolean(found, argument)
    _require_number(found, argument, real=found.op is UnaryOp.FLOOR)
    return Number.REAL if found.op in _TO_REAL else argument


def _binary_kind(found: Binary, left: Number, right: Number) -> Number:
    if found.op in CONNECTIVES:
        _require_boolean(found, left)
        return _require_boolean(found, right)
    ordered = found.op in COMPARISONS
    for each in (left, right):
        _require_number(found, each, real=ordered)
    if ordered or found.op is BinaryOp.EQUAL:
        return Number.BOOLEAN
    return _wider(found, [left, right])


def _wider(formula: Formula, kinds: list[Number]) -> Number:
    for each in kinds:
        _require_number(formula, each)
    return Number.COMPLEX if Number.COMPLEX in kinds else Number.REAL


def _require_boolean(formula: Formula, kind: Number) -> Number:
    if kind is not Number.BOOLEAN:
        raise SignalError(f"{text(formula)} needs conditions, not {kind.value} numbers")
    return kind


def _require_number(formula: Formula, kind: Number, *, real: bool = False) -> None:
    if kind is Number.BOOLEAN:
        raise SignalError(f"{text(formula)} needs numbers, not conditions")
    if real and kind is Number.COMPLEX:
        raise SignalError(
            f"{text(formula)} needs real numbers: complex ones have no order",
            hint="Take abs, real, imag or angle of them first.",
        )


def evaluate(formula: Formula, columns: Mapping[str, Column], time: Ints) -> Column:
    """The values of the formula for every event.

    >>> from slackwater.signals.formulas import FieldRef, Time
    >>> value = {"v": np.array([1.0, 2.0])}
    >>> evaluate(FieldRef("v") * 10 + Time(), value, np.array([5, 6])).tolist()
    [15.0, 26.0]
    """
    kind = kind_of(formula, {name: number_of(column) for name, column in columns.items()})
    shape = np.broadcast_shapes(time.shape, *(each.shape[:1] for each in columns.values()))
    widths = {each.shape[1:] for each in columns.values()} - {()}
    value: Column = np.asarray(_value(formula, columns, time), dtype=_DTYPES[kind])
    return np.broadcast_to(value, np.broadcast_shapes(value.shape, (*shape, *_only(widths))))


def _only(widths: set[tuple[int, ...]]) -> tuple[int, ...]:
    return next(iter(widths), ())


def number_of(column: Column) -> Number:
    """The kind of the numbers in a column."""
    if column.dtype == np.bool_:
        return Number.BOOLEAN
    return Number.COMPLEX if np.iscomplexobj(column) else Number.REAL


def _value(formula: Formula, columns: Mapping[str, Column], time: Ints) -> Any:
    found = node(formula)
    match found:
        case Constant():
            return found.value
        case FieldRef():
            return columns[found.name]
        case Time():
            return time.astype(np.float64)
        case Unary():
            return _UNARY[found.op](_value(found.argument, columns, time))
        case Binary():
            left, right = (_value(each, columns, time) for each in (found.left, found.right))
            return _BINARY[found.op](left, right)
        case Choice():
            selector = np.asarray(_value(found.selector, columns, time))
            branches = [_value(each, columns, time) for each in found.branches]
            return np.select([selector == at for at in range(len(branches))], branches, np.nan)
        case Apply():
            return found.function(*(_value(each, columns, time) for each in found.arguments))
        case _:
            assert_never(found)


def substitute(formula: Formula, change: Callable[[Formula], Formula | None]) -> Formula:
    """Rebuild from below, with another formula in the place of each that `change` replaces."""
    found = node(formula)
    rebuilt: Formula
    match found:
        case Constant() | FieldRef() | Time():
            rebuilt = found
        case Unary():
            rebuilt = replace(found, argument=substitute(found.argument, change))
        case Binary():
            left, right = (substitute(each, change) for each in (found.left, found.right))
            rebuilt = replace(found, left=left, right=right)
        case Choice():
            branches = tuple(substitute(each, change) for each in found.branches)
            rebuilt = Choice(substitute(found.selector, change), branches)
        case Apply():
            arguments = tuple(substitute(each, change) for each in found.arguments)
            rebuilt = replace(found, arguments=arguments)
        case _:
            assert_never(found)
    changed = change(rebuilt)
    return rebuilt if changed is None else changed


def text(formula: Formula) -> str:
    """The formula for a page.

    >>> from slackwater.signals.formulas import FieldRef
    >>> text(abs(FieldRef("v") - 1) > 2)
    '(abs((v - 1)) > 2)'
    """
    found = node(formula)
    match found:
        case Constant():
            return _number(found.value)
        case FieldRef():
            return found.name
        case Time():
            return "t"
        case Unary():
            inner = text(found.argument)
            prefix = found.op in (UnaryOp.NEGATE, UnaryOp.NOT)
            return f"{found.op.value}{inner}" if prefix else f"{found.op.value}({inner})"
        case Binary():
            return f"({text(found.left)} {found.op.value} {text(found.right)})"
        case Choice():
            return f"choose({', '.join(map(text, (found.selector, *found.branches)))})"
        case Apply():
            return f"{function_name(found.function)}({', '.join(map(text, found.arguments))})"
        case _:
            assert_never(found)


def _number(value: float | complex) -> str:
    return repr(value).removesuffix(".0")
