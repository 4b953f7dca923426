"""Dates and timestamps in DuckDB, in a zone with one offset and in one whose clocks jump."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC as GREENWICH
from datetime import date, datetime

import pytest

from slackwater.compiler.duckdb.date_patterns import strftime_pattern
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.zones import Transition, Zone
from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, Expr, Literal
from slackwater.types import (
    BIGINT,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    IntervalType,
)

from .duckdb_rows import Table, bigint, integer, named, project, string, value_of, values

T = Table("t", t=DATE, p=TIMESTAMP, q=TIMESTAMP_NTZ, s=STRING, j=BIGINT)
_DAY = Literal("2024-03-31", DATE)
_NOON = Literal("1711886400123456", TIMESTAMP)
_LOCAL = Literal("1711886400123456", TIMESTAMP_NTZ)
_ONE_DAY = IntervalType("DAY", "DAY")
_BERLIN = Zone(3600, (Transition(1_711_846_800, 7200), Transition(1_729_990_800, 3600)))
"""Berlin in 2024: at two o'clock it is three, and later at three it is two."""


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def berlin() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0, zone=lambda: _BERLIN)
    yield engine
    engine.close()


def _instant(*fields: int) -> datetime:
    return datetime(*fields, tzinfo=GREENWICH)  # type: ignore[arg-type, misc]


def _micros(*fields: int, dtype: DataType = TIMESTAMP) -> Literal:
    return Literal(str(int(_instant(*fields).timestamp()) * 1_000_000), dtype)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (call("date_trunc", string("Hour"), _NOON), _instant(2024, 3, 31, 12)),
        (call("date_trunc", string("SECOND"), _NOON), _instant(2024, 3, 31, 12)),
        (call("date_trunc", string("week"), _NOON), _instant(2024, 3, 25)),
        (call("trunc", _DAY, string("quarter")), date(2024, 1, 1)),
        (call("dayofweek", _DAY), 1),
        (call("weekday", _DAY), 6),
        (call("weekofyear", _DAY), 13),
        (call("second", _LOCAL), 0),
        (call("monthname", _DAY), "Mar"),
        (call("unix_millis", _NOON), 1_711_886_400_123),
        (call("unix_seconds", Literal("-1", TIMESTAMP)), -1),
        (call("unix_timestamp", Literal("-1", TIMESTAMP), string("")), 0),
        (call("date_add", _DAY, integer(-31)), date(2024, 2, 29)),
        (call("datediff", _DAY, Literal("2024-02-29", DATE)), 31),
        (call("add_months", _DAY, integer(-1)), date(2024, 2, 29)),
        (call("last_day", _DAY), date(2024, 3, 31)),
        (call("next_day", _DAY, string("su")), date(2024, 4, 7)),
        (
            call("+", _NOON, Literal("-86400000000", _ONE_DAY)),
            _instant(2024, 3, 30, 12, 0, 0, 123456),
        ),
        (call("+", _DAY, Literal("11", IntervalType("MONTH", "MONTH"))), date(2025, 2, 28)),
        (
            call(
                "timestampdiff",
                _LOCAL,
                _micros(2024, 3, 30, 13, dtype=TIMESTAMP_NTZ),
                params=("HOUR",),
            ),
            -23,
        ),
        (
            call("date_format", _NOON, string("yyyy-MM-dd'T'HH:mm:ss.SSS")),
            "2024-03-31T12:00:00.123",
        ),
        (call("from_unixtime", bigint(0), string("yyyy-MM-dd HH:mm:ss")), "1970-01-01 00:00:00"),
        (Cast(_NOON, STRING), "2024-03-31 12:00:00.123456"),
        (Cast(_DAY, TIMESTAMP), _instant(2024, 3, 31)),
        (Cast(_LOCAL, DATE), date(2024, 3, 31)),
        (call("make_date", integer(2024), integer(2), integer(29)), date(2024, 2, 29)),
    ],
)
def test_values(engine: LocalEngine, expr: Expr, value: object) -> None:
    assert value_of(engine, expr) == value


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (call("hour", _micros(2024, 3, 31, 0, 59, 59)), 1),
        (call("hour", _micros(2024, 3, 31, 1)), 3),
        (
            Cast(_micros(2024, 3, 31, 2, 30, dtype=TIMESTAMP_NTZ), TIMESTAMP),
            _instant(2024, 3, 31, 1, 30),
        ),
        (
            Cast(_micros(2024, 10, 27, 2, 30, dtype=TIMESTAMP_NTZ), TIMESTAMP),
            _instant(2024, 10, 27, 0, 30),
        ),
        (
            call("date_trunc", string("HOUR"), _micros(2024, 10, 27, 1, 30)),
            _instant(2024, 10, 27, 1),
        ),
        (
            call("date_trunc", string("HOUR"), _micros(2024, 10, 27, 0, 30)),
            _instant(2024, 10, 27, 0),
        ),
        (
            call("+", _micros(2024, 3, 30, 11), Literal("86400000000", _ONE_DAY)),
            _instant(2024, 3, 31, 10),
        ),
        (Cast(Literal("2024-06-01", DATE), TIMESTAMP), _instant(2024, 5, 31, 22)),
        (Cast(Literal(None, DATE), TIMESTAMP), None),
    ],
)
def test_values_where_clocks_jump(berlin: LocalEngine, expr: Expr, value: object) -> None:
    assert value_of(berlin, expr) == value


def test_seconds_with_their_fraction(engine: LocalEngine) -> None:
    expr = with_type(call("extract", _LOCAL, params=("SECOND",)), DecimalType(8, 6))
    assert str(value_of(engine, expr)) == "0.123456"


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2024-1-1", "now", "20240101", "2024-01-01 ", "infinity", "2024-01-01Z"]
)
def test_texts_that_only_spark_reads(engine: LocalEngine, text: str) -> None:
    for dtype in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        with pytest.raises(NotLocalError):
            values(engine, T, Cast(T["s"], dtype), (None, None, None, text, None))


def test_infinite_times_fail(engine: LocalEngine) -> None:
    for expr in (call("unix_micros", T["p"]), Cast(T["p"], DATE), call("year", T["t"])):
        with pytest.raises(NotLocalError):
            values(engine, T, expr, (2**31 - 1, 2**63 - 1, None, None, None))


@pytest.mark.parametrize(
    "expr",
    [
        call("date_trunc", string("CENTURY"), _NOON),
        call("date_trunc", T["s"], _NOON),
        call("trunc", _DAY, string("HOUR")),
        call("unix_micros", T["q"]),
        call("date_format", _NOON, string("YYYY")),
        call("date_format", _NOON, T["s"]),
        call("to_timestamp_ltz", T["s"], string("dd.MM.yyyy")),
        call("next_day", _DAY, string("someday")),
        call("timestampdiff", _NOON, _NOON, params=("MONTH",)),
        call("timestamp_seconds", Cast(T["j"], DecimalType(38, 10))),
    ],
)
def test_expressions_that_only_spark_computes(expr: Expr) -> None:
    with pytest.raises(NotLocalError):
        print_duckdb(named(project(T.scan, expr)))


def test_patterns_that_engines_write_alike() -> None:
    assert strftime_pattern("d.M.yyyy 100%") == "%-d.%-m.%Y 100%%"
    for pattern in ("YYYY", "yyyyy", "yyyy[MM]", "'open", "u", "ddd", "a\0", "yyyy'\0'"):
        assert strftime_pattern(pattern) is None
