"""Numbers rounded to fewer digits, or up or down to whole numbers.

Spark rounds the decimal text of a double: 2.675 becomes 2.68, although the double is below 2.675.
"""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.casts import converted
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.expr.nodes import Call, Cast, Expr, Literal
from slackwater.expr.result_types import rounded, whole_number
from slackwater.types import BIGINT, DOUBLE, INTEGER, DataType, DecimalType, is_integral

_MOST_DIGITS = 15
"""Behind the point of a double."""
_WHOLE = 2**52
"""Doubles from here on have nothing behind the point."""


def _to_whole(function: str) -> Form:
    """A double that no BIGINT holds, and NaN, is an error of DuckDB's; Spark takes the nearest."""

    def form(call: Call, scope: Scope) -> str:
        (value,) = call.args
        if _is_whole(value.dtype) and call.dtype == value.dtype:
            return scope.text(value)
        if call.dtype != whole_number(call.args):
            raise refused(call, "a whole number of another type")
        if value.dtype != DOUBLE and not isinstance(value.dtype, DecimalType):
            raise refused(call, "the whole number next to such a value")
        return f"CAST({function}({scope.text(value)}) AS {duckdb_type(call.dtype)})"

    return form


def _to_digits(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        value, digits = call.args[0], _digits(call)
        if call.dtype != rounded(call.args):
            raise refused(call, "a rounded number of another type")
        if is_integral(value.dtype):
            return scope.text(value)
        if isinstance(value.dtype, DecimalType) and function == "half_up":
            return converted(scope.text(value), value.dtype, call.dtype)
        if value.dtype != DOUBLE or digits > _MOST_DIGITS:
            raise refused(call, "rounding such a value")
        text = scope.text(value)
        whole = f"CAST({function}({text}, {digits}) AS DOUBLE) / CAST({10**digits} AS DOUBLE)"
        return f"(CASE WHEN abs({text}) >= {_WHOLE} THEN {text} ELSE {whole} END)"

    return form


def _is_whole(dtype: DataType) -> bool:
    return dtype == BIGINT or (isinstance(dtype, DecimalType) and dtype.scale == 0)


def _digits(call: Call) -> int:
    """The number of digits behind the point that are kept."""
    given: Expr = call.args[1] if len(call.args) == 2 else Literal("0", INTEGER)
    number = given.child if isinstance(given, Cast) else given
    if not isinstance(number, Literal) or not is_integral(number.dtype) or number.value is None:
        raise refused(call, "rounding to an unknown number of digits")
    if int(number.value) < 0:
        raise refused(call, "rounding digits before the point")
    return int(number.value)


FORMS: Mapping[str, Form] = {
    "floor": _to_whole("floor"),
    "ceil": _to_whole("ceil"),
    "round": _to_digits("half_up"),
    "bround": _to_digits("half_even"),
}
