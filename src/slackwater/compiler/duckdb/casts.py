"""Values under another type."""

from __future__ import annotations

import re
from functools import reduce

from slackwater.compiler.duckdb.date_casts import CASTS
from slackwater.compiler.duckdb.float_casts import (
    casts_floats_alike,
    read_float,
    write_float_cast,
)
from slackwater.compiler.duckdb.functions import Rounding
from slackwater.compiler.duckdb.literals import write_day
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.text_casts import is_text_cast, write_text_cast
from slackwater.compiler.duckdb.types import as_decimal, duckdb_type, is_simple, wider
from slackwater.expr.nodes import Cast, CastMode, Expr, Literal
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    STRING,
    VOID,
    DataType,
    DecimalType,
    always_fits,
    is_floating,
    is_integral,
    same_type,
)

_QUICK_DIGITS = 18
_DECIMAL_TEXT = re.compile(r"-?\d+(\.\d+)?")


def write_cast(expr: Cast, scope: Scope) -> str:
    """A cast that means the same in both engines; one that does not fit fails in both."""
    child, source, target = expr.child, expr.child.dtype, expr.target
    if same_type(source, target):
        return scope.text(child)
    if is_text_cast(source, target) and not isinstance(child, Literal):
        return write_text_cast(expr, scope)
    if expr.mode is CastMode.TRY and not always_fits(source, target):
        raise refused(expr, "a cast that gives NULL where it fails")
    if isinstance(child, Literal) and source == STRING and child.value is not None:
        return _read_text(expr, child.value)
    if (source, target) in CASTS:
        return CASTS[source, target](scope.text(child))
    if source != VOID and not _casts_alike(source, target):
        raise refused(expr, f"a cast from {source} to {target}")
    return converted(scope.text(child), source, target)


def _casts_alike(source: DataType, target: DataType) -> bool:
    if target == STRING:
        # DuckDB writes no zero before the point of a type that has none.
        decimal = isinstance(source, DecimalType) and source.precision > source.scale
        return is_integral(source) or decimal
    if source == BOOLEAN and is_integral(target):
        return True
    if is_floating(source) or is_floating(target):
        return casts_floats_alike(source, target)
    one, other = as_decimal(source), as_decimal(target)
    if one is None or other is None:
        return False
    # Spark makes a double of more digits, which may be the next whole number.
    narrow = is_integral(target) and target != BIGINT
    return not (narrow and one.scale and one.precision > _QUICK_DIGITS)


def _read_text(expr: Cast, written: str) -> str:
    """A date or a decimal written out; other texts are for Spark to read."""
    day = write_day(written) if expr.target == DATE else None
    if day is not None:
        return day
    number = read_float(written, expr.target) if is_floating(expr.target) else None
    if number is not None:
        return number
    if isinstance(expr.target, DecimalType) and _DECIMAL_TEXT.fullmatch(written):
        return f"CAST('{written}' AS {duckdb_type(expr.target)})"
    raise refused(expr, "a cast of a text")


def converted(text: str, source: DataType, target: DataType) -> str:
    """The value under a type that holds it, or an error of DuckDB's if it does not."""
    if same_type(source, target):
        return text
    if isinstance(source, DecimalType) and isinstance(target, DecimalType):
        return _rescaled(text, source, target)
    if source != VOID and (is_floating(source) or is_floating(target)):
        return write_float_cast(text, source, target)
    if isinstance(source, DecimalType) and source.scale and is_integral(target):
        # Spark cuts off what is behind the point, DuckDB rounds.
        return f"CAST(trunc({text}) AS {duckdb_type(target)})"
    return f"CAST({text} AS {duckdb_type(target)})"


def _rescaled(text: str, one: DecimalType, other: DecimalType) -> str:
    """A decimal under another type; ours is the quicker rounding of more than 64 bits."""
    if one.precision > _QUICK_DIGITS and other.scale < one.scale:
        rounding = Rounding(one.precision, one.scale, other.precision, other.scale)
        return f"{rounding.name}({text})"
    return f"CAST({text} AS {duckdb_type(other)})"


def under(expr: Expr, target: DataType, scope: Scope) -> str:
    """The value under a type that loses nothing of it."""
    source = expr.dtype
    if not same_type(source, target) and wider(source, target) != target:
        raise refused(expr, f"a value where {target} is expected")
    return converted(scope.text(expr), source, target)


def together(exprs: tuple[Expr, ...], scope: Scope) -> list[str]:
    """Values under one type, which both engines order and equate alike."""
    dtype = reduce(wider, (expr.dtype for expr in exprs))
    if dtype != VOID and not is_simple(dtype):
        raise refused(exprs[0], "comparing a value")
    return [under(expr, dtype, scope) for expr in exprs]
