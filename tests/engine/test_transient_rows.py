"""Pairs of a row that is gone and one that is new: none may fail a run, whatever reads them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from .harness import Kept, Way, made
from .histories import Tables, check_history, each_way, opened

_NUMBERS = pa.schema([("id", pa.int32()), ("k", pa.int32()), ("v", pa.int32())])
_TABLES = Tables(dict.fromkeys(("a", "b", "c"), _NUMBERS))
_PAIRED = "a JOIN b ON a.k = b.k"
_HISTORY = {
    "pairs of 5 and 3": {
        "a": [(1, 1, 5, 1)],
        "b": [(1, 1, 3, 1)],
        "c": [(1, 1, 0, 1), (2, 50, 1, 1), (3, 0, 1, 1), (4, 0, 2, 1)],
    },
    "of 7 and 5, so that the old and the new would be equal": {
        "a": [(1, 1, 5, -1), (2, 1, 7, 1)],
        "b": [(1, 1, 3, -1), (2, 1, 5, 1)],
    },
    "the third table changes with them": {
        "a": [(2, 1, 7, -1), (3, 1, 9, 1)],
        "b": [(2, 1, 5, -1), (3, 1, 7, 1)],
        "c": [(1, 1, 0, -1), (5, 1, 1, 1), (2, 50, 1, -1), (6, 50, 2, 1)],
    },
    "one pair more": {"a": [(4, 2, 2, 1)], "b": [(4, 2, 1, 1)]},
}


@each_way
def test_above_an_inner_join(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """Conditions and keys of a further join read the pairs of the first."""
    quotient = "100 div (a.v - b.v)"
    inner = f"SELECT a.id, a.v - b.v AS d FROM {_PAIRED}"
    views = {
        "condition": f"SELECT a.id FROM {_PAIRED} JOIN c ON c.k = a.k AND {quotient} > c.v",
        "condition_alone": f"SELECT a.id, c.id AS other FROM {_PAIRED} JOIN c ON {quotient} > c.v",
        "key": f"SELECT a.id, c.id AS other FROM {_PAIRED} JOIN c ON c.k = {quotient}",
        "key_of_left": f"SELECT a.id, c.id AS other FROM {_PAIRED} LEFT JOIN c ON c.k = {quotient}",
        "key_of_full": f"SELECT p.id, c.id AS other FROM ({inner}) p FULL JOIN c "
        "ON c.k = 100 div p.d",
        "key_of_right": f"SELECT c.id, p.id AS other FROM c RIGHT JOIN ({inner}) p "
        "ON c.k = 100 div p.d AND c.v < p.d",
        "left": f"SELECT p.id, c.id AS other FROM ({inner}) p LEFT JOIN c "
        "ON c.k > p.d AND 100 div p.d > c.v",
        "semi": f"SELECT id FROM ({inner}) p WHERE EXISTS "
        "(SELECT 1 FROM c WHERE c.k = 1 AND 100 div p.d > c.v)",
        "anti": f"SELECT id FROM ({inner}) p WHERE NOT EXISTS "
        "(SELECT 1 FROM c WHERE c.k = p.id AND 100 div p.d > c.v)",
        "second": f"SELECT p.id, 100 div p.d AS x FROM c RIGHT JOIN ({inner}) p "
        "ON c.k = p.id AND c.v < p.d",
        "one_match": f"SELECT p.id, (SELECT c.v FROM c WHERE c.k = p.d) AS v FROM ({inner}) p",
    }
    check_history(spark, tmp_path, _TABLES, views, _HISTORY, way=way)


@each_way
def test_of_joins_that_keep_left_rows(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """Left rows that are gone do not meet right rows that are new."""
    fails = "10 div (a.v - b.v) > 1"
    left = "SELECT a.id, b.id AS other FROM a LEFT JOIN b"
    kept = "coalesce(10 div (a.v - b.v), 5) > 1"
    views = {
        "left": f"{left} ON {fails}",
        "right": f"SELECT a.id, b.id AS other FROM a RIGHT JOIN b ON {fails}",
        "full": f"SELECT a.id, b.id AS other FROM a FULL JOIN b ON {fails}",
        "semi": f"SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {fails})",
        "anti": f"SELECT id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {fails})",
        "mark": f"SELECT id FROM a WHERE id = 9 OR EXISTS (SELECT 1 FROM b WHERE {fails})",
        "keyed": f"{left} ON a.k = b.k AND {fails}",
        "filtered": f"{left} ON a.k = b.k AND a.v >= b.v WHERE {kept}",
        "filtered_pairs": f"{left} ON a.v >= b.v WHERE {kept}",
        "filtered_by_key": f"{left} ON a.k = b.k WHERE {kept}",
    }
    history = {title: _HISTORY[title] for title in list(_HISTORY)[:2]}
    check_history(spark, tmp_path, _TABLES, views, history, way=way)


@each_way
def test_second_matches_that_never_were(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    views = {
        "lesser": "SELECT id, (SELECT b.v FROM b WHERE b.k < a.k) AS v FROM a",
        "equal": "SELECT id, (SELECT b.v FROM b WHERE b.k = a.k) AS v FROM a",
    }
    history = {
        "one match": {"a": [(1, 10, 0, 1)], "b": [(1, 5, 1, 1), (2, 10, 2, 1)]},
        "a second one for a row that goes": {
            "a": [(1, 10, 0, -1), (2, 5, 0, 1)],
            "b": [(3, 7, 3, 1), (4, 10, 4, 1)],
        },
    }
    check_history(spark, tmp_path, _TABLES, views, history, way=way)


@each_way
def test_through_views(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """The changes of a view that another reads are those of its own join."""
    views = {
        "pairs": f"SELECT a.id, a.v - b.v AS d FROM {_PAIRED}",
        "quotients": "SELECT id, 100 div d AS x FROM pairs",
        "totals": "SELECT sum(100 div d) AS s FROM pairs",
        "further": "SELECT p.id, c.id AS other FROM pairs p JOIN c ON c.k = 100 div p.d",
    }
    with opened(spark, tmp_path, _TABLES, {}, way=way) as law:
        for name, sql in views.items():
            law.add_for_others(Kept(name, sql))
        law.refresh()
        for changes in _HISTORY.values():
            law.take(_TABLES.batch(changes))
            law.refresh()
            assert not [str(each) for each in law.broken()]


_GONE = {
    "a row on each side": {"a": [(1, 1, 1, 1)], "b": [(1, 1, 2, 1)]},
    "one comes": {"b": [(2, 1, 5, 1)]},
    "and goes; state still holds both": {"b": [(2, 1, 5, -1)]},
    "a row that would have failed beside it": {"a": [(2, 1, 5, 1)]},
    "a third table reads what is left": {"c": [(1, 1, 3, 1), (2, 25, 1, 1)]},
}


@each_way
def test_rows_that_are_gone_but_not_merged(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    quotient = "100 div (a.v - b.v)"
    views = {
        "quotient": f"SELECT a.id, {quotient} AS x FROM {_PAIRED}",
        "condition": f"SELECT a.id FROM {_PAIRED} AND {quotient} < 1",
        "left": f"SELECT a.id, {quotient} AS x FROM a LEFT JOIN b ON a.k = b.k",
        "further": f"SELECT a.id, c.id AS other FROM {_PAIRED} LEFT JOIN c ON c.k = -{quotient}",
        "grouped": f"SELECT {quotient} AS x, count(*) AS n FROM {_PAIRED} GROUP BY 1",
    }
    check_history(spark, tmp_path, _TABLES, views, _GONE, way=way)


@each_way
def test_values_that_cannot_be_grouped(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """Pairs are added up before they are computed with, also where they carry such values."""
    kept = [("id", pa.int32()), ("v", pa.int32()), ("m", pa.map_(pa.string(), pa.float64()))]
    made_columns = [
        made("j", pa.string(), "parse_json(j)"),
        made("i", pa.int32(), "make_interval(0, i)"),
    ]
    tables = Tables(
        {
            "p": pa.schema([*(pa.field(*each) for each in kept), *made_columns]),
            "q": pa.schema([("id", pa.int32()), ("v", pa.int32())]),
        }
    )
    zero, value = [("a", 0.0)], [("a", 1.0), ("b", None)]
    history = {
        "pairs of 1 and 2": {
            "p": [(1, 1, value, '{"x": 1}', 1, 1), (2, 1, zero, "1", 2, 1)],
            "q": [(1, 2, 1), (2, 2, 1)],
        },
        "of 2 and 1": {
            "p": [
                (1, 1, value, '{"x": 1}', 1, -1),
                (1, 2, value, '{"x": 1}', 1, 1),
                (2, 1, zero, "1", 2, -1),
                (2, 2, [("a", -0.0)], "1", 2, 1),
            ],
            "q": [(1, 2, -1), (1, 1, 1), (2, 2, -1), (2, 1, 1)],
        },
    }
    pairs = "FROM p JOIN q ON p.id = q.id"
    views = {
        "with_map": f"SELECT p.id, p.m, 10 / (p.v - q.v) AS x {pairs}",
        "with_variant": f"SELECT p.id, p.j, 10 / (p.v - q.v) AS x {pairs}",
        "with_interval": f"SELECT p.id, p.i, 10 / (p.v - q.v) AS x {pairs}",
    }
    check_history(spark, tmp_path, tables, views, history, way=way)


@each_way
def test_missing_keys_are_no_pairs(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """A condition is not asked of rows without a key, although their keys hash alike."""
    key = "nullif(a.k, 0) = nullif(b.k, 0)"
    views = {
        "inner": f"SELECT a.id, b.id AS other FROM a JOIN b ON {key} AND 10 / (a.v - b.v) > 0",
        "left": f"SELECT a.id, b.id AS other FROM a LEFT JOIN b ON {key} AND 10 / (a.v - b.v) > 0",
        "safe": "SELECT a.id, b.id AS other FROM a JOIN b ON nullif(a.k, 0) <=> nullif(b.k, 0)",
    }
    history = {
        "one side": {"a": [(1, None, 1, 1), (2, 1, 2, 1), (3, 0, 1, 1)]},
        "the other": {"b": [(1, None, 1, 1), (2, 1, 1, 1), (3, 0, 1, 1)]},
        "both": {"a": [(4, None, 7, 1), (5, 0, 7, 1)], "b": [(4, None, 7, 1), (5, 1, 4, 1)]},
    }
    check_history(spark, tmp_path, _TABLES, views, history, way=way)
