"""Arithmetic on whole numbers and decimals, with the digits that Spark keeps."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.casts import converted
from slackwater.compiler.duckdb.functions import Division
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import MAX_DIGITS, as_decimal, duckdb_type
from slackwater.expr.buckets import bucket_text
from slackwater.expr.nodes import Call, Cast, Expr, Literal
from slackwater.expr.result_types import add, divide, multiply, remainder
from slackwater.types import (
    BIGINT,
    DOUBLE,
    DataType,
    DecimalType,
    is_floating,
    is_integral,
    is_numeric,
)

_SIGNED_DIGITS = 34
"""Spark drops the digits behind these where it changes the sign of a longer decimal."""
_LEAST_WHOLE_DIGITS = 6
_ROUNDED_ALIKE = frozenset("+-*")


def _negative(call: Call, scope: Scope) -> str:
    # DuckDB gives the sign of a small number the next type.
    return f"CAST((- {_signed_number(call, scope)}) AS {duckdb_type(call.dtype)})"


def _absolute(call: Call, scope: Scope) -> str:
    return f"abs({_signed_number(call, scope)})"


def _signed_number(call: Call, scope: Scope) -> str:
    """A number of which Spark can change the sign and nothing else."""
    (value,) = call.args
    number = as_decimal(value.dtype)
    fits = is_floating(value.dtype) if number is None else number.precision <= _SIGNED_DIGITS
    if not fits or call.dtype != value.dtype:
        raise refused(call, "the sign of such a number")
    return scope.text(value)


def _positive(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if not is_numeric(value.dtype) or call.dtype != value.dtype:
        raise refused(call, "the sign of something else than a number")
    return scope.text(value)


def _sum_or_difference(sign: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        both = _decimals(call)
        if both is None:
            return _on_whole_numbers(sign, call, scope)
        one, other = both
        result = _expected(call, add(call.args))
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        if result.scale != scale or whole + scale > MAX_DIGITS:
            raise refused(call, "a sum with more than 38 digits")
        left, right = (converted(scope.text(each), each.dtype, result) for each in call.args)
        return f"CAST({left} {sign} {right} AS {duckdb_type(result)})"

    return form


def _product(call: Call, scope: Scope) -> str:
    both = _decimals(call)
    if both is None:
        return _on_whole_numbers("*", call, scope)
    one, other = both
    result = _expected(call, multiply(call.args))
    if result.scale != one.scale + other.scale:
        raise refused(call, "a product with more than 38 digits")
    if one.precision + other.precision > MAX_DIGITS:
        one, other = _narrowed(call, one, other)
    left, right = (
        converted(scope.text(each), each.dtype, dtype)
        for each, dtype in zip(call.args, (one, other), strict=True)
    )
    return f"CAST({left} * {right} AS {duckdb_type(result)})"


def _narrowed(call: Call, one: DecimalType, other: DecimalType) -> tuple[DecimalType, DecimalType]:
    """Types with 38 digits between them, which values seldom need; one that does not fit fails."""
    digits = max(other.scale + _LEAST_WHOLE_DIGITS, MAX_DIGITS - one.precision)
    second = DecimalType(min(other.precision, digits), other.scale)
    rest = MAX_DIGITS - second.precision
    if rest < min(one.precision, one.scale + _LEAST_WHOLE_DIGITS):
        raise refused(call, "a product with more than 38 digits")
    return DecimalType(min(one.precision, rest), one.scale), second


def _quotient(call: Call, scope: Scope) -> str:
    both = _decimals(call)
    if both is None:
        return _quotient_of_doubles(call, scope)
    one, other = both
    result = _expected(call, divide(call.args))
    division = Division(one.precision, one.scale, other.precision, other.scale, result.scale)
    left, right = scope.texts(call.args)
    return f"CAST({division.name}({left}, {right}) AS {duckdb_type(result)})"


def _quotient_of_doubles(call: Call, scope: Scope) -> str:
    if any(each.dtype != DOUBLE for each in (call, *call.args)):
        raise refused(call, "a quotient of such values")
    above, below = scope.texts(call.args)
    return _unless_zero(call, below, f"{above} / {below}")


def _unless_zero(call: Call, divisor: str, text: str) -> str:
    """A value that is an error of Spark's where the divisor is zero; DuckDB has none there."""
    fails = f"CAST(error('division by zero') AS {duckdb_type(call.dtype)})"
    return f"(CASE WHEN {divisor} = 0 THEN {fails} ELSE {text} END)"


def _whole_quotient(call: Call, scope: Scope) -> str:
    if any(each.dtype != BIGINT for each in (call, *call.args)):
        raise refused(call, "a whole quotient of such values")
    above, below = scope.texts(call.args)
    return _unless_zero(call, below, f"{above} // {below}")


def _sign(call: Call, scope: Scope) -> str:
    """Zeros keep their sign, and NaN, the largest, is itself."""
    (value,) = call.args
    if value.dtype != DOUBLE or call.dtype != DOUBLE:
        raise refused(call, "the sign of something else than a double")
    text, one = scope.text(value), "CAST({} AS DOUBLE)"
    signs = f"WHEN {text} > 0 THEN {one.format(1)} WHEN {text} < 0 THEN {one.format(-1)}"
    return f"(CASE WHEN isnan({text}) THEN {text} {signs} ELSE {text} END)"


def _is_nan(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if not is_floating(value.dtype):
        raise refused(call, "NaN of something else than a floating-point number")
    return f"coalesce(isnan({scope.text(value)}), FALSE)"


def _unless_nan(call: Call, scope: Scope) -> str:
    if not is_floating(call.dtype) or any(each.dtype != call.dtype for each in call.args):
        raise refused(call, "NaN of something else than a floating-point number")
    value, other = scope.texts(call.args)
    return f"(CASE WHEN isnan({value}) THEN {other} ELSE {value} END)"


def _square_root(call: Call, scope: Scope) -> str:
    """NaN of numbers below zero, as in Spark."""
    (value,) = call.args
    if value.dtype != DOUBLE:
        raise refused(call, "the root of something else than a double")
    text = scope.text(value)
    return f"(CASE WHEN {text} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({text}) END)"


def _times(factor: float) -> Form:
    """A double times a constant, as Java turns angles."""

    def form(call: Call, scope: Scope) -> str:
        (value,) = call.args
        if value.dtype != DOUBLE:
            raise refused(call, "an angle that is no double")
        return f"({scope.text(value)} * CAST('{factor!r}' AS DOUBLE))"

    return form


def _bits(call: Call, scope: Scope) -> str:
    """DuckDB's text is not Spark's, but another for every other number too."""
    (value,) = call.args
    if not is_floating(value.dtype):
        raise refused(call, "the bits of something else than a floating-point number")
    return f"CAST({scope.text(value)} AS VARCHAR)"


def _bucket(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if value.dtype != DOUBLE:
        raise refused(call, "the bucket of something else than a double")
    return bucket_text(scope.text(value), double="CAST('{!r}' AS DOUBLE)", truncated="trunc({})")


def _remainder(call: Call, scope: Scope) -> str:
    value, divisor = _dividends(call, scope)
    text = f"({value} % {divisor})"
    return text if _is_positive(call.args[1]) else _unless_zero(call, divisor, text)


def _positive_remainder(call: Call, scope: Scope) -> str:
    """A remainder below zero gets the divisor added, which may be below zero too."""
    value, divisor = _dividends(call, scope)
    rest = f"({value} % {divisor})"
    more = f"CAST(({rest} + {divisor}) % {divisor} AS {duckdb_type(call.dtype)})"
    return _unless_zero(call, divisor, f"CASE WHEN {rest} < 0 THEN {more} ELSE {rest} END")


def _dividends(call: Call, scope: Scope) -> list[str]:
    if remainder(call.args) != call.dtype or isinstance(call.dtype, DecimalType):
        raise refused(call, "a remainder of such values")
    if not is_numeric(call.dtype):
        raise refused(call, "a remainder of something else than numbers")
    return scope.texts(call.args)


def _is_positive(expr: Expr) -> bool:
    number = expr.child if isinstance(expr, Cast) else expr
    if not isinstance(number, Literal) or number.value is None:
        return False
    return is_integral(number.dtype) and int(number.value) > 0


def _on_whole_numbers(sign: str, call: Call, scope: Scope) -> str:
    """Also on floats, which both engines add and multiply by the same standard."""
    alike = is_integral(call.dtype) or (is_floating(call.dtype) and sign in _ROUNDED_ALIKE)
    if not alike or any(each.dtype != call.dtype for each in call.args):
        raise refused(call, "arithmetic on such values")
    left, right = scope.texts(call.args)
    return f"({left} {sign} {right})"


def _decimals(call: Call) -> tuple[DecimalType, DecimalType] | None:
    one, other = (each.dtype for each in call.args)
    if isinstance(one, DecimalType) and isinstance(other, DecimalType):
        return one, other
    return None


def _expected(call: Call, dtype: DataType | None) -> DecimalType:
    """The type of a result, if it is the one that Spark's rule gives."""
    if not isinstance(call.dtype, DecimalType) or call.dtype != dtype:
        raise refused(call, "a result of another type")
    return call.dtype


FORMS: Mapping[str, Form] = {
    "negative": _negative,
    "positive": _positive,
    "abs": _absolute,
    "+": _sum_or_difference("+"),
    "-": _sum_or_difference("-"),
    "*": _product,
    "/": _quotient,
    "div": _whole_quotient,
    "%": _remainder,
    "pmod": _positive_remainder,
    "sign": _sign,
    "isnan": _is_nan,
    "nanvl": _unless_nan,
    "sqrt": _square_root,
    "degrees": _times(57.29577951308232),
    "radians": _times(0.017453292519943295),
    "bits_of": _bits,
    "bucket_of": _bucket,
}
