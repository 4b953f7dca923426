"""Texts as values of other types, where they are written plainly; other texts are Spark's to read.

Spark reads more than is known here, such as blanks of many kinds, and DuckDB reads more than
Spark: both have to refuse what neither this nor Spark knows.
"""

from __future__ import annotations

from slackwater.compiler.duckdb.once import once
from slackwater.compiler.duckdb.scope import Scope
from slackwater.compiler.duckdb.types import duckdb_type, quoted_text
from slackwater.expr.nodes import Cast
from slackwater.types import (
    BINARY,
    BOOLEAN,
    DOUBLE,
    STRING,
    DataType,
    DecimalType,
    is_integral,
)

_WHOLE = " *[+-]?[0-9]{1,19} *"
_DOUBLE = r" *-?[0-9]{1,17}(\.[0-9]{0,17})?([eE][+-]?[0-9]{1,2})? *"
_TRUE = "('t', 'true', 'y', 'yes', '1')"
_FALSE = "('f', 'false', 'n', 'no', '0')"
_UNKNOWN = "error('a text that only Spark reads')"


def is_text_cast(source: DataType, target: DataType) -> bool:
    """Tell if this module knows the cast."""
    if source == STRING:
        return target in (BINARY, BOOLEAN) or _pattern(target) is not None
    return source == BOOLEAN and target == STRING


def write_text_cast(expr: Cast, scope: Scope) -> str:
    """A text as a value, or a truth value as a text; an error where the text is not plain."""
    target = expr.target
    if target == STRING:
        return f"CAST({scope.text(expr.child)} AS VARCHAR)"
    if target == BINARY:
        return f"encode({scope.text(expr.child)})"
    write = _truth if target == BOOLEAN else lambda text: _read(text, target)
    return once((expr.child,), scope, write)


def _pattern(target: DataType) -> str | None:
    """The texts that both engines read alike as numbers of a type."""
    if is_integral(target):
        return _WHOLE
    if isinstance(target, DecimalType) and target.precision > target.scale:
        whole = target.precision - target.scale
        return rf" *-?[0-9]{{1,{whole}}}(\.[0-9]{{0,{target.scale}}})? *"
    return _DOUBLE if target == DOUBLE else None


def _read(text: str, target: DataType) -> str:
    plain = f"regexp_full_match({text}, {quoted_text(_pattern(target) or '')})"
    value = f"CAST({text} AS {duckdb_type(target)})"
    return f"(CASE WHEN {plain} THEN {value} WHEN {text} IS NULL THEN NULL ELSE {_UNKNOWN} END)"


def _truth(text: str) -> str:
    true, false = f"lower({text}) IN {_TRUE}", f"lower({text}) IN {_FALSE}"
    known = f"WHEN {true} THEN TRUE WHEN {false} THEN FALSE"
    return f"(CASE {known} WHEN {text} IS NULL THEN NULL ELSE {_UNKNOWN} END)"
