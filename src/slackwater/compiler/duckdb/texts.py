"""Strings."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted_text
from slackwater.expr.nodes import Call, Expr, Literal
from slackwater.types import STRING, is_integral

DECODING = frozenset(("length", "like", "substring"))
"""Functions that look at the characters of texts; all others compare their bytes."""


def _length(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if value.dtype != STRING:
        raise refused(call, "the length of something else than a text")
    return f"CAST(length({scope.text(value)}) AS INTEGER)"


def _like(call: Call, scope: Scope) -> str:
    """A pattern without escapes: `params` holds the escape character as a literal of Spark's."""
    value, pattern = call.args
    escapes = {"\\", *(character for param in call.params for character in param[1:-1])}
    if (
        value.dtype != STRING
        or not isinstance(pattern, Literal)
        or pattern.value is None
        or pattern.dtype != STRING
        or not escapes.isdisjoint(pattern.value)
    ):
        raise refused(call, "such a pattern")
    return f"({scope.text(value)} LIKE {quoted_text(pattern.value)})"


def _text_test(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        if any(each.dtype != STRING for each in call.args):
            raise refused(call, f"{function} of something else than texts")
        return f"{function}({', '.join(scope.texts(call.args))})"

    return form


def _substring(call: Call, scope: Scope) -> str:
    value, *places = call.args
    numbers = [_written_number(each) for each in places]
    if value.dtype != STRING or len(numbers) != 2 or not numbers[0] or numbers[1] is None:
        raise refused(call, "such a substring")
    return f"substring({scope.text(value)}, {numbers[0]}, {numbers[1]})"


def _written_number(expr: Expr) -> int | None:
    """The whole number that is written there, if it has no sign."""
    if not isinstance(expr, Literal) or not is_integral(expr.dtype) or expr.value is None:
        return None
    return int(expr.value) if expr.value.isdecimal() else None


FORMS: Mapping[str, Form] = {
    "length": _length,
    "like": _like,
    "startswith": _text_test("starts_with"),
    "endswith": _text_test("ends_with"),
    "contains": _text_test("contains"),
    "substring": _substring,
}
