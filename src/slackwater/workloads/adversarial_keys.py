"""Adversarial tables whose trouble lies in keys, multiplicities and names.

They aim at joins, groups and set operations: NULL keys, keys without a partner, whole rows
that occur several times, groups without a single value, an empty table, a skewed key, and
column names that collide with words the engine uses itself.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa

from slackwater.workloads.rows import TIMESTAMP, Row, table_from_rows, utc

_NULLS_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("k", pa.int32()),
        ("g", pa.string()),
        ("v", pa.int32()),
        ("d", pa.decimal128(10, 2)),
        ("ts", TIMESTAMP),
    ]
)

_DAWN = utc("2024-02-29 00:00:00")
_NOON = utc("2024-02-29 12:00:00.000001")
_EVE = utc("2023-12-31 23:59:59.999999")

_NULLS_ROWS: list[Row] = [
    (1, 1, "a", 10, Decimal("1.50"), _DAWN),
    (1, 1, "a", 10, Decimal("1.50"), _DAWN),
    (1, 1, "a", 10, Decimal("1.50"), _DAWN),
    (2, 1, "a", None, Decimal("2.25"), _NOON),
    (3, 1, "b", -10, None, _EVE),
    (4, 2, "a", 0, Decimal("0.00"), None),
    (5, 2, "b", 7, Decimal("-7.77"), _DAWN),
    (5, 2, "b", 7, Decimal("-7.77"), _DAWN),
    (6, 2, None, 7, Decimal("7.77"), _NOON),
    (7, 3, "c", 3, Decimal("99999999.99"), _EVE),
    (8, 3, "c", 3, Decimal("-99999999.99"), _EVE),
    (9, 3, None, None, None, None),
    (10, None, "a", 1, Decimal("1.00"), _DAWN),
    (11, None, "a", 1, Decimal("1.00"), _DAWN),
    (12, None, "b", None, Decimal("3.10"), None),
    (13, None, "b", 5, None, _NOON),
    (14, None, None, 2, Decimal("0.01"), _NOON),
    (15, None, None, None, None, None),
    (15, None, None, None, None, None),
    (16, None, None, -2, Decimal("-0.01"), _EVE),
    (None, None, None, None, None, None),
    (None, None, None, None, None, None),
    (17, 4, "void", None, None, None),
    (18, 4, "void", None, None, None),
    (18, 4, "void", None, None, None),
    (19, 5, "void", None, None, None),
    (20, None, "void", None, None, None),
    (21, 6, "lone", 42, Decimal("42.42"), _NOON),
    (22, 7, "", 8, Decimal("8.08"), _DAWN),
    (23, 7, " ", 8, Decimal("8.08"), _DAWN),
    (24, 0, "a", 100, Decimal("100.00"), _DAWN),
    (25, -1, "a", -100, Decimal("-100.00"), _EVE),
    (26, 8, "A", 11, Decimal("1.10"), _NOON),
    (27, 8, "a", 12, Decimal("1.20"), _NOON),
    (None, 1, "a", 10, Decimal("1.50"), _DAWN),
    (None, 2, "b", None, None, _EVE),
    (28, 9, None, None, Decimal("5.55"), None),
    (29, 9, None, None, Decimal("5.55"), None),
    (30, 9, "d", None, Decimal("4.45"), None),
    (31, 2, "d", 13, None, None),
]

_RIGHT_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("k", pa.int32()),
        ("g", pa.string()),
        ("w", pa.int64()),
        ("x", pa.float64()),
    ]
)

# The odd BIGINT values above 2^53 reveal a detour through DOUBLE; the DOUBLE values are
# sums of powers of two, so that adding them in any order gives the same digits.
_RIGHT_ROWS: list[Row] = [
    (1, 1, "a", 1, 0.5),
    (1, 1, "a", 1, 0.5),
    (2, 1, "a", 9007199254740993, 0.25),
    (3, 1, "b", -9007199254740993, -0.25),
    (4, 2, "a", 4, None),
    (5, 2, "b", None, 4.0),
    (6, 2, None, 6, 6.5),
    (7, 3, "z", 7, 7.75),
    (8, 5, "void", 8, 8.0),
    (9, 8, "A", 9, -0.0),
    (10, 8, "a", 10, 0.0),
    (11, 11, "a", 11, 11.0),
    (11, 11, "a", 11, 11.0),
    (12, 12, "y", 12, 12.5),
    (13, 12, None, 13, None),
    (14, None, "a", 14, 14.0),
    (15, None, "b", 15, 15.0),
    (15, None, "b", 15, 15.0),
    (16, None, None, 16, 16.0),
    (16, None, None, 16, 16.0),
    (None, None, None, None, None),
    (17, -1, "a", -17, -17.0),
    (18, 0, "", 0, 0.125),
    (19, 13, "only right", 19, 19.0),
    (20, 9, "d", None, None),
    (20, 9, "d", None, None),
    (None, 7, " ", 21, 1.0),
    (22, 3, "c", 22, 2.0),
]

_NONULL_SCHEMA = pa.schema(
    [("id", pa.int32()), ("k", pa.int32()), ("g", pa.string()), ("v", pa.int32())]
)

_NONULL_ROWS: list[Row] = [
    (1, 1, "a", 10),
    (1, 1, "a", 10),
    (2, 1, "b", 20),
    (3, 2, "a", 7),
    (4, 2, "b", 7),
    (4, 2, "b", 7),
    (5, 3, "c", 3),
    (6, 3, "C", -3),
    (7, 6, "lone", 42),
    (8, 7, "", 0),
    (9, 7, " ", 0),
    (10, 10, "a", 1),
    (11, 10, "e", 1),
    (12, 11, "e", 2),
    (12, 11, "e", 2),
    (12, 11, "e", 2),
    (13, 12, "y", 12),
    (14, -1, "a", -100),
    (15, 0, "a", 100),
    (16, 14, "only here", 16),
    (17, 14, "only here", 17),
    (18, 15, "f", 18),
    (19, 15, "f", 18),
    (20, 16, "g", -20),
]

_SKEW_SCHEMA = pa.schema(
    [("id", pa.int32()), ("k", pa.int32()), ("v", pa.int64()), ("s", pa.string())]
)

_NAMES_SCHEMA = pa.schema(
    [
        ("_w", pa.int32()),
        ("key", pa.string()),
        ("count", pa.int64()),
        ("a.b", pa.int32()),
        ("with space", pa.string()),
        ("back`tick", pa.int32()),
        ("select", pa.date32()),
    ]
)

_NAMES_ROWS: list[Row] = [
    (1, "x", 1, 1, "one", 10, date(2024, 1, 1)),
    (1, "x", 1, 1, "one", 10, date(2024, 1, 1)),
    (-1, "x", 1, 1, "one", 10, date(2024, 1, 1)),
    (0, "x", 2, 1, "two", 20, date(2024, 1, 2)),
    (0, "y", 2, 2, "two", 20, date(2024, 1, 2)),
    (0, "y", 2, 2, "two", 20, date(2024, 1, 2)),
    (2, "y", 3, 2, "three", 30, None),
    (-2, "y", 3, 3, "three", 30, None),
    (3, "z", 0, 3, "", 0, date(2024, 2, 29)),
    (-3, "z", 0, 3, "", 0, date(2024, 2, 29)),
    (None, "z", None, None, None, None, None),
    (None, "z", None, None, None, None, None),
    (None, None, None, None, None, None, None),
    (None, None, 5, 5, "five", 50, date(1999, 12, 31)),
    (5, None, 5, 5, "five", -50, date(1999, 12, 31)),
    (5, "key", -5, -5, "minus", -50, date(2000, 1, 1)),
    (7, "count", 7, 7, "seven", 70, date(2024, 7, 7)),
    (7, "count", 7, 7, "seven", 70, date(2024, 7, 7)),
    (7, "count", 7, 7, "seven", 70, date(2024, 7, 7)),
    (8, "_w", 9007199254740993, 8, "with space", 80, date(2024, 8, 8)),
    (-8, "_w", -9007199254740993, 8, "with space", 80, date(2024, 8, 8)),
    (9, "select", 9, 9, "nine", None, None),
]


def nulls_table() -> pa.Table:
    """Many NULL keys, whole duplicate rows, and groups without a single value."""
    return table_from_rows(_NULLS_SCHEMA, _NULLS_ROWS)


def right_table() -> pa.Table:
    """The partner of `nulls_table` in joins on `k` and `g`; either side has keys of its own."""
    return table_from_rows(_RIGHT_SCHEMA, _RIGHT_ROWS)


def nonull_table() -> pa.Table:
    """Nullable columns that hold no NULL, for the side of NOT IN that must not meet one."""
    return table_from_rows(_NONULL_SCHEMA, _NONULL_ROWS)


def empty_table() -> pa.Table:
    """The columns of `nulls_table` without a row."""
    return table_from_rows(_NULLS_SCHEMA, [])


def skew_table() -> pa.Table:
    """Four hundred rows, nine tenths of them under one key."""
    return table_from_rows(_SKEW_SCHEMA, [_skew_row(number) for number in range(400)])


def names_table() -> pa.Table:
    """Column names that need quoting or that the engine uses for itself."""
    return table_from_rows(_NAMES_SCHEMA, _NAMES_ROWS)


def _skew_row(number: int) -> Row:
    """Every tenth row belongs to a rare key (one of them NULL); every seventh value is NULL."""
    rare = number % 10 == 0
    key = 7 if not rare else (None if number % 130 == 0 else number // 20)
    value = None if number % 7 == 3 else (number * 7919) % 1000 - 500
    return number // 2 if rare else number, key, value, f"s{number % 12}"
