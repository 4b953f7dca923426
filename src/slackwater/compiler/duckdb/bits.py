"""The bits of whole numbers."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.expr.nodes import Call, Literal
from slackwater.types import BIGINT, INTEGER, STRING, DataType, is_integral

_WIDTHS: Mapping[DataType, int] = {INTEGER: 32, BIGINT: 64}


def _combined(form: str) -> Form:
    """One bit of the result for the bits of both numbers at its place, or of one."""

    def write(call: Call, scope: Scope) -> str:
        if not is_integral(call.dtype) or any(each.dtype != call.dtype for each in call.args):
            raise refused(call, "the bits of such values")
        return form.format(*scope.texts(call.args))

    return write


def _shifted(sign: str) -> Form:
    """Shifted by the lower bits of a number; where a bit is lost on the left, DuckDB fails."""

    def form(call: Call, scope: Scope) -> str:
        value, places = call.args
        width = _WIDTHS.get(value.dtype, 0)
        if call.dtype != value.dtype or not width or not is_integral(places.dtype):
            raise refused(call, "such bits shifted")
        shift = scope.text(places)
        if not isinstance(places, Literal) or not 0 <= int(places.value or -1) < width:
            shift = f"({shift} & {width - 1})"
        return f"({scope.text(value)} {sign} CAST({shift} AS {duckdb_type(value.dtype)}))"

    return form


def _written(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        (value,) = call.args
        if value.dtype != BIGINT or call.dtype != STRING:
            raise refused(call, "the bits of such a value")
        return f"{function}({scope.text(value)})"

    return form


def _count(call: Call, scope: Scope) -> str:
    """Spark counts those of 64 bits."""
    (value,) = call.args
    if not is_integral(value.dtype):
        raise refused(call, "the bits of such a value")
    return f"CAST(bit_count(CAST({scope.text(value)} AS BIGINT)) AS INTEGER)"


FORMS: Mapping[str, Form] = {
    "&": _combined("({} & {})"),
    "|": _combined("({} | {})"),
    "^": _combined("xor({}, {})"),
    "~": _combined("(~ {})"),
    "shiftleft": _shifted("<<"),
    "shiftright": _shifted(">>"),
    "bin": _written("bin"),
    "bit_count": _count,
}
