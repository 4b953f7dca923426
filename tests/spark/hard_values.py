"""Rows of the values that are hardest, and expressions of every form over them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Context, Decimal

import pyarrow as pa

from slackwater.compiler.duckdb.types import arrow_type
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
    ArrayType,
    DataType,
    DecimalType,
    Field,
    StructType,
)

_WIDE = Context(prec=100)
ROWS = 64
_PAIR = StructType((Field("x", INTEGER), Field("k1", STRING)))
_DEEP = StructType((Field("k1", StructType((Field("x", INTEGER), Field("u", _PAIR)))),))


def _integers(bits: int) -> list[int]:
    least = -(2 ** (bits - 1))
    return [0, 1, -1, 2, 3, -3, 7, 100, least, least + 1, -least - 1, -least - 2]


def _decimals(digits: int, scale: int) -> list[Decimal]:
    most = 10**digits - 1
    numbers = [0, 1, 5, 45, 50, 10**scale, 5 * 10**scale // 2, 10 ** (digits // 2), most // 2, most]
    fitting = [number for number in numbers if number <= most]
    signed = [*fitting, *(-number for number in fitting)]
    return [Decimal(number).scaleb(-scale, _WIDE) for number in signed]


_NOT_A_NUMBER = float("nan")
_INFINITY = float("inf")
_FLOATS = [0.0, 0.1, 0.5, 1.0, 1.5, 2.5, 7.0, 100.0, 1e-3, 1.005, 2.675, 123456.789, 1e7]
_FLOATS += [
    2.0**24 + 1,
    2.0**31,
    2.0**31 - 1,
    2.0**63,
    1e15 + 0.5,
    2.0**53 + 2,
    4503599627370497.5,
    1e23,
]
_FLOATS += [3.4028234663852886e38, 1.401298464324817e-45, 1.1754943508222875e-38]
_DOUBLES = [*_FLOATS, 1e300, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 0.3, 9e18]
_SPECIAL = [_NOT_A_NUMBER, -_NOT_A_NUMBER, _INFINITY, -_INFINITY]


def _signed(numbers: list[float]) -> list[float]:
    return [*_SPECIAL, *numbers, *(-number for number in numbers[: ROWS // 2 - 4])]


_TEXTS = ["", " ", "a", "a ", " a", "A", "ab", "abc", "e\u0301", "é", "ß", "🦉", "🦉x", "日本"]
_TEXTS += ["\x00", "a\x00b", "%", "_", "a%b", "\\", "'", "\n", "a\nb", "\uffff", "\U0010ffff"]
_TEXTS += ["👩\u200d👩\u200d👧", "abcdefghijklmnop", "abcdefghijklmnoq"]
_NOT_UTF8 = [b"\x80\x80", b"a\x80b", b"a\xc3", b"\xed\xa0\x80", b"\xf8a", b"\xe6\x97"]
"""Spark takes texts of any bytes."""
_DAYS = [-719529, -719528, -719163, -719162, -141428, -141427, -25509, -1, 0, 1, 11016, 11017]
_DAYS += [18321, 2932896]
_MICROS = [day * 86_400_000_000 for day in _DAYS]
_DAYS += [2**31 - 1, 2**31 - 2, -(2**31), -(2**31) + 1, -(2**31) + 2]
_MICROS += [2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, -(2**63) + 2]
"""DuckDB takes the last of both, and the second, for infinities."""
_MICROS += [-1, 1, 1_603_584_000_000_000 + 3_599_999_999, 1_585_443_600_000_001]
_LISTS = [[], [1], [None], [1, None, -1], [2**31 - 1, 0], [3, 2, 1, 0]]
_PAIRS = [{"x": 1, "k1": "a"}, {"x": None, "k1": ""}, {"x": -1, "k1": None}]
_DEEPS: list[dict[str, object]] = [
    {"k1": {"x": n, "u": pair}} for n, pair in ((1, _PAIRS[0]), (None, None))
]
_DEEPS += [{"k1": None}]

_TABLE: dict[str, tuple[DataType, list[object]]] = {
    "y": (TINYINT, [*_integers(8)]),
    "h": (SMALLINT, [*_integers(16)]),
    "i": (INTEGER, [*_integers(32)]),
    "j": (BIGINT, [*_integers(64)]),
    "f": (DecimalType(1, 1), [*_decimals(1, 1)]),
    "n": (DecimalType(5, 0), [*_decimals(5, 0)]),
    "d": (DecimalType(12, 2), [*_decimals(12, 2)]),
    "k": (DecimalType(18, 18), [*_decimals(18, 18)]),
    "e": (DecimalType(30, 4), [*_decimals(30, 4)]),
    "w": (DecimalType(38, 0), [*_decimals(38, 0)]),
    "x": (DecimalType(38, 6), [*_decimals(38, 6)]),
    "z": (DecimalType(38, 38), [*_decimals(38, 38)]),
    "s": (STRING, [*_TEXTS, *_NOT_UTF8]),
    "u": (STRING, [*_TEXTS, *_NOT_UTF8]),
    "t": (DATE, [*_DAYS]),
    "b": (BOOLEAN, [True, False]),
    "p": (TIMESTAMP, [*_MICROS]),
    "q": (TIMESTAMP_NTZ, [*_MICROS]),
    "l": (ArrayType(INTEGER), [*_LISTS]),
    "r": (_DEEP, [*_DEEPS]),
    "c": (_PAIR, [*_PAIRS]),
    "m": (ArrayType(_PAIR), [[], _PAIRS, [None], [None, *_PAIRS]]),
    "db": (DOUBLE, [*_signed(_DOUBLES)]),
    "db2": (DOUBLE, [0.0, -0.0, *_signed(_FLOATS[:12])]),
    "fl": (FLOAT, [*_signed(_FLOATS)]),
    "fl2": (FLOAT, [0.0, -0.0, *_signed(_FLOATS[:12])]),
}
COLUMNS = {"id": BIGINT, "g": INTEGER, **{name: dtype for name, (dtype, _) in _TABLE.items()}}
_NUMBERS = "yhijfndkewxz"
_FLOATING = ("db", "db2", "fl", "fl2")
_FLOAT_LITERALS = ("0D", "-0.0D", "1.5D", "CAST('NaN' AS DOUBLE)", "double('Infinity')", "0.1F")
_LITERALS = ["0", "1", "-1", "(-7)", "100", "2147483648", "5L", "0.5BD", "7.25BD", "CAST(3 AS INT)"]
_TYPES = ["TINYINT", "SMALLINT", "INT", "BIGINT", "STRING", "DECIMAL(1,0)", "DECIMAL(5,2)"]
_TYPES += ["DECIMAL(18,4)", "DECIMAL(20,0)", "DECIMAL(38,0)", "DECIMAL(38,10)", "DECIMAL(38,37)"]
_FLOAT_TYPES = ("DOUBLE", "FLOAT")
_SHIFTS = ("shiftleft", "shiftright")
_SIGNS = ("=", "<", "<=", "<>", "<=>")


def combined() -> Iterator[str]:
    """Many of a kind: every operation with operands of all types."""
    for one in _NUMBERS:
        yield from (f"CAST({one} AS {target})" for target in _TYPES)
        for sign in "+-*/":
            yield from (f"{one} {sign} {other}" for other in (*_NUMBERS, *_LITERALS))
            yield f"3 {sign} {one}"
    for one in _FLOATING:
        yield from (f"CAST({one} AS {target})" for target in _TYPES if target != "STRING")
        for other in (*_FLOATING, *_FLOAT_LITERALS, "i", "7"):
            yield from (f"{one} {sign} {other}" for sign in "+-*/%")
            yield from (f"pmod({one}, {other})", f"nanvl({one}, {other})")


def computed() -> Iterator[str]:
    """Values of every form."""
    for one in _NUMBERS:
        yield from (f"- {one}", f"abs({one})", f"{one} % 7", f"{one} % 100L")
    yield from ("CAST(f + f AS DECIMAL(38,37)) * d", "(i + 1) * 0", "(y + y) - y", "(d + d) / n")
    yield from ("k / w", "x / w", "x / z", "z / x", "w + 1", "n + 1", "n * (-100)", "x + x")
    yield from ("length(s)", "year(t)", "month(t)", "day(t)", "-2147483648", "'a\\u00e9\\n\\\\\\''")
    yield from (f"substring(s, {start}, {size})" for start in (1, 2, 9) for size in (0, 1, 30))
    yield from (f"xxhash64({name})" for name in _TABLE if name not in "lrcm")
    yield from ("xxhash64(y, s, w)", "xxhash64(NULL, p)", "array(s, u)", "array(d, i)")
    yield from ("CASE WHEN i > 0 THEN d WHEN b THEN e END", "if(b, i + 1, j)", "if(b, NULL, s)")
    yield from ("CASE i WHEN 1 THEN 'one' WHEN NULL THEN 'two' ELSE s END", "coalesce(i + 1, 0)")
    yield from ("coalesce(d, e, 0)", "coalesce(s, u)", "coalesce(r, r)", "coalesce(NULL, t)")
    yield from (f"{name}({one}, {one}, 0)" for name in ("greatest", "least") for one in "yjdw")
    for name in ("greatest", "least"):
        yield from (f"{name}({it})" for it in ("db, db2", "fl, fl2", "db2, 0D", "-0.0D, db, NULL"))
    for one in _FLOATING:
        yield from (f"{name}({one})" for name in ("sign", "floor", "ceil", "isnan", "positive"))
    for target in _FLOAT_TYPES:
        yield from (f"CAST({one} AS {target})" for one in (*_NUMBERS, *_FLOATING))
        yield from (f"CAST('{it}' AS {target})" for it in ("0.1", "-1e9", "NaN", "-Infinity"))
    for target in ("INT", "BIGINT", "DECIMAL(12,2)", "DECIMAL(38,15)", "DECIMAL(20,0)"):
        yield from (f"CAST({one} AS {target})" for one in ("db", "fl", "db2", "d"))
    yield from ("CAST(x AS BIGINT)", "CAST(z AS BIGINT)", "db * d", "fl = w", "x < db2", "j / db")
    for one in ("db", "db2"):
        yield from (f"{name}({one}, {n})" for name in ("round", "bround") for n in (0, 1, 2, 5, 15))
    yield from (f"{name}(d)" for name in ("floor", "ceil", "round"))
    yield from ("floor(x)", "ceil(z)", "floor(n)", "round(w, 1)", "round(i, 2)", "round(x, 3)")
    yield from (f"{one} % {other}" for one, other in ("yy", "hi", "ij", "jj"))
    yield from (f"pmod({one}, {other})" for one, other in ("yy", "hi", "ij", "jj"))
    yield from (f"{one} {sign} {other}" for sign in "&|^" for one, other in ("yy", "hi", "jj"))
    yield from (f"{name}({one}, {n})" for name in _SHIFTS for one in "ij" for n in (1, 5, 31))
    yield from (f"{name}({one})" for name in ("~", "bit_count") for one in "yhij")
    yield from ("hex(j)", "bin(j)", "hex(i)", "bin(y)", "degrees(db)", "radians(db)", "sqrt(db)")
    yield from ("i div j", "y div 0", "j div -1", "nanvl(db, db2)", "nanvl(fl, fl2)")
    yield from ("- db", "- fl", "abs(db)", "abs(fl)", "nullif(db, 0D)", "coalesce(fl, fl2)")
    yield from ("if(db > db2, db, db2)", "CASE WHEN fl = 0F THEN fl ELSE - fl END", "nvl(db, db2)")
    yield from ("greatest(s, u)", "least(t, NULL)", "greatest(p, p)", "greatest(b, FALSE)")
    yield from (f"get(l, {place})" for place in ("0", "1", "-1", "-2", "y", "h", "i", "NULL"))
    yield from ("get(array(i, y, 1), y)", "array(NULL, i)", "named_struct('a', i, 'B c', c)")
    yield from ("c.x", "r.k1", "r.k1.x", "r.k1.u", "r.k1.u.x", "r.k1.u.k1", "get(m, 0).k1")
    yield from ("filter(l, v -> v > 0)", "filter(l, v -> v IS NULL)", "filter(l, I -> I = y)")
    yield from ("filter(m, v -> v.x > i)", "filter(m, v -> v IS NOT NULL)")
    yield from ("filter(m, c -> c.x > 0 AND c.k1 = 'a')", "filter(l, y -> y + 1 > 1)")


ONLY_SPARK = {
    *(f"{one} % {number}" for one in "fndkewxz" for number in ("7", "100L")),
    *(form.format(one) for one in "wxz" for form in ("- {}", "abs({})")),
    "CAST(f + f AS DECIMAL(38,37)) * d",
}
"""Computed values that the driver leaves to Spark: it rounds them in a way of its own."""


def compared() -> Iterator[str]:
    """Many of a kind: every comparison of all types, also of what may overflow."""
    for sign in _SIGNS:
        yield from (f"{name} {sign} {name}" for name in _TABLE if name not in "lrcm")
        yield from (f"{one} {sign} {other}" for one in "idew" for other in _NUMBERS)
        yield from (f"{one} {sign} 1" for one in _NUMBERS)
        yield from (f"{one} + 1 {sign} 5" for one in _NUMBERS)
        yield from (f"5 {sign} 1 - {one}" for one in _NUMBERS)
        yield from (f"{one} * 2 {sign} 6" for one in _NUMBERS)
        yield from (f"{one} {sign} {other}" for one in _FLOATING for other in _FLOATING)
        yield from (f"{one} {sign} {other}" for one in _FLOATING for other in _FLOAT_LITERALS)


def conditions() -> Iterator[str]:
    """Conditions of every form."""
    for sign in _SIGNS:
        yield f"CAST(i AS TINYINT) {sign} CAST(1 AS TINYINT)"
        yield f"CAST(j AS DECIMAL(9,0)) {sign} CAST(1 AS DECIMAL(9,0))"
        yield f"CAST(y + y AS BIGINT) {sign} 1L"
        yield f"CAST(d AS DECIMAL(5,2)) {sign} 0.5BD"
        yield from (f"- i {sign} 3", f"abs(y) {sign} 3", f"s {sign} u", f"s {sign} 'a'")
        yield from (f"i + 1 {sign} 5 AND b", f"b AND i + 1 {sign} 5", f"NOT (j - 1 {sign} 4)")
        yield from (f"i + 1 {sign} 5 AND y = 1 AND h > 0", f"y = 1 OR i + 1 {sign} 5")
        yield from (f"(y = 2 AND i + 1 {sign} 5) OR b", f"i + 1 {sign} 5 OR b OR y = 2")
        yield from (
            f"NOT (b AND (y = 2 OR i + 1 {sign} 5))",
            f"(b AND j * 2 {sign} y AND h = 1) OR b",
        )
    yield from ("CAST(i AS TINYINT) IN (1, 2)", "CAST(h AS TINYINT) IN (CAST(1 AS TINYINT))")
    yield from (
        "i + 1 IN (1, NULL)",
        "i - 1 BETWEEN 0 AND 9",
        "y IN (i, j)",
        "s IN ('a', '🦉', '')",
    )
    yield from ("CASE i + 1 WHEN 2 THEN TRUE ELSE FALSE END", "e BETWEEN d AND x", "t IN (t, NULL)")
    yield from ("b IS TRUE", "b IS NOT FALSE", "i IS NULL", "(i + 1) IS NULL", "r.k1.x IS NULL")
    yield from ("b AND NULL", "b OR NULL", "NOT b", "r IS NULL", "c.x = r.k1.x", "l IS NOT NULL")
    yield from (f"s LIKE '{it}'" for it in ("", "%", "_", "a%", "%a", "%a%", "__", "a_b", "a b"))
    yield from (f"NOT s LIKE '{it}' ESCAPE '!'" for it in ("_", "%_", "%🦉%", "e_"))
    for name in ("startswith", "endswith", "contains"):
        yield from (f"{name}(s, {part})" for part in ("u", "''", "'a'", "'🦉'", "NULL"))
    yield from (f"t {sign} DATE '{day}'" for sign in "<=" for day in _DATES)
    yield from (f"db {sign} {other}" for sign in _SIGNS for other in ("db2", *_FLOAT_LITERALS[:5]))
    yield from (f"{other} {sign} fl" for sign in _SIGNS for other in ("fl2", "0.1F", "-0.0F"))
    yield from ("db IN (0D, double('NaN'))", "db2 IN (1D, 2.5D, -7D, 0.1D, -0.0D, 9D, NULL, db)")
    yield from ("NOT db < 0D", "fl NOT IN (0.5F, -0.0F)", "db BETWEEN -0.0D AND 1D", "NOT db2 = db")


_DATES = ("0000-01-01", "0001-01-01", "1582-10-10", "1969-12-31", "2000-02-29", "9999-12-31")

AGGREGATES = [
    *(f"{name}({one})" for name in ("sum", "avg", "min", "max") for one in _NUMBERS),
    *(f"{name}({one})" for name in ("min", "max", "count") for one in "sutbpq"),
    *(f"count(DISTINCT {one})" for one in (*"yjdwsutbpq", *_FLOATING)),
    *(f"{name}({one})" for name in ("min", "max", "count") for one in _FLOATING),
    *(f"sum({one} + 1)" for one in "yhijdx"),
    *(f"sum({one}) + 1" for one in "ijdx"),
    "sum(x) FILTER (WHERE i > 0)",
    "avg(w) FILTER (WHERE b)",
    "count(*)",
    "count(i + 1)",
    "max(i - 1)",
]
_FRAME = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
WINDOWS = [
    *(f"{name}({one}) OVER (PARTITION BY g)" for name in ("sum", "avg", "max") for one in "yjdewx"),
    *(f"sum({one}) OVER (PARTITION BY g ORDER BY s, id)" for one in "yjdewx"),
    *(f"sum({one}) OVER (PARTITION BY g ORDER BY t DESC {_FRAME})" for one in "yjdewx"),
    *(f"rank() OVER (PARTITION BY g ORDER BY {one})" for one in (*"yjdwsutbpq", *_FLOATING)),
    *(
        f"dense_rank() OVER (PARTITION BY g ORDER BY {one} DESC)"
        for one in (*"yjdwsutbpq", *_FLOATING)
    ),
    "max(db) OVER (PARTITION BY g ORDER BY fl, id)",
    "row_number() OVER (PARTITION BY g ORDER BY s DESC NULLS FIRST, id)",
    "count(i + 1) OVER (PARTITION BY g)",
    "min(s) OVER (PARTITION BY g ORDER BY u NULLS LAST)",
]


_DOWN = "LATERAL VIEW explode(sequence(1, CAST(y AS BIGINT))) down AS v"
_UP = "LATERAL VIEW explode(sequence(CAST(y AS BIGINT), 3L)) up AS v"
_TOTALS = "WITH a AS (SELECT g, sum(y) AS v FROM t GROUP BY g)"
STATEMENTS = [
    f"SELECT id, v FROM t {_DOWN}",
    f"SELECT id, v FROM t {_UP}",
    "SELECT id, v, c1 FROM t LATERAL VIEW stack(2, s, 1, u) stacked AS v, c1",
    "SELECT id, v FROM t LATERAL VIEW stack(3, s, u) stacked AS v",
    "SELECT s AS u, max(u) AS s FROM t GROUP BY s HAVING s > 'a'",
    "SELECT s AS v, max(u) AS s FROM t GROUP BY s HAVING max(s) > 'a'",
    "SELECT g AS v, sum(y) AS g FROM t GROUP BY g HAVING g > 1",
    "SELECT g AS v, sum(y) AS i FROM t GROUP BY g HAVING sum(i % 7) > 1",
    "SELECT id, explode(l) AS v FROM t",
    "SELECT id, explode(m) AS v FROM t",
    "SELECT id, v.x AS x, v.k1 AS k1 FROM (SELECT id, explode(m) AS v FROM t) WHERE v.x IS NULL",
    "SELECT 1 AS v FROM t HAVING count(*) > 0",
    "SELECT 1 AS v FROM (SELECT i FROM t WHERE FALSE) HAVING count(*) = 0",
    "SELECT g, count(*) AS n FROM t GROUP BY g, i + 0 HAVING sum(y) > 0",
    "SELECT s, u FROM t WHERE s < u UNION ALL SELECT u, NULL FROM t",
    "SELECT i AS v FROM t UNION ALL SELECT d FROM t",
    "SELECT a, c FROM (SELECT s AS a FROM t) FULL OUTER JOIN (SELECT u AS c FROM t) ON (a = c)",
    "SELECT a, c FROM (SELECT i AS a FROM t) INNER JOIN (SELECT d AS c FROM t) ON (a = c)",
    "SELECT a, c FROM (SELECT t AS a FROM t) RIGHT JOIN (SELECT t AS c FROM t) ON (a = c)",
    "SELECT a, c FROM (SELECT i AS a FROM t) LEFT JOIN (SELECT y AS c FROM t) ON (a <=> c)",
    "SELECT id FROM t LEFT ANTI JOIN (SELECT y AS v FROM t) ON (i = v OR (i = v) IS NULL)",
    "SELECT DISTINCT s, d, w, p FROM t",
    "SELECT p, q, t, s, count(*) AS n FROM t GROUP BY p, q, t, s",
    "SELECT a, c FROM (SELECT p AS a FROM t) FULL OUTER JOIN (SELECT p AS c FROM t) ON (a = c)",
    "SELECT xxhash64(q, p) AS a, count(*) AS n FROM t GROUP BY xxhash64(q, p)",
    *(f"SELECT {one}, count(*) AS n FROM t GROUP BY {one}" for one in _FLOATING),
    "SELECT DISTINCT db2, fl2 FROM t",
    "SELECT id, min(db) AS a, max(db2) AS c, min(fl2) AS u, max(fl) AS w FROM t GROUP BY id",
    "SELECT DISTINCT - db2 AS v FROM t WHERE db2 = 0D AND id > 3",
    "SELECT db2 + 1D AS v, count(DISTINCT fl2) AS n FROM t GROUP BY db2 HAVING db2 >= 0D",
    "SELECT id, db2, fl2, count(*) OVER (PARTITION BY db2) AS n FROM t",
    "SELECT id, db2, fl2, count(*) OVER (PARTITION BY g ORDER BY db2, fl2) AS n FROM t",
    "SELECT id, db2, v FROM t JOIN (SELECT db2 AS v FROM t WHERE id % 2 = 0) ON db2 = v",
    "SELECT id, fl2, v FROM t LEFT JOIN (SELECT fl AS v FROM t WHERE id < 40) ON fl2 = v",
    "SELECT id, db, v FROM t FULL JOIN (SELECT db2 AS v FROM t WHERE id < 40) ON db <=> v",
    "SELECT id, db2, v FROM t JOIN (SELECT db AS v FROM t WHERE id < 20) ON db2 < v",
    "SELECT id, db2 FROM t LEFT SEMI JOIN (SELECT db AS v FROM t) ON db2 = v",
    "SELECT id, fl2 FROM t LEFT ANTI JOIN (SELECT fl AS v FROM t) ON fl2 = v",
    "SELECT id, db, fl, db2, fl2 FROM t WHERE db2 >= 0D OR fl2 = -0.0F",
    "SELECT db2, fl2 FROM t UNION SELECT fl2, db2 FROM t",
    "SELECT id, s FROM t WHERE (y = 2 AND id > 0) OR (b AND s <> u)",
    f"{_TOTALS} SELECT v FROM a WHERE v > 0 UNION ALL SELECT v FROM a WHERE v <= 0",
    "SELECT r.k1.x AS x, c.x AS k1, r.k1.u.x AS c2 FROM t",
]


def hard_rows() -> pa.Table:
    """Hard values beside one another, in groups of three rows."""
    chosen = random.Random(20)
    columns: dict[str, list[object]] = {
        "id": [*range(ROWS)],
        "g": [row // 3 for row in range(ROWS)],
    }
    for name, (_, values) in _TABLE.items():
        more = [chosen.choice([*values, None]) for _ in range(ROWS - len(values))]
        columns[name] = [*values, *more]
        chosen.shuffle(columns[name])
    arrays = [_array(columns[name], arrow_type(dtype)) for name, dtype in COLUMNS.items()]
    return pa.table(arrays, names=list(COLUMNS))


def _array(values: list[object], kind: pa.DataType) -> pa.Array:
    if pa.types.is_float32(kind):
        return pa.array(values, pa.float64()).cast(kind, safe=False)
    if not pa.types.is_string(kind):
        return pa.array(values, kind)
    raw = [value.encode() if isinstance(value, str) else value for value in values]
    return pa.array(raw, pa.binary()).view(kind)
