"""Columns that can be NULL although what they come from cannot: they are counted as such."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from .harness import Way
from .histories import Tables, check_history, each_way

_TEXTS = Tables({"t": pa.schema([("g", pa.string()), ("s", pa.string())])})
_HISTORY = {
    "a row without parts": {"t": [("a", None, 1), ("b", "x,yy", 1)]},
    "one gets parts, one loses them": {
        "t": [("a", None, -1), ("a", "z", 2), ("b", "x,yy", -1), ("b", None, 1)]
    },
    "more without parts": {"t": [("a", None, 3), ("c", None, 1), ("a", "z", -1)]},
}


@each_way
def test_columns_of_outer_generators(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    parts = "split(s, ',')"
    views = {
        "parts": "SELECT g, count(part) c "
        f"FROM t LATERAL VIEW OUTER explode({parts}) e AS part GROUP BY g",
        "places": "SELECT g, count(place) c, sum(place) s, avg(place) a "
        f"FROM t LATERAL VIEW OUTER posexplode({parts}) e AS place, part GROUP BY g",
        "entries": "SELECT g, count(key) c, count(*) n FROM t LEFT JOIN LATERAL "
        f"explode(map_from_arrays({parts}, {parts})) AS e(key, value) GROUP BY g",
        "fields": "SELECT g, count(p) c, sum(n) s FROM t LATERAL VIEW OUTER "
        f"inline(transform({parts}, p -> struct(p, length(p) AS n))) e AS p, n GROUP BY g",
        "all_of_them": f"SELECT count(part) c FROM t LATERAL VIEW OUTER explode({parts}) e AS part",
    }
    check_history(spark, tmp_path, _TEXTS, views, _HISTORY, way=way)


@each_way
def test_conditions_that_hold_for_null(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """A function that takes NULL for a value does not keep NULL out of what it filters."""
    views = {
        "formatted": "SELECT g, count(s) c FROM t WHERE format_string('%s', s) <> 'a' GROUP BY g",
        "repeated": "SELECT count(s) c FROM t WHERE array_repeat(s, 1) < array('zz')",
        "inserted": "SELECT count(s) c FROM t WHERE array_insert(array('a'), 1, s) < array('zz')",
        "digests": "SELECT g, count(sha2(coalesce(s, 'none'), 7)) c FROM t GROUP BY g",
    }
    history = {
        title: {"t": [(g, s and s[:1], weight) for g, s, weight in changes["t"]]}
        for title, changes in _HISTORY.items()
    }
    check_history(spark, tmp_path, _TEXTS, views, history, way=way)
