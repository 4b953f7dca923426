"""Constants, each under its own type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, InvalidOperation

from slackwater.compiler.duckdb.scope import refused
from slackwater.compiler.duckdb.types import duckdb_type, quoted_text
from slackwater.expr.nodes import Literal
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    DataType,
    DecimalType,
)

_EXACT = Context(prec=100)
_NUMBER = re.compile(r"-?\d+")
_FLOAT = re.compile(r"-?\d+(\.\d+)?(E-?\d+)?|NaN|-?Infinity")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def write_literal(literal: Literal) -> str:
    """A constant of a type that both engines read alike."""
    value, dtype = literal.value, literal.dtype
    if value is None:
        return "NULL" if dtype == VOID else f"CAST(NULL AS {duckdb_type(dtype)})"
    found = _decimal(value, dtype) if isinstance(dtype, DecimalType) else _simple(value, dtype)
    if found is None:
        raise refused(literal, "such a literal")
    return found


def write_day(written: str) -> str | None:
    """A date that is written as year, month and day; None if it is not."""
    return f"DATE '{written}'" if _DAY.fullmatch(written) else None


def _simple(value: str, dtype: DataType) -> str | None:
    form = _WRITTEN.get(dtype)
    return None if form is None else form(value)


def _decimal(value: str, dtype: DecimalType) -> str | None:
    """A decimal with all its digits; None if the type has no place for them."""
    try:
        number = Decimal(value).quantize(Decimal(1).scaleb(-dtype.scale), context=_EXACT)
    except InvalidOperation:
        return None
    if number != Decimal(value) or len(number.as_tuple().digits) > dtype.precision:
        return None
    return f"CAST('{number:f}' AS {duckdb_type(dtype)})"


def _number(form: str) -> Callable[[str], str | None]:
    return lambda value: form.format(value) if _NUMBER.fullmatch(value) else None


def _floating(name: str) -> Callable[[str], str | None]:
    """A floating-point number by its digits or, as both engines read it, by its name."""
    return lambda value: f"CAST('{value}' AS {name})" if _FLOAT.fullmatch(value) else None


def _text(value: str) -> str | None:
    # DuckDB takes the character for the end of the statement.
    return None if "\x00" in value else quoted_text(value)


_WRITTEN: Mapping[DataType, Callable[[str], str | None]] = {
    BOOLEAN: {"true": "TRUE", "false": "FALSE"}.get,
    TINYINT: _number("CAST({} AS TINYINT)"),
    SMALLINT: _number("CAST({} AS SMALLINT)"),
    INTEGER: _number("CAST({} AS INTEGER)"),
    BIGINT: _number("CAST({} AS BIGINT)"),
    FLOAT: _floating("FLOAT"),
    DOUBLE: _floating("DOUBLE"),
    DATE: write_day,
    STRING: _text,
    # Both engines count the microseconds since 1970.
    TIMESTAMP: _number("make_timestamptz(CAST({} AS BIGINT))"),
    TIMESTAMP_NTZ: _number("make_timestamp(CAST({} AS BIGINT))"),
}
