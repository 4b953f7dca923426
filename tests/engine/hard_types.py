"""Every type of Spark's with its hardest values, and every kind of operator over a column of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_ORDERED = frozenset(
    {
        "sort_limit",
        "limit_inside",
        "window_order",
        "extremes",
        "all_extremes",
        "less",
        "sorted_list",
    }
)
"""The operators that need an order."""
_GROUPED = frozenset(
    {
        "group_key",
        "distinct",
        "count_distinct",
        "count_distinct_pairs",
        "window_partition",
        "union",
        "difference",
        "in_group",
    }
)
"""Those that tell whether values are the same."""
_COUNTED = frozenset({"count_distinct", "count_distinct_pairs"})
"""Those of them that only count."""
_EQUATED = frozenset(
    {
        "join_key",
        "null_safe_join",
        "left_join",
        "full_join",
        "semi_join",
        "anti_join",
        "not_in",
        "equal",
        "in_list",
    }
)
"""Those that use an equals sign."""


@dataclass(frozen=True)
class HardType:
    """A type by its values, written in SQL; the first two are used as constants.

    `shown` gives one text or value for all that Spark calls equal, where it may show any of them.
    """

    name: str
    values: tuple[str, ...]
    refused: frozenset[str] = frozenset()
    """The operators that Spark refuses for the type."""
    failing: frozenset[str] = frozenset()
    """Those it accepts, and cannot compute once there are rows."""
    shown: str = "{}"
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def value(self, number: str) -> str:
        """SQL for the value of that number, counted from 1; NULL for NULL."""
        cases = [f"WHEN {at} THEN {value}" for at, value in enumerate(self.values, start=1)]
        return f"CASE {number} {' '.join(cases)} END"

    def views(self) -> dict[str, str]:
        """One query for each operator."""
        first, second = self.values[:2]
        words = {"first": first, "second": second}
        words |= {"shown": self.shown.format("v"), "shown_w": self.shown.format("w")}
        return {name: sql.format(**words) for name, sql in _OPERATORS.items()}


_OPERATORS = {
    "scan": "SELECT id, v FROM t",
    "group_key": "SELECT {shown} AS v, n, s FROM "
    "(SELECT v, count(*) AS n, sum(id) AS s FROM t GROUP BY v)",
    "distinct": "SELECT {shown} AS v FROM (SELECT DISTINCT v FROM t)",
    "join_key": "SELECT t.id, u.id AS other, t.v FROM t JOIN u ON t.v = u.v",
    "null_safe_join": "SELECT t.id, u.id AS other, u.v FROM t JOIN u ON t.v <=> u.v",
    "left_join": "SELECT t.id, t.v, u.id AS other, u.v AS w FROM t LEFT JOIN u ON t.v = u.v",
    "full_join": "SELECT t.id, t.v, u.id AS other, u.v AS w FROM t FULL JOIN u ON t.v = u.v",
    "carried_join": "SELECT t.id, t.v, u.v AS w FROM t LEFT JOIN u ON t.g = u.g AND t.id > u.id",
    "semi_join": "SELECT id, v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.v = t.v)",
    "anti_join": "SELECT id, v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.v = t.v)",
    "not_in": "SELECT id, v FROM t WHERE v NOT IN (SELECT v FROM u WHERE v IS NOT NULL)",
    "sort_limit": "SELECT id, v FROM t ORDER BY v DESC, id LIMIT 5",
    "limit_inside": "SELECT count(*) AS n, sum(id) AS s FROM "
    "(SELECT id FROM t ORDER BY v, id LIMIT 4)",
    "window_partition": "SELECT id, v, count(*) OVER (PARTITION BY v) AS n FROM t",
    "window_order": "SELECT id, v, rank() OVER (PARTITION BY g ORDER BY v) AS r FROM t",
    "extremes": "SELECT g, {shown} AS v, {shown_w} AS w FROM "
    "(SELECT g, min(v) AS v, max(v) AS w FROM t GROUP BY g)",
    "all_extremes": "SELECT {shown} AS v, {shown_w} AS w FROM "
    "(SELECT min(v) AS v, max(v) AS w FROM t)",
    "count_distinct": "SELECT g, count(DISTINCT v) AS n FROM t GROUP BY g",
    "count_distinct_pairs": "SELECT g, count(DISTINCT v) AS n, count(DISTINCT id, v) AS pairs "
    "FROM t GROUP BY g",
    "union_all": "SELECT id, v FROM t UNION ALL SELECT id, v FROM u",
    "union": "SELECT {shown} AS v FROM (SELECT v FROM t UNION SELECT v FROM u)",
    "difference": "SELECT {shown} AS v FROM (SELECT v FROM t EXCEPT SELECT v FROM u)",
    "equal": "SELECT id, v FROM t WHERE v = {first}",
    "in_list": "SELECT id, v FROM t WHERE v IN ({first}, {second})",
    "less": "SELECT id, v FROM t WHERE v < {second}",
    "chosen": "SELECT id, coalesce(v, {first}) AS v, IF(g = 1, v, {second}) AS w FROM t",
    "nested": "SELECT id, struct(v, g) AS s, array(v, {first}) AS a FROM t",
    "in_group": "SELECT {shown} AS v, n FROM (SELECT s.v, count(*) AS n FROM "
    "(SELECT struct(v, g) AS s FROM u) GROUP BY s)",
    "sorted_list": "SELECT g, transform(l, v -> {shown}) AS l FROM "
    "(SELECT g, sort_array(collect_list(v)) AS l FROM u GROUP BY g)",
}


def _integers(name: str, bits: int) -> HardType:
    most = 2 ** (bits - 1) - 1
    numbers = (0, most, -most - 1, -1, 1, most - 1)
    return HardType(name, tuple(f"CAST('{number}' AS {name})" for number in numbers))


def _decimals(digits: int, scale: int) -> HardType:
    name = f"DECIMAL({digits},{scale})"
    most = "9" * (digits - scale) + ("." + "9" * scale if scale else "")
    least = "0." + "0" * (scale - 1) + "1" if scale else "1"
    texts = ("0", most, f"-{most}", least, f"-{least}")
    return HardType(name, tuple(f"CAST('{text}' AS {name})" for text in texts))


def _floats(name: str, subnormal: str, most: str) -> HardType:
    texts = ("0", "-0.0", "NaN", "Infinity", "-Infinity", subnormal, f"-{subnormal}", most, "0.1")
    return HardType(name, tuple(f"CAST('{text}' AS {name})" for text in texts))


def _texts(name: str, *texts: str) -> HardType:
    return HardType(name, tuple(f"CAST({text} AS {name})" for text in texts))


_TEXTS = (
    "''",
    "'a'",
    "'A'",
    "'a '",
    "' '",
    "'\\u00e9'",
    "'e\\u0301'",
    "'\\U0001F989'",
    "'\\uffff'",
)
_MOMENTS = (
    "1970-01-01 00:00:00",
    "9999-12-31 23:59:59.999999",
    "0001-01-01 00:00:00",
    "1969-12-31 23:59:59.999999",
    "2021-03-28 02:30:00",
    "2021-10-31 02:30:00",
    "1582-10-10 12:00:00",
    "1893-04-01 00:03:00",
)
_COMPILED = MappingProxyType({"spark.sql.codegen.factoryMode": "FALLBACK"})
"""Plain Spark must compile: where it interprets, it gives other answers for collations."""
_BERLIN = MappingProxyType({"spark.sql.session.timeZone": "Europe/Berlin"})

TYPES = (
    HardType("BOOLEAN", ("true", "false")),
    _integers("TINYINT", 8),
    _integers("SMALLINT", 16),
    _integers("INT", 32),
    _integers("BIGINT", 64),
    _decimals(1, 0),
    _decimals(9, 2),
    _decimals(18, 18),
    _decimals(20, 0),
    _decimals(38, 0),
    _decimals(38, 18),
    _decimals(38, 38),
    _floats("FLOAT", "1.4E-45", "3.4028235E38"),
    _floats("DOUBLE", "4.9E-324", "1.7976931348623157E308"),
    _texts("STRING", *_TEXTS),
    HardType(
        "STRING COLLATE UTF8_LCASE",
        tuple(f"{text} COLLATE UTF8_LCASE" for text in _TEXTS),
        shown="lower({})",
        settings=_COMPILED,
    ),
    HardType(
        "STRING COLLATE UNICODE_CI",
        # Of texts that Unicode calls the same nothing in SQL makes one.
        tuple(f"{text} COLLATE UNICODE_CI" for text in _TEXTS if "0301" not in text),
        shown="lower({})",
        settings=_COMPILED,
    ),
    HardType(
        "STRING COLLATE UTF8_BINARY_RTRIM",
        tuple(f"{text} COLLATE UTF8_BINARY_RTRIM" for text in _TEXTS),
        shown="rtrim({})",
        settings=_COMPILED,
    ),
    HardType("BINARY", ("X''", "X'00'", "X'0000'", "X'FF'", "X'7F80'", "CAST('a' AS BINARY)")),
    HardType(
        "DATE",
        (
            *(f"DATE '{moment[:10]}'" for moment in _MOMENTS),
            "date_from_unix_date(2147483647)",
            "date_from_unix_date(-2147483648)",
        ),
    ),
    HardType(
        "TIMESTAMP",
        (
            *(f"TIMESTAMP '{moment}'" for moment in _MOMENTS),
            "timestamp_micros(9223372036854775807)",
            "timestamp_micros(-9223372036854775808)",
            "TIMESTAMP '2021-10-31 02:30:00+02:00'",
            "TIMESTAMP '2021-10-31 02:30:00+01:00'",
        ),
        settings=_BERLIN,
    ),
    HardType(
        "TIMESTAMP_NTZ",
        tuple(f"TIMESTAMP_NTZ '{moment}'" for moment in _MOMENTS),
        settings=_BERLIN,
    ),
    HardType(
        "TIME",
        ("TIME '00:00:00'", "TIME '23:59:59.999999'", "TIME '12:00:00.000001'"),
        settings=MappingProxyType({"spark.sql.timeType.enabled": "true"}),
    ),
    HardType(
        "INTERVAL YEAR TO MONTH",
        (
            "INTERVAL '0-0' YEAR TO MONTH",
            "INTERVAL '178956970-7' YEAR TO MONTH",
            "INTERVAL '-178956970-8' YEAR TO MONTH",
            "INTERVAL '0-1' YEAR TO MONTH",
        ),
    ),
    HardType(
        "INTERVAL DAY TO SECOND",
        (
            "INTERVAL '0 0:0:0' DAY TO SECOND",
            "INTERVAL '106751991 04:00:54.775807' DAY TO SECOND",
            "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND",
            "INTERVAL '0 0:0:0.000001' DAY TO SECOND",
        ),
    ),
    HardType(
        "INTERVAL",
        ("make_interval(0)", "make_interval(0, 0, 0, 30)", "make_interval(0, 1)"),
        refused=_ORDERED | _EQUATED | {"window_partition", "difference"},
    ),
    HardType(
        "ARRAY<DOUBLE>",
        (
            "CAST(array() AS ARRAY<DOUBLE>)",
            "array(0D)",
            "array(-0.0D)",
            "array(CAST('NaN' AS DOUBLE), NULL)",
            "array(CAST(NULL AS DOUBLE))",
        ),
    ),
    HardType(
        "ARRAY<ARRAY<STRING>>",
        (
            "CAST(array() AS ARRAY<ARRAY<STRING>>)",
            "array(array(''))",
            "array(array(CAST(NULL AS STRING)))",
            "array(CAST(NULL AS ARRAY<STRING>))",
        ),
    ),
    HardType(
        "STRUCT",
        (
            "named_struct('a', 1, 'b', '', 'c', named_struct('x', 0D))",
            "named_struct('a', 1, 'b', '', 'c', named_struct('x', CAST('NaN' AS DOUBLE)))",
            "named_struct('a', CAST(NULL AS INT), 'b', '', 'c', named_struct('x', -0.0D))",
            "named_struct('a', 1, 'b', CAST(NULL AS STRING), 'c', CAST(NULL AS STRUCT<x: DOUBLE>))",
            "named_struct('a', 1, 'b', '', 'c', named_struct('x', CAST(NULL AS DOUBLE)))",
        ),
    ),
    HardType(
        "MAP",
        (
            "CAST(map() AS MAP<STRING, INT>)",
            "map('a', 1)",
            "map('a', 1, 'b', 2)",
            "map('b', 2, 'a', 1)",
            "map('', 0, 'c', 3)",
            "map('a', CAST(NULL AS INT))",
        ),
        refused=_ORDERED | _EQUATED | _GROUPED - {"group_key", *_COUNTED, "in_group"},
    ),
    HardType(
        "VARIANT",
        (
            "parse_json('null')",
            "parse_json('1')",
            'parse_json(\'{"a": [1, 2.5, "x"], "b": null}\')',
            'parse_json(\'{"b": null, "a": [1, 2.5, "x"]}\')',
        ),
        refused=_ORDERED | _EQUATED | _GROUPED - _COUNTED,
        failing=_COUNTED,
    ),
)
