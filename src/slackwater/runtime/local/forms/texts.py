"""Strings, and the parts of dates."""

from __future__ import annotations

from sqlglot import exp

from slackwater.runtime.local.forms.base import (
    Form,
    Forms,
    Scope,
    Typed,
    plain_number,
    translate,
    translated,
)
from slackwater.runtime.local.types import NotLocalError
from slackwater.types import BOOLEAN, DATE, INTEGER, STRING

DECODING = (exp.Length, exp.Like, exp.Substring)
"""What looks at the characters of texts; everything else compares their bytes."""


def _length(node: exp.Length, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if value.dtype != STRING:
        raise NotLocalError(f"the length of {value.dtype}")
    return Typed(f"CAST(length({value.sql}) AS INTEGER)", INTEGER)


def _like(node: exp.Like, scope: Scope) -> Typed:
    value, pattern = translate(node.this, scope), node.expression
    plain = isinstance(pattern, exp.Literal) and pattern.is_string and "\\" not in pattern.name
    if value.dtype != STRING or not plain:
        raise NotLocalError("such a pattern")
    return Typed(f"({value.sql} LIKE {translate(pattern, scope).sql})", BOOLEAN)


def _escaped(node: exp.Escape, scope: Scope) -> Typed:
    pattern = node.this.expression
    if isinstance(pattern, exp.Literal) and node.expression.name not in pattern.name:
        return translate(node.this, scope)
    raise NotLocalError("such a pattern")


def _text_test(function: str) -> Form:
    def form(node: exp.Expression, scope: Scope) -> Typed:
        value, part = translated((node.this, node.expression), scope)
        if value.dtype != STRING or part.dtype != STRING:
            raise NotLocalError(f"{function} of {value.dtype}")
        return Typed(f"{function}({value.sql}, {part.sql})", BOOLEAN)

    return form


def _substring(node: exp.Substring, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    start, length = (plain_number(node.args.get(part)) for part in ("start", "length"))
    if value.dtype != STRING or not start or length is None:
        raise NotLocalError("such a substring")
    return Typed(f"substring({value.sql}, {start}, {length})", STRING)


def _date_part(function: str) -> Form:
    def form(node: exp.Func, scope: Scope) -> Typed:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
        value = translate(inner, scope)
        if value.dtype != DATE:
            raise NotLocalError(f"{function} of {value.dtype}")
        # The first and the last date are infinities here, which have no parts.
        known = f"isfinite({value.sql}) OR {value.sql} IS NULL"
        part = f"CASE WHEN {known} THEN {function}({value.sql}) ELSE error('an infinite date') END"
        return Typed(f"CAST({part} AS INTEGER)", INTEGER)

    return form


FORMS: Forms = {
    exp.Length: _length,
    exp.Like: _like,
    exp.Escape: _escaped,
    exp.StartsWith: _text_test("starts_with"),
    exp.EndsWith: _text_test("ends_with"),
    exp.Contains: _text_test("contains"),
    exp.Substring: _substring,
    exp.Year: _date_part("year"),
    exp.Month: _date_part("month"),
    exp.Day: _date_part("day"),
}
