"""Values under another type, and constants."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Context, Decimal
from functools import reduce

from slackwater.compiler.duckdb.few.bindings import (
    Bindings,
    Evaluator,
    Row,
    UnfitError,
    Value,
    unknown,
)
from slackwater.compiler.duckdb.types import as_decimal, is_exact, wider
from slackwater.expr.nodes import Cast, CastMode, Expr, Literal
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    DataType,
    DecimalType,
    always_fits,
    is_integral,
    same_type,
)

Conversion = Callable[[Value], Value]
"""Takes a value that is not NULL."""

_EXACT = Context(prec=100)
_NUMBER = re.compile(r"-?\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_BEFORE_DATES = "0001"
"""Python has no dates before the year 1."""
_FIRST_DAY = date(1970, 1, 1).toordinal()
_BITS: Mapping[DataType, int] = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}


def fitting(dtype: DataType) -> Conversion:
    """Hands on a number that its type can hold.

    >>> fitting(TINYINT)(127), fitting(DecimalType(3, 1))(-999)
    (127, -999)
    """
    if isinstance(dtype, DecimalType):
        top = 10**dtype.precision
        return _between(1 - top, top - 1)
    if dtype not in _BITS:
        raise unknown(f"numbers of type {dtype}")
    half = 1 << (_BITS[dtype] - 1)
    return _between(-half, half - 1)


def _between(low: int, high: int) -> Conversion:
    def checked(value: int) -> int:
        if low <= value <= high:
            return value
        raise UnfitError("a number outside of its type")

    return checked


def compile_literal(literal: Literal) -> Evaluator:
    """A constant."""
    value = _constant(literal)
    return lambda _row: value


def _constant(literal: Literal) -> Value:
    value, dtype = literal.value, literal.dtype
    if value is None:
        return None
    if isinstance(dtype, DecimalType):
        return _digits(value, dtype)
    if dtype == BOOLEAN and value in ("true", "false"):
        return value == "true"
    if dtype == STRING:
        return value
    if dtype == DATE and _DAY.fullmatch(value) and value > _BEFORE_DATES:
        return date.fromisoformat(value).toordinal() - _FIRST_DAY
    if (dtype in _BITS or dtype in (TIMESTAMP, TIMESTAMP_NTZ)) and _NUMBER.fullmatch(value):
        return int(value)
    raise unknown(f"a constant of type {dtype}")


def _digits(value: str, dtype: DecimalType) -> int:
    """A decimal as the whole number of its digits."""
    scaled = Decimal(value).scaleb(dtype.scale, _EXACT)
    if scaled != scaled.to_integral_value() or abs(scaled) >= 10**dtype.precision:
        raise unknown("a constant with more digits than its type")
    return int(scaled)


def compile_cast(expr: Cast, bindings: Bindings) -> Evaluator:
    """A cast between numbers, or of a whole number to text."""
    child, source, target = expr.child, expr.child.dtype, expr.target
    value = bindings.evaluator(child)
    if same_type(source, target):
        return value
    if expr.mode is CastMode.TRY and not always_fits(source, target):
        raise unknown("a cast that gives NULL where it fails")
    if source == VOID:
        return value
    return _converted(value, conversion(source, target))


def conversion(source: DataType, target: DataType) -> Conversion:
    """From numbers of one type to those of another; halves are rounded away from zero."""
    if target == STRING and is_integral(source):
        return str
    one, other = as_decimal(source), as_decimal(target)
    # Spark cuts off what is behind the point of a whole number.
    if one is None or other is None or (one.scale and is_integral(target)):
        raise unknown(f"a cast from {source} to {target}")
    check = fitting(target)
    if other.scale >= one.scale:
        factor = 10 ** (other.scale - one.scale)
        return lambda value: check(value * factor)
    divisor = 10 ** (one.scale - other.scale)
    return lambda value: check(_rounded(value, divisor))


def _rounded(value: int, divisor: int) -> int:
    """The quotient to the nearest whole number, halves away from zero.

    >>> _rounded(25, 10), _rounded(-25, 10), _rounded(-24, 10)
    (3, -3, -2)
    """
    whole, rest = divmod(abs(value), divisor)
    nearest = whole + (2 * rest >= divisor)
    return nearest if value >= 0 else -nearest


def _converted(value: Evaluator, convert: Conversion) -> Evaluator:
    def evaluate(row: Row) -> Value:
        found = value(row)
        return None if found is None else convert(found)

    return evaluate


def under(expr: Expr, target: DataType, bindings: Bindings) -> Evaluator:
    """The value under a type that loses nothing of it."""
    source, value = expr.dtype, bindings.evaluator(expr)
    if same_type(source, target) or source == VOID:
        return value
    if wider(source, target) != target:
        raise unknown(f"a value where {target} is expected")
    return _converted(value, conversion(source, target))


def together(exprs: tuple[Expr, ...], bindings: Bindings) -> list[Evaluator]:
    """Values under one type, whose order is that of Python's values."""
    dtype = reduce(wider, (expr.dtype for expr in exprs))
    if dtype != VOID and not is_exact(dtype):
        raise unknown("comparing such values")
    return [under(expr, dtype, bindings) for expr in exprs]
