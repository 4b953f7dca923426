"""Adversarial tables whose trouble lies in the values.

Each table goes to the limits of one family of types. Where a limit would make a common
query fail or its answer depend on the order of rows (a decimal sum that overflows, +inf
plus -inf), the extreme value stands in a group of its own.
"""

from __future__ import annotations

import math
import struct
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa

from slackwater.workloads.rows import TIMESTAMP, TIMESTAMP_NTZ, Row, table_from_rows, utc

_DEC_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("g", pa.string()),
        ("small", pa.decimal128(5, 2)),
        ("big", pa.decimal128(38, 0)),
        ("wide", pa.decimal128(38, 18)),
        ("money", pa.decimal128(18, 4)),
    ]
)

# Id, group, then the four decimals as text.
_DEC_TEXTS: list[tuple[int, str | None, str | None, str | None, str | None, str | None]] = [
    (1, "big max", "999.99", "9" * 38, "0", "99999999999999.9999"),
    (2, "big min", "-999.99", "-" + "9" * 38, "0", "-99999999999999.9999"),
    (3, "wide max", "999.99", "1", "9" * 20 + "." + "9" * 18, "99999999999999.9999"),
    (4, "wide min", "-999.99", "-1", "-" + "9" * 20 + "." + "9" * 18, "-99999999999999.9999"),
    (5, "limits", "999.99", "5" + "0" * 36, "40000000000000000000", "99999999999999.9999"),
    (6, "limits", "999.99", "4" + "0" * 36, "40000000000000000000", "99999999999999.9999"),
    (7, "limits", "999.99", "-3", "-0.000000000000000001", "99999999999999.9999"),
    (7, "limits", "999.99", "-3", "-0.000000000000000001", "99999999999999.9999"),
    (8, "limits", "-999.99", None, "0.999999999999999999", "-99999999999999.9999"),
    (9, "tiny", "0.01", "0", "0.000000000000000001", "0.0001"),
    (10, "tiny", "-0.01", "0", "0.000000000000000001", "0.0001"),
    (11, "tiny", "0.00", "1", "-0.000000000000000001", "-0.0001"),
    (12, "tiny", "0.01", "-1", "0.000000000000000003", "0.0002"),
    (13, "thirds", "0.33", "10", "0.333333333333333333", "0.3333"),
    (14, "thirds", "0.33", "10", "0.333333333333333333", "0.3333"),
    (15, "thirds", "0.34", "11", "0.333333333333333334", "0.3334"),
    (16, "thirds", "1.00", "12", "1.000000000000000000", "1.0000"),
    (17, "half", "0.05", "5", "0.500000000000000000", "0.0005"),
    (18, "half", "-0.05", "-5", "-0.500000000000000000", "-0.0005"),
    (19, "half", "0.15", "15", "2.500000000000000000", "0.0015"),
    (20, "void", None, None, None, None),
    (21, "void", None, None, None, None),
    (22, None, "12.34", "1234", "12.340000000000000000", "12.3400"),
    (23, None, None, "9007199254740993", "9007199254740993.000000000000000001", None),
    (24, "mixed", "100.00", "18446744073709551616", "18446744073709551616", "922337203685.4775"),
    (25, "mixed", "-100.00", "9223372036854775808", "-9223372036854775808", None),
    (25, "mixed", "-100.00", "9223372036854775808", "-9223372036854775808", None),
    (26, "mixed", None, "-9223372036854775809", "0.1", "1.0001"),
]

_TIME_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("d", pa.date32()),
        ("ts", TIMESTAMP),
        ("tsn", TIMESTAMP_NTZ),
        ("note", pa.string()),
    ]
)

# Date, instant in UTC, wall clock, note. The outermost instants keep a day's distance from the
# limits of the calendar: in other time zones they would fall into years Python cannot hold.
_TIME_TEXTS: list[tuple[str | None, str | None, str | None, str | None]] = [
    ("0001-01-01", "0001-01-02 00:00:00", "0001-01-01 00:00:00", "first day"),
    ("9999-12-31", "9999-12-30 23:59:59.999999", "9999-12-31 23:59:59.999999", "last day"),
    ("0004-02-29", "0004-02-29 12:00:00", "0004-02-29 12:00:00", "leap day, year 4"),
    ("1000-02-28", "1000-02-28 06:30:00.5", "1000-02-28 06:30:00.5", "no Julian leap day follows"),
    ("1500-03-01", "1500-03-01 00:00:00", "1500-03-01 00:00:00", "after the Julian leap day"),
    ("1582-10-04", "1582-10-04 23:59:59.999999", "1582-10-04 23:59:59.999999", "last Julian day"),
    ("1582-10-10", "1582-10-10 00:00:00", "1582-10-10 00:00:00", "a day the calendars skip"),
    ("1582-10-15", "1582-10-15 00:00:00", "1582-10-15 00:00:00", "first Gregorian day"),
    ("1883-11-18", "1883-11-18 17:00:00", "1883-11-18 12:03:58", "railway time, New York"),
    ("1893-04-01", "1893-03-31 23:06:32", "1893-04-01 00:00:00", "standard time, Berlin"),
    ("1899-12-31", "1899-12-31 23:59:59.999999", "1899-12-31 23:59:59.999999", "before 1900"),
    ("1900-01-01", "1900-01-01 00:00:00", "1900-01-01 00:00:00", "1900 has no leap day"),
    ("1900-02-28", "1900-02-28 23:59:59", "1900-02-28 23:59:59", "1900 has no leap day"),
    ("1969-12-31", "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999", "before the epoch"),
    ("1970-01-01", "1970-01-01 00:00:00", "1970-01-01 00:00:00", "epoch"),
    ("2000-02-29", "2000-02-29 00:00:00.000001", "2000-02-29 00:00:00.000001", "leap day, 2000"),
    ("2024-02-29", "2024-02-29 23:59:59.999", "2024-02-29 23:59:59.999", "leap day, 2024"),
    ("2021-03-14", "2021-03-14 06:59:59.999999", "2021-03-14 01:59:59.999999", "New York, before"),
    ("2021-03-14", "2021-03-14 07:00:00", "2021-03-14 02:30:00", "New York, the hour left out"),
    ("2021-03-28", "2021-03-28 00:59:59.999999", "2021-03-28 01:59:59.999999", "Berlin, before"),
    ("2021-03-28", "2021-03-28 01:00:00", "2021-03-28 02:30:00", "Berlin, the hour left out"),
    ("2021-10-31", "2021-10-31 00:30:00", "2021-10-31 02:30:00", "Berlin, the hour, first time"),
    ("2021-10-31", "2021-10-31 01:30:00", "2021-10-31 02:30:00", "Berlin, the hour, again"),
    ("2021-11-07", "2021-11-07 05:30:00", "2021-11-07 01:30:00", "New York, the hour, first time"),
    ("2021-11-07", "2021-11-07 06:30:00", "2021-11-07 01:30:00", "New York, the hour, again"),
    ("2021-11-07", "2021-11-07 06:30:00.000001", "2021-11-07 01:30:00.000001", "and a microsecond"),
    ("2020-12-31", "2020-12-31 23:30:00", "2021-01-01 00:30:00", "another year by the clock"),
    ("2021-01-03", "2021-01-03 12:00:00", "2021-01-03 12:00:00", "week 53 of 2020"),
    ("2038-01-19", "2038-01-19 03:14:08", "2038-01-19 03:14:08", "past 32 bits of seconds"),
    (None, "2021-06-01 00:00:00", "2021-06-01 00:00:00", "no date"),
    ("2021-06-01", None, "2021-06-01 00:00:00", "no instant"),
    ("2021-06-01", "2021-06-01 00:00:00", None, "no wall clock"),
    (None, None, None, None),
    (None, None, None, "nothing"),
]

_FLOAT_SCHEMA = pa.schema(
    [("id", pa.int32()), ("g", pa.string()), ("f", pa.float32()), ("x", pa.float64())]
)

_INF = math.inf
_NAN = math.nan
_NAN_NEGATIVE, _NAN_PAYLOAD = struct.unpack(
    "<dd", struct.pack("<QQ", 0xFFF8 << 48, 0x7FF8 << 48 | 1)
)

_FLOAT_ROWS: list[Row] = [
    (1, "zero", 0.0, 0.0),
    (2, "zero", -0.0, -0.0),
    (3, "zero", 0.0, -0.0),
    (3, "zero", 0.0, -0.0),
    (4, "zero", -0.0, 0.0),
    (5, "minus zero", -0.0, -0.0),
    (6, "nan", _NAN, _NAN),
    (7, "nan", 1.0, _NAN_NEGATIVE),
    (8, "nan", _NAN, 1.0),
    (9, "nan only", _NAN, _NAN_PAYLOAD),
    (10, "inf", _INF, _INF),
    (11, "inf", _INF, 1.0),
    (12, "inf", 1.0, _INF),
    (13, "minus inf", -_INF, -_INF),
    (14, "minus inf", 2.5, -_INF),
    (15, "subnormal", 1e-45, 5e-324),
    (16, "subnormal", 1e-45, 5e-324),
    (17, "subnormal", 1.1754942e-38, 2.225073858507201e-308),
    (18, "huge", 3.0e38, 1e308),
    (19, "huge", 1.0, 1.0),
    (20, "max", 3.4028234663852886e38, 1.7976931348623157e308),
    (21, "min", -3.4028234663852886e38, -1.7976931348623157e308),
    (22, "tenth", 0.1, 0.1),
    (23, "tenth", 0.1, 0.1),
    (24, "tenth", 0.2, 0.2),
    (25, "tenth", 0.3, 0.30000000000000004),
    (26, "half", 0.5, 0.5),
    (27, "half", 1.5, 2.5),
    (28, "half", 2.5, 3.5),
    (29, "exact", 16777216.0, 9007199254740992.0),
    (30, "exact", 16777215.0, 9007199254740991.0),
    (31, "void", None, None),
    (32, "void", None, None),
    (33, "mixed", None, 1.25),
    (34, "mixed", 1.25, None),
    (35, None, 1.0, 1.0),
    (36, None, None, -1.5),
    (37, None, _NAN, None),
]

_STR_SCHEMA = pa.schema(
    [("id", pa.int32()), ("s", pa.string()), ("t", pa.string()), ("b", pa.binary())]
)

_STR_ROWS: list[Row] = [
    (1, "A", "a", b"A"),
    (2, "a", "A", b"a"),
    (3, "ä", "Ä", "ä".encode()),
    (4, "Ä", "ä", "Ä".encode()),
    (5, "ß", "SS", "ß".encode("latin-1")),
    (6, "SS", "ß", b"SS"),
    (7, "ss", "ẞ", b"ss"),
    (8, "İ", "i", "İ".encode()),
    (9, "é", "e\u0301", "é".encode()),
    (10, "e\u0301", "é", b"e\xcc\x81"),
    (11, "abc", "abc ", b"abc"),
    (12, "abc ", "abc", b"abc "),
    (13, " abc", "abc", b" abc"),
    (14, "abc", "abc", b"abc\x00"),
    (14, "abc", "abc", b"abc\x00"),
    (15, "", " ", b""),
    (16, " ", "", b"\x00"),
    (17, "", None, None),
    (18, None, "", b"\xff\xfe"),
    (19, None, None, None),
    (19, None, None, None),
    (20, "😀", "👩‍👩‍👧", "😀".encode()),
    (21, "👍🏽", "👍", b"\xf0\x9f"),
    (22, "日本語", "にほん", "日本語".encode("utf-16-le")),
    (23, "it's", 'say "so"', b"'"),
    (24, "''", '""', b'"'),
    (25, "back\\slash", "\\", b"\\"),
    (26, "\\n", "\\u0041", b"\\n"),
    (27, "100%", "100\\%", b"%"),
    (28, "a_b", "a%b", b"_"),
    (29, "%", "_", b"%_"),
    (30, "tab\there", "line\nbreak", b"\t\n"),
    (31, "\r\n", "\n", b"\r\n"),
    (32, "nul\x00inside", "nul", b"nul\x00inside"),
    (33, "\u00a0", "\u200b", "\u00a0".encode()),
    (34, "12", "012", b"12"),
    (35, "1e3", "1000", b"\x01"),
    (36, "x1", "1x", b"\x7f"),
    (37, "-7", "+7", b"\x80"),
    (38, " 42 ", "42", b"\xff"),
    (39, "3.14", "3,14", b"\xff\xff"),
    (40, "NaN", "Infinity", b"NaN"),
    (41, "true", "NULL", b"null"),
    (42, "2024-02-29", "2023-02-29", b"2024-02-29"),
    (43, "2024-02-29 12:34:56.789", "29.02.2024", b"\x00\x01"),
    (44, '{"a": 1, "b": [1, 2, null]}', "$.b[0]", b"{}"),
    (45, '{"a": {"c": "x"}}', "{broken", b"["),
    (46, "[1, 2]", "null", b"]"),
    (47, "a,b,,c", "a;b", b","),
    (48, "AbC-xyz", "[A-Z]+", b"AbC"),
    (49, "x" * 300, "x" * 299, b"x" * 300),
]

_POINT = pa.struct([("x", pa.int32()), ("y", pa.float64()), ("label", pa.string())])
_ITEM = pa.struct([("sku", pa.string()), ("qty", pa.int32())])
_NESTED_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("tags", pa.list_(pa.string())),
        ("nums", pa.list_(pa.int32())),
        ("point", _POINT),
        ("attrs", pa.map_(pa.string(), pa.int32())),
        ("items", pa.list_(_ITEM)),
    ]
)


def _point(x: int | None, y: float | None, label: str | None) -> dict[str, object]:
    return {"x": x, "y": y, "label": label}


def _items(*pairs: tuple[str | None, int | None] | None) -> list[dict[str, object] | None]:
    return [None if pair is None else {"sku": pair[0], "qty": pair[1]} for pair in pairs]


_P = _point(1, 1.5, "p")
_NO_POINT = _point(None, None, None)

_NESTED_ROWS: list[Row] = [
    (1, ["a", "b"], [1, 2], _P, [("x", 1)], _items(("s1", 1))),
    (1, ["a", "b"], [1, 2], _P, [("x", 1)], _items(("s1", 1))),
    (2, ["b", "a"], [2, 1], _P, [("x", 1), ("y", 2)], _items(("s1", 1), ("s2", 2))),
    (3, ["a", "a", "b"], [1, 1, 1], _point(1, 2.5, "p"), [("y", 2)], _items(("s1", 1), ("s1", 1))),
    (4, [], [], _point(0, 0.0, ""), [], _items()),
    (5, None, None, None, None, None),
    (5, None, None, None, None, None),
    (6, [None], [None], _NO_POINT, [("x", None)], _items(None)),
    (
        7,
        [None, None, "a"],
        [None, 3],
        _point(None, 1.0, "x only null"),
        [],
        _items(None, ("s3", 3)),
    ),
    (8, [""], [0], _point(2, None, None), [("", 0)], _items((None, None))),
    (
        9,
        ["a", None, "a", None],
        [5, None, 5],
        _point(2, -1.0, None),
        [("x", 1)],
        _items(("s2", None)),
    ),
    (10, None, [7], _P, None, _items((None, 4))),
    (11, ["c"], None, None, [("x", -1)], None),
    (12, ["a"], [], None, [("z", 26), ("x", 24), ("y", 25)], _items()),
    (13, [], [9, 8, 7], _point(3, 3.0, "r"), None, _items(("s4", 0), ("s4", -4), (None, None))),
    (14, ["ä", "a\u0308"], [2147483647], _point(-3, 1e300, "ä"), [("ä", 1)], _items(("ä", 1))),
    (15, ["a,b", "c'd"], [-2147483648], _point(4, -0.0, "q'"), [("a.b", 3)], _items(("a b", 2))),
    (16, ["a"] * 12, list(range(12)), _point(5, 0.0, "long"), [("k", 1)], _items(*[("s5", 1)] * 5)),
    (None, ["n"], [1], _P, [("n", 1)], _items(("s1", 1))),
    (17, ["a", "b"], [1, 2], None, [("x", 1)], None),
    (18, ["a", "b"], None, _NO_POINT, [("x", 2)], _items(("s1", 2))),
    (19, None, [1, 2], _point(1, 1.5, "P"), [("X", 1)], _items(("S1", 1))),
]


def dec_table() -> pa.Table:
    """Decimals at the limits of four precisions.

    SUM of every column and AVG of `small` and `money` fit their types when grouped by `g`.
    Over the whole table SUM(big) and SUM(wide) may overflow, depending on the order of rows.
    """
    rows = [(row[0], row[1], *(t and Decimal(t) for t in row[2:])) for row in _DEC_TEXTS]
    return table_from_rows(_DEC_SCHEMA, rows)


def time_table() -> pa.Table:
    """Dates and times around calendar reforms, leap days, clock changes and the epoch."""
    rows: list[Row] = [
        (
            number,
            d and date.fromisoformat(d),
            ts and utc(ts),
            tsn and datetime.fromisoformat(tsn),
            note,
        )
        for number, (d, ts, tsn, note) in enumerate(_TIME_TEXTS, start=1)
    ]
    return table_from_rows(_TIME_SCHEMA, rows)


def float_table() -> pa.Table:
    """NaN of several bit patterns, both zeros, infinities, subnormals and the largest values.

    Sums grouped by `g` do not depend on the order of rows: no group holds both infinities,
    two values that overflow together, or a large value and its negation.
    """
    return table_from_rows(_FLOAT_SCHEMA, _FLOAT_ROWS)


def str_table() -> pa.Table:
    """Texts that differ only by case, accent, blank or escape, and texts that look like values."""
    return table_from_rows(_STR_SCHEMA, _STR_ROWS)


def nested_table() -> pa.Table:
    """Arrays, structs and maps with NULLs at every level, empty ones, and duplicates inside."""
    return table_from_rows(_NESTED_SCHEMA, _NESTED_ROWS)
