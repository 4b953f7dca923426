"""Prints constants as Spark SQL that Spark reads back as the same value of the same type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from slackwater.expr.nodes import Literal
from slackwater.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    DataType,
    DecimalType,
    IntervalType,
    StringType,
)

_PLAIN_DECIMAL = re.compile(r"-?(\d+)(?:\.(\d+))?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_DAY_TIME_FIELDS = ("DAY", "HOUR", "MINUTE", "SECOND")


def quote_string(text: str) -> str:
    """Text as a SQL string literal.

    >>> print(quote_string("it's"))
    'it\\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def print_literal(literal: Literal) -> str:
    """A constant as Spark SQL.

    >>> print_literal(Literal("3", BIGINT))
    '3L'
    """
    dtype, value = literal.dtype, literal.value
    if value is None:
        return "NULL" if dtype == VOID else f"CAST(NULL AS {dtype.sql()})"
    if dtype in _ATOMIC:
        return _ATOMIC[dtype](value)
    match dtype:
        case StringType():
            quoted = quote_string(value)
            return quoted if dtype == StringType() else f"({quoted} COLLATE {dtype.collation})"
        case DecimalType():
            return _decimal(value, dtype)
        case IntervalType():
            return _interval(int(value), dtype)
        case _:
            return f"CAST({value} AS {dtype.sql()})"


def _suffixed(suffix: str) -> Callable[[str], str]:
    def print_number(value: str) -> str:
        text = f"{value}{suffix}"
        return f"({text})" if value.startswith("-") else text

    return print_number


def _floating(suffix: str, type_name: str) -> Callable[[str], str]:
    number = _suffixed(suffix)

    def print_float(value: str) -> str:
        if value in ("NaN", "Infinity", "-Infinity"):
            return f"CAST('{value}' AS {type_name})"
        return number(value)

    return print_float


def _timestamp(value: str) -> str:
    try:
        moment = _EPOCH + timedelta(microseconds=int(value))
    except OverflowError:
        return f"timestamp_micros({value}L)"
    return f"TIMESTAMP_LTZ '{moment.replace(tzinfo=None).isoformat(sep=' ')}Z'"


def _timestamp_ntz(value: str) -> str:
    moment = _EPOCH + timedelta(microseconds=int(value))
    return f"TIMESTAMP_NTZ '{moment.replace(tzinfo=None).isoformat(sep=' ')}'"


_ATOMIC: Mapping[DataType, Callable[[str], str]] = {
    BOOLEAN: lambda value: value.upper(),
    TINYINT: _suffixed("Y"),
    SMALLINT: _suffixed("S"),
    INTEGER: _suffixed(""),
    BIGINT: _suffixed("L"),
    FLOAT: _floating("F", "FLOAT"),
    DOUBLE: _floating("D", "DOUBLE"),
    DATE: lambda value: f"DATE '{value}'",
    TIMESTAMP: _timestamp,
    TIMESTAMP_NTZ: _timestamp_ntz,
    BINARY: lambda value: f"X'{value}'",
    CALENDAR_INTERVAL: lambda value: f"CAST('{value}' AS INTERVAL)",
}


def _decimal(value: str, dtype: DecimalType) -> str:
    found = _PLAIN_DECIMAL.fullmatch(value)
    if found:
        whole, fraction = found[1].lstrip("0"), found[2] or ""
        precision = max(len(whole) + len(fraction), 1)
        if DecimalType(precision, len(fraction)) == dtype:
            return _suffixed("BD")(value)
    return f"CAST('{value}' AS {dtype.sql()})"


def _interval(amount: int, dtype: IntervalType) -> str:
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    text = _months(amount, dtype) if dtype.counts_months else _day_time(amount, dtype)
    return f"INTERVAL '{sign}{text}' {dtype.sql().removeprefix('INTERVAL ')}"


def _months(months: int, dtype: IntervalType) -> str:
    if dtype.start == "MONTH":
        return str(months)
    years, rest = divmod(months, 12)
    return str(years) if dtype.end == "YEAR" else f"{years}-{rest}"


def _day_time(micros: int, dtype: IntervalType) -> str:
    """The fields from first to last; the first holds whatever the others leave over."""
    fields = _DAY_TIME_FIELDS[
        _DAY_TIME_FIELDS.index(dtype.start) : _DAY_TIME_FIELDS.index(dtype.end) + 1
    ]
    text = ""
    for position, field in enumerate(fields):
        count, micros = divmod(micros, _MICROS[field])
        if position:
            text += " " if fields[position - 1] == "DAY" else ":"
        text += f"{count:02d}" if position else str(count)
    return f"{text}.{micros:06d}" if fields[-1] == "SECOND" and micros else text
