"""Values that Spark compares by other rules than their bytes, or does not compare at all.

State tells rows apart by their bytes. A collation calls texts equal that differ in them; a VARIANT
can be neither hashed nor grouped.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from .harness import Way, made
from .histories import Tables, check_history, each_way

_NAMES = pa.schema(
    [
        ("id", pa.int32()),
        ("g", pa.int32()),
        made("name", pa.string(), "name COLLATE UTF8_LCASE"),
        made("tail", pa.string(), "tail COLLATE UNICODE_CI_RTRIM"),
    ]
)

_OF_NAMES = {
    "groups": "SELECT name, count(*) n FROM t GROUP BY name",
    "tails": "SELECT tail, count(*) n, sum(id) s FROM t GROUP BY tail",
    "once": "SELECT DISTINCT name FROM t",
    "counted": "SELECT g, count(DISTINCT name) n FROM t GROUP BY g",
    "extremes": "SELECT g, min(name) lo, max(name) hi, max(tail) t FROM t GROUP BY g",
    "greatest_of_all": "SELECT max(name) m FROM t WHERE id = 1",
    "numbered": "SELECT id, name, row_number() OVER (PARTITION BY g ORDER BY id) r FROM t",
    "by_name": "SELECT id, name, count(*) OVER (PARTITION BY name) n FROM t",
    "nested": "SELECT id, struct(name, 0.5D AS x) s, array(tail) a, "
    "rank() OVER (PARTITION BY g ORDER BY id) r FROM t",
    "nested_groups": "SELECT s, count(*) n FROM (SELECT struct(name, g) s FROM t) GROUP BY s",
    "pairs": "SELECT t.id, t.name, u.name AS other FROM t JOIN u ON t.name = u.name",
    "pairs_by_group": "SELECT t.name, u.name AS other FROM t LEFT JOIN u ON t.g = u.g",
    "padded": "SELECT t.id, t.name, u.name AS other FROM t LEFT JOIN u ON t.name = u.name",
    "contained": "SELECT id, name FROM t WHERE name IN (SELECT name FROM u)",
    "absent": "SELECT id, name FROM t WHERE name NOT IN (SELECT name FROM u)",
    "limited": "SELECT count(*) n, max(name) m FROM (SELECT name FROM t ORDER BY id LIMIT 1)",
}


@each_way
def test_rows_that_differ_within_a_collation(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """Texts that are equal never meet in one group of the data: Spark could show either."""
    history = {
        "rows": {
            "t": [(1, 1, "abc", "x", 1), (2, 1, "d", "y", 1)],
            "u": [(1, 1, "Abc", "X", 1)],
        },
        "the same row in other letters": {
            "t": [(1, 1, "abc", "x", -1), (1, 1, "ABC", "X ", 1)],
        },
        "other letters on both sides, a row that counts twice": {
            "t": [(1, 1, "ABC", "X ", -1), (1, 1, "aBc", "x ", 2)],
            "u": [(1, 1, "Abc", "X", -1), (1, 1, "abC", "X", 1)],
        },
        "one of the two goes, another row changes": {
            "t": [(1, 1, "aBc", "x ", -1), (2, 1, "d", "y", -1), (2, 1, "D", "y", 1)],
        },
        "all go": {
            "t": [(1, 1, "aBc", "x ", -1), (2, 1, "D", "y", -1)],
            "u": [(1, 1, "abC", "X", -1)],
        },
    }
    tables = Tables({"t": _NAMES, "u": _NAMES})
    check_history(spark, tmp_path, tables, _OF_NAMES, history, way=way)


_DOCUMENTS = Tables(
    {
        "t": pa.schema([("id", pa.int32()), made("v", pa.string(), "parse_json(v)")]),
        "only": pa.schema([made("v", pa.string(), "parse_json(v)")]),
    }
)

_OF_DOCUMENTS = {
    "rows": "SELECT * FROM t",
    "alone": "SELECT v FROM only",
    "counted": "SELECT id, count(v) n FROM t GROUP BY id",
    "read": "SELECT id, try_variant_get(v, '$.a', 'int') a FROM t",
    "pairs": "SELECT x.id, x.v, y.v AS other FROM t x JOIN t y ON x.id = y.id",
    "all_pairs": "SELECT t.v, only.v AS other FROM t CROSS JOIN only",
    "padded": "SELECT x.id, x.v, y.v AS other FROM t x LEFT JOIN t y ON x.id = y.id + 1",
    "numbered": "SELECT id, v, row_number() OVER (PARTITION BY id ORDER BY id) r FROM t",
    "nested": "SELECT id, struct(v) s, array(v) a FROM t",
    "stacked": "SELECT v FROM t UNION ALL SELECT v FROM only",
    "last_of": "SELECT id, max_by(v, id) v FROM t GROUP BY id",
}


@each_way
def test_variants(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    history = {
        "documents": {
            "t": [(1, '{"a": 1}', 1), (2, '{"a": 2}', 2), (3, None, 1)],
            "only": [('{"b": 1}', 1), ("[1, 2]", 2)],
        },
        "one changes, one of two goes": {
            "t": [(1, '{"a": 1}', -1), (1, '{"a": "x"}', 1), (2, '{"a": 2}', -1)],
            "only": [("[1, 2]", -1), ("null", 1), (None, 1)],
        },
        "most go": {
            "t": [(1, '{"a": "x"}', -1), (3, None, -1)],
            "only": [('{"b": 1}', -1), (None, -1)],
        },
    }
    check_history(spark, tmp_path, _DOCUMENTS, _OF_DOCUMENTS, history, way=way)
