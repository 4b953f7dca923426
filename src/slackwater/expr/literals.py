"""Prints constants as Spark SQL that Spark reads back as the same value of the same type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

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
_MICROS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_MICROS_PER_YEAR = 146_097 * _MICROS["DAY"] // 400
_YEAR_ONE = -719_162 * _MICROS["DAY"]
"""The first day of the year 1, counted from 1970."""
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


def _moment(micros: int) -> str:
    """A date and time as Spark reads it.

    >>> _moment(1), _moment(-(2**63))
    ('1970-01-01 00:00:00.000001', '-290308-12-21 19:59:05.224192')
    """
    # Python knows the years 1 to 9999 only, but the calendar repeats itself.
    cycles, rest = divmod(micros - _YEAR_ONE, 400 * _MICROS_PER_YEAR)
    moment = datetime(1, 1, 1) + timedelta(microseconds=rest)
    year = moment.year + 400 * cycles
    return f"{'-' * (year < 0)}{abs(year):04d}{moment.isoformat(sep=' ')[4:]}"


_ATOMIC: Mapping[DataType, Callable[[str], str]] = {
    BOOLEAN: lambda value: value.upper(),
    TINYINT: _suffixed("Y"),
    SMALLINT: _suffixed("S"),
    INTEGER: _suffixed(""),
    BIGINT: _suffixed("L"),
    FLOAT: _floating("F", "FLOAT"),
    DOUBLE: _floating("D", "DOUBLE"),
    DATE: lambda value: f"DATE '{value}'",
    TIMESTAMP: lambda value: f"TIMESTAMP_LTZ '{_moment(int(value))}Z'",
    TIMESTAMP_NTZ: lambda value: f"TIMESTAMP_NTZ '{_moment(int(value))}'",
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
