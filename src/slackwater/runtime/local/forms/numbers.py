"""Arithmetic on whole numbers and decimals, with the digits that Spark keeps."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from slackwater.compiler.duckdb.functions import Division
from slackwater.expr.result_types import adjusted
from slackwater.runtime.local.forms.base import (
    MAX_DIGITS,
    Form,
    Forms,
    Scope,
    Typed,
    cast,
    plain_number,
    together,
    translate,
    translated,
)
from slackwater.runtime.local.types import NotLocalError, as_decimal, duckdb_type
from slackwater.types import INTEGER, VOID, DecimalType, is_integral

_LEAST_INTEGER = -(2**31)
"""A number of this type only together with its sign."""


def _negative(node: exp.Neg, scope: Scope) -> Typed:
    if plain_number(node.this) == -_LEAST_INTEGER:
        return Typed(f"CAST({_LEAST_INTEGER} AS INTEGER)", INTEGER)
    value = _exact_number(node.this, scope)
    return cast(Typed(f"(- {value.sql})", VOID), value.dtype)


def _absolute(node: exp.Abs, scope: Scope) -> Typed:
    value = _exact_number(node.this, scope)
    return Typed(f"abs({value.sql})", value.dtype)


_SIGNED_DIGITS = 34
"""Where Spark changes the sign of a longer decimal, it drops the digits behind these."""


def _exact_number(node: exp.Expression, scope: Scope) -> Typed:
    """A number of which Spark can change the sign and nothing else."""
    value = translate(node, scope)
    number = as_decimal(value.dtype)
    if number is None or number.precision > _SIGNED_DIGITS:
        raise NotLocalError(f"the sign of {value.dtype}")
    return value


def _sum_or_difference(sign: str) -> Form:
    def form(node: exp.Binary, scope: Scope) -> Typed:
        left, right = translated((node.this, node.expression), scope)
        if is_integral(left.dtype) and is_integral(right.dtype):
            left, right = together((left, right))
            return Typed(f"({left.sql} {sign} {right.sql})", left.dtype)
        one, other = _decimals(node, left, right)
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        result = adjusted(whole + scale + 1, scale)
        if result.scale != scale or whole + scale > MAX_DIGITS:
            raise NotLocalError("a sum with more than 38 digits")
        left, right = cast(left, result), cast(right, result)
        return Typed(f"CAST({left.sql} {sign} {right.sql} AS {duckdb_type(result)})", result)

    return form


def _product(node: exp.Mul, scope: Scope) -> Typed:
    left, right = translated((node.this, node.expression), scope)
    if is_integral(left.dtype) and is_integral(right.dtype):
        left, right = together((left, right))
        return Typed(f"({left.sql} * {right.sql})", left.dtype)
    one, other = _decimals(node, left, right)
    digits, scale = one.precision + other.precision, one.scale + other.scale
    result = adjusted(digits + 1, scale)
    if result.scale != scale:
        raise NotLocalError("a product with more than 38 digits")
    if digits > MAX_DIGITS:
        one, other = _narrowed(one, other)
    left, right = cast(left, one), cast(right, other)
    return Typed(f"CAST({left.sql} * {right.sql} AS {duckdb_type(result)})", result)


_LEAST_WHOLE_DIGITS = 6


def _narrowed(one: DecimalType, other: DecimalType) -> tuple[DecimalType, DecimalType]:
    """Types with 38 digits between them, which values seldom need; one that does not fit fails."""
    digits = max(other.scale + _LEAST_WHOLE_DIGITS, MAX_DIGITS - one.precision)
    second = DecimalType(min(other.precision, digits), other.scale)
    rest = MAX_DIGITS - second.precision
    if rest < min(one.precision, one.scale + _LEAST_WHOLE_DIGITS):
        raise NotLocalError("a product with more than 38 digits")
    return DecimalType(min(one.precision, rest), one.scale), second


def _decimals(node: exp.Binary, left: Typed, right: Typed) -> tuple[DecimalType, DecimalType]:
    one = _literal_type(node.this) or as_decimal(left.dtype)
    other = _literal_type(node.expression) or as_decimal(right.dtype)
    if one is None or other is None:
        raise NotLocalError(f"arithmetic on {left.dtype} and {right.dtype}")
    return one, other


def _literal_type(node: exp.Expression) -> DecimalType | None:
    """The type of a whole number beside a decimal: it has as many digits as are written."""
    number: Any = node.unnest()
    if isinstance(number, exp.Neg):
        number = number.this
    if isinstance(number, exp.Cast) and plain_number(number.this.unnest()) is not None:
        # The parser does not tell 7L, which is a literal, from CAST(7 AS BIGINT), which is none.
        if not number.to.is_type(exp.DataType.Type.DECIMAL):
            raise NotLocalError("arithmetic on a decimal and a number of another type")
        return None
    value = plain_number(number)
    return None if value is None else DecimalType(len(str(value)), 0)


def _quotient(node: exp.Div, scope: Scope) -> Typed:
    left, right = translated((node.this, node.expression), scope)
    if not isinstance(left.dtype, DecimalType) or not isinstance(right.dtype, DecimalType):
        raise NotLocalError(f"dividing {left.dtype} by {right.dtype}")
    one, other = left.dtype, right.dtype
    scale = max(6, one.scale + other.precision + 1)
    result = adjusted(one.precision - one.scale + other.scale + scale, scale)
    division = Division(one.precision, one.scale, other.precision, other.scale, result.scale)
    text = f"{division.name}({left.sql}, {right.sql})"
    return Typed(f"CAST({text} AS {duckdb_type(result)})", result)


def _remainder(node: exp.Mod, scope: Scope) -> Typed:
    left, right = translated((node.this, node.expression), scope)
    divisor = node.expression.unnest()
    number = plain_number(divisor.this if isinstance(divisor, exp.Cast) else divisor)
    if not number:
        raise NotLocalError("a remainder by something else than a number")
    if not is_integral(left.dtype) or not is_integral(right.dtype):
        raise NotLocalError(f"a remainder of {left.dtype}")
    left, right = together((left, right))
    return Typed(f"({left.sql} % {right.sql})", left.dtype)


FORMS: Forms = {
    exp.Neg: _negative,
    exp.Abs: _absolute,
    exp.Add: _sum_or_difference("+"),
    exp.Sub: _sum_or_difference("-"),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Mod: _remainder,
}
