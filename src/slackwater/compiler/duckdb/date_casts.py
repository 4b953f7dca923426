"""Dates and timestamps under other types, and the forms in which functions compute on them.

DuckDB takes the last day, the last microsecond and the second ones of all for infinities, which
its functions pass on or make NULL. The forms here fail on them, so that Spark is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    DataType,
)

MICROS_PER_SECOND = 1_000_000
MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND
_EPOCH = "DATE '1970-01-01'"
_DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"


def day_number(text: str) -> str:
    """The days since 1970, also of the dates that DuckDB takes for infinities."""
    return f"({text} - {_EPOCH})"


def day_of_number(text: str) -> str:
    """The date so many days after 1970."""
    return f"({_EPOCH} + CAST({text} AS INTEGER))"


def finite_day(text: str) -> str:
    """A date, or an error for one of the infinities."""
    return day_of_number(day_number(text))


def micros(text: str) -> str:
    """The microseconds since 1970 of a timestamp of either type."""
    return (
        f"(CASE WHEN isfinite({text}) IS FALSE THEN error('no such time') "
        f"ELSE epoch_us({text}) END)"
    )


def clock_of_micros(text: str) -> str:
    """The timestamp without a zone so many microseconds after 1970."""
    return f"make_timestamp({text})"


def clock(text: str, dtype: DataType) -> str:
    """The local time of a timestamp: in the session's zone if it has one."""
    if dtype == TIMESTAMP:
        return f"zone_local({text})"
    return clock_of_micros(micros(text))


def seconds(text: str) -> str:
    """The whole seconds since 1970, rounded down."""
    return f"(epoch_us(date_trunc('second', {clock_of_micros(micros(text))})) // 1000000)"


def instant_of_seconds(text: str) -> str:
    """The instant so many whole seconds after 1970; one too far away has no number of 64 bits."""
    return f"make_timestamptz(CAST({text} AS BIGINT) * {MICROS_PER_SECOND})"


def in_common_years(text: str, written: str) -> str:
    """A form of a date or a local time in the years 1 to 9999, of which both write four digits."""
    within = f"{text} < DATE '0001-01-01' OR {text} >= DATE '10000-01-01'"
    return f"(CASE WHEN {within} THEN error('such a year') ELSE {written} END)"


def _day_text(text: str) -> str:
    return in_common_years(text, f"CAST({text} AS VARCHAR)")


def _clock_text(dtype: DataType) -> Callable[[str], str]:
    def form(text: str) -> str:
        local = clock(text, dtype)
        return in_common_years(local, f"CAST({local} AS VARCHAR)")

    return form


def _read(text: str, pattern: str, name: str) -> str:
    """A text in the usual form; Spark reads others too, and fails on some."""
    unusual = f"NOT regexp_full_match({text}, '{pattern}')"
    return f"(CASE WHEN {unusual} THEN error('such a text') ELSE CAST({text} AS {name}) END)"


def _read_clock(text: str) -> str:
    return _read(text, f"{_DAY}([ T]{_TIME})?", "TIMESTAMP")


CASTS: Mapping[tuple[DataType, DataType], Callable[[str], str]] = {
    (DATE, TIMESTAMP): lambda text: f"zone_day_start({text})",
    (DATE, TIMESTAMP_NTZ): lambda text: clock_of_micros(f"{day_number(text)} * {MICROS_PER_DAY}"),
    (TIMESTAMP, DATE): lambda text: f"CAST({clock(text, TIMESTAMP)} AS DATE)",
    (TIMESTAMP_NTZ, DATE): lambda text: f"CAST({clock(text, TIMESTAMP_NTZ)} AS DATE)",
    (TIMESTAMP, TIMESTAMP_NTZ): lambda text: clock(text, TIMESTAMP),
    (TIMESTAMP_NTZ, TIMESTAMP): lambda text: f"zone_instant({text})",
    (TIMESTAMP, BIGINT): seconds,
    (TIMESTAMP, INTEGER): lambda text: f"CAST({seconds(text)} AS INTEGER)",
    (TIMESTAMP, DOUBLE): lambda text: f"(CAST({micros(text)} AS DOUBLE) / CAST(1000000 AS DOUBLE))",
    **dict.fromkeys(
        ((number, TIMESTAMP) for number in (TINYINT, SMALLINT, INTEGER, BIGINT)), instant_of_seconds
    ),
    (DATE, STRING): _day_text,
    (TIMESTAMP, STRING): _clock_text(TIMESTAMP),
    (TIMESTAMP_NTZ, STRING): _clock_text(TIMESTAMP_NTZ),
    (STRING, DATE): lambda text: _read(text, _DAY, "DATE"),
    (STRING, TIMESTAMP_NTZ): _read_clock,
    (STRING, TIMESTAMP): lambda text: f"zone_instant({_read_clock(text)})",
}
"""Casts that mean the same in both engines, each as a form of the value's text."""
