"""Cases where incremental systems have gone wrong, each with the history that shows it.

They are kept on the driver; the long version also has Spark search in state, and join with it.
"""

from __future__ import annotations

from decimal import Decimal
from math import nan
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.errors import ExecutionError

from .harness import Kept, Way
from .histories import Tables, check_history, each_way, opened

_SIDES = Tables(
    {
        "l": pa.schema([("id", pa.int32()), ("k", pa.int32()), ("v", pa.int32())]),
        "r": pa.schema([("id", pa.int32()), ("k", pa.int32()), ("v", pa.int32())]),
        "never": pa.schema([("k", pa.int32()), ("v", pa.int32())]),
    }
)

_JOINS = {
    "inner_join": "SELECT l.id, l.k, r.id AS other FROM l JOIN r ON l.k = r.k",
    "left_join": "SELECT l.id, l.k, r.id AS other, r.v FROM l LEFT JOIN r ON l.k = r.k",
    "right_join": "SELECT l.id, r.k, r.id AS other FROM l RIGHT JOIN r ON l.k = r.k",
    "full_join": "SELECT l.id, l.k, r.id AS other, r.k AS ok FROM l FULL JOIN r ON l.k = r.k",
    "residual_full": "SELECT l.id, r.id AS other FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v",
    "null_safe": "SELECT l.id, r.id AS other FROM l LEFT JOIN r ON l.k <=> r.k",
    "semi": "SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v > l.v)",
    "anti": "SELECT * FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k)",
    "is_in": "SELECT * FROM l WHERE k IN (SELECT k FROM r)",
    "not_in": "SELECT * FROM l WHERE k NOT IN (SELECT k FROM r)",
    "not_in_correlated": "SELECT * FROM l WHERE v NOT IN (SELECT v FROM r WHERE r.k = l.k)",
    "not_in_pair": "SELECT * FROM l WHERE (k, v) NOT IN (SELECT k, v FROM r)",
    "mark": "SELECT id, k IN (SELECT k FROM r) OR v > 5 AS marked FROM l WHERE id > 0 "
    "AND (k IN (SELECT k FROM r) OR v > 5)",
    "less_than": "SELECT l.id, r.id AS other FROM l JOIN r ON l.v < r.v",
    "less_left": "SELECT l.id, l.v, r.id AS other FROM l LEFT JOIN r ON l.v < r.v",
    "less_right": "SELECT l.id, r.v, r.id AS other FROM l RIGHT JOIN r ON l.v < r.v",
    "less_full": "SELECT l.id, l.v, r.id AS other FROM l FULL JOIN r ON l.v + 2 < r.v",
    "less_semi": "SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.v > l.v)",
    "less_anti": "SELECT * FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.v > l.v)",
    "self_join": "SELECT a.id, b.id AS other FROM l a JOIN l b ON a.k = b.k AND a.id < b.id",
    "self_left": "SELECT a.id, b.id AS other FROM l a LEFT JOIN l b ON a.v = b.k",
    "with_nothing": "SELECT l.id, never.v FROM l LEFT JOIN never ON l.k = never.k",
}


@each_way
def test_joins(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    history = {
        "NULL keys on both sides, rows that count twice": {
            "l": [(1, 1, 1, 1), (2, None, 2, 2), (3, 2, 3, 3), (4, 3, 4, 1), (None, None, None, 1)],
            "r": [(1, 1, 5, 1), (2, None, 6, 1), (3, 2, 1, 2), (None, None, None, 2)],
        },
        "both sides change the same key, pairs lose both of their rows": {
            "l": [(1, 1, 1, -1), (5, 1, 9, 1), (3, 2, 3, -3)],
            "r": [(1, 1, 5, -1), (5, 1, 2, 1), (3, 2, 1, -2)],
        },
        "updates of the key to NULL and from NULL, and one that changes nothing": {
            "l": [
                (5, 1, 9, -1),
                (5, None, 9, 1),
                (2, None, 2, -1),
                (2, 1, 2, 1),
                (4, 3, 4, -1),
                (4, 3, 4, 1),
            ],
            "r": [(2, None, 6, -1), (2, 3, 6, 1)],
        },
        "the last matches of all keys go": {
            "r": [(5, 1, 2, -1), (2, 3, 6, -1), (None, None, None, -2)]
        },
        "and come back, twice, while the left side changes": {
            "l": [(4, 3, 4, -1), (6, 3, 0, 1)],
            "r": [(5, 1, 2, 2), (8, 3, 8, 1), (9, None, 1, 1)],
        },
    }
    check_history(spark, tmp_path, _SIDES, _JOINS, history, way=way)


_GROUPS = Tables(
    {
        "t": pa.schema(
            [("g", pa.string()), ("v", pa.int32()), ("d", pa.decimal128(9, 2)), ("x", pa.float64())]
        ),
        "u": pa.schema([("g", pa.string()), ("v", pa.int32())]),
    }
)

_AGGREGATES = {
    "sums": "SELECT g, count(*) n, count(v) c, sum(v) s, avg(d) a, sum(d) sd FROM t GROUP BY g",
    "extremes": "SELECT g, min(v) lo, max(v) hi, max(d) md, sum(v) s FROM t GROUP BY g",
    "floats": "SELECT g, sum(x) s, avg(x) a, min(x) lo FROM t GROUP BY g",
    "distinct_values": "SELECT g, count(DISTINCT v) n, sum(DISTINCT v) s FROM t GROUP BY g",
    "several_distinct": "SELECT g, count(DISTINCT v) n, count(DISTINCT d) m FROM t GROUP BY g",
    "lists": "SELECT g, sort_array(collect_list(v)) l, percentile(v, 0.5) p FROM t GROUP BY g",
    "having_some": "SELECT g, sum(v) s FROM t GROUP BY g HAVING count(*) > 1",
    "all_sums": "SELECT count(*) n, sum(v) s, sum(d) sd, avg(v) a FROM t",
    "all_extremes": "SELECT min(v) lo, max(v) hi, min(g) g FROM t",
    "all_floats": "SELECT sum(x) s, stddev(x) d FROM t",
    "all_distinct": "SELECT count(DISTINCT g) n FROM t",
    "of_nothing": "SELECT count(*) n, max(v) hi FROM t WHERE v > 1000",
    "filtered": "SELECT g, sum(v) FILTER (WHERE v > 1) s, max(v) FILTER (WHERE v < 5) m "
    "FROM t GROUP BY g",
    "just_distinct": "SELECT DISTINCT g FROM t",
    "rolled_up": "SELECT g, v, count(*) n FROM t GROUP BY ROLLUP (g, v)",
    "unite": "SELECT g, v FROM t UNION SELECT g, v FROM u",
    "unite_all": "SELECT g, v FROM t UNION ALL SELECT g, v FROM u UNION ALL SELECT 'c', 1",
    "both": "SELECT g, v FROM t INTERSECT SELECT g, v FROM u",
    "both_all": "SELECT g, v FROM t INTERSECT ALL SELECT g, v FROM u",
    "less": "SELECT g, v FROM t EXCEPT SELECT g, v FROM u",
    "less_all": "SELECT g, v FROM t EXCEPT ALL SELECT g, v FROM u",
    "ranks": "SELECT g, v, rank() OVER (PARTITION BY g ORDER BY v) r, "
    "sum(v) OVER (PARTITION BY g) s FROM t",
    "share": "SELECT g, v FROM t WHERE v >= (SELECT avg(v) FROM t)",
    "first_two": "SELECT count(*) n, sum(v) s FROM (SELECT v FROM t ORDER BY v DESC LIMIT 2)",
    "third": "SELECT sum(v) s FROM (SELECT v FROM t ORDER BY v LIMIT 1 OFFSET 2)",
}


@each_way
def test_groups(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    history = {
        "groups, one of them NULL, rows that count more than once": {
            "t": [
                ("a", 1, 1, 0.5, 1),
                ("a", 5, 2, 1e20, 2),
                ("b", 3, 3, 1.0, 1),
                (None, 4, None, None, 3),
                ("n", None, None, None, 1),
            ],
            "u": [("a", 5, 1), ("b", 3, 2), (None, 4, 1)],
        },
        "the extremes of groups go, a large float leaves": {
            "t": [("a", 5, 2, 1e20, -2), (None, 4, None, None, -1)]
        },
        "an extreme is replaced by its equal, a group becomes empty": {
            "t": [("a", 1, 1, 0.5, -1), ("a", 1, 7, 0.25, 1), ("b", 3, 3, 1.0, -1)],
            "u": [("a", 5, -1)],
        },
        "it comes back, a row changes its group, one goes and comes in one batch": {
            "t": [
                ("a", 1, 7, 0.25, -1),
                ("b", 3, 3, 1.0, 1),
                (None, 4, None, None, -1),
                ("b", 4, None, None, 1),
                ("n", None, None, None, -1),
                ("n", None, None, None, 1),
            ]
        },
        "everything goes": {
            "t": [
                ("b", 3, 3, 1.0, -1),
                ("b", 4, None, None, -1),
                (None, 4, None, None, -1),
                ("n", None, None, None, -1),
            ],
            "u": [("b", 3, -2), (None, 4, -1)],
        },
        "and comes back": {"t": [("a", 7, 1, 1.5, 1), ("c", 1, 1, 2.5, 4)], "u": [("c", 1, 1)]},
    }
    check_history(spark, tmp_path, _GROUPS, _AGGREGATES, history, way=way)


_WITHOUT_COLUMNS = {
    "pairs": "SELECT count(*) n FROM l CROSS JOIN r",
    "beside_one_row": "SELECT l.id FROM l CROSS JOIN (SELECT max(v) m FROM r WHERE v > 1)",
    "beside_groups": "SELECT l.id FROM l CROSS JOIN (SELECT k, max(v) m FROM r GROUP BY k)",
    "left_of_one_row": "SELECT l.id FROM l LEFT JOIN (SELECT count(*) c FROM r) ON l.v > 2",
    "if_any": "SELECT 1 one FROM l WHERE EXISTS (SELECT 1 FROM r WHERE v > 5)",
    "if_none": "SELECT l.id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE v > 5)",
    "whether_any": "SELECT l.id, EXISTS (SELECT 1 FROM r WHERE v > 5) OR l.v > 3 e FROM l",
    "constants": "SELECT 1 one FROM l UNION ALL SELECT 2 FROM r",
    "one_constant": "SELECT count(*) n FROM (SELECT DISTINCT 1 FROM l)",
    "beside_some": "SELECT l.id FROM l CROSS JOIN (SELECT 1 FROM r ORDER BY v LIMIT 2)",
    "beside_others": "SELECT l.id FROM l CROSS JOIN (SELECT k FROM r EXCEPT SELECT k FROM l)",
    "beside_numbered": "SELECT l.id FROM l CROSS JOIN (SELECT rank() OVER (ORDER BY v) FROM r)",
    "exploded": "SELECT l.id FROM l CROSS JOIN (SELECT explode(array(1, 2)) FROM r)",
    "unread": "SELECT 1 one FROM (SELECT l.id, r.v FROM l FULL JOIN r ON l.k = r.k)",
}


@each_way
def test_tables_of_which_no_column_is_read(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    history = {
        "rows on one side": {"l": [(1, 1, 1, 1), (2, None, 4, 2)]},
        "rows on the other": {"r": [(1, 1, 6, 2), (2, 2, None, 1)], "l": [(1, 1, 1, -1)]},
        "one goes, one changes": {"r": [(1, 1, 6, -1), (2, 2, None, -1), (2, 2, 2, 1)]},
        "the other side is empty": {"r": [(1, 1, 6, -1), (2, 2, 2, -1)], "l": [(3, 3, 3, 1)]},
        "and comes back": {"r": [(5, None, 7, 1)], "l": [(2, None, 4, -1)]},
    }
    check_history(spark, tmp_path, _SIDES, _WITHOUT_COLUMNS, history, way=way)


@each_way
def test_zeros_and_nan(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    columns = pa.schema([("x", pa.float64()), ("y", pa.float32()), ("xs", pa.list_(pa.float64()))])
    views = {
        "groups": "SELECT x, count(*) n, max(y) m FROM f GROUP BY x",
        "nested": "SELECT xs, count(*) n FROM f GROUP BY xs",
        "pairs": "SELECT f.x, e.y FROM f JOIN e ON f.x = e.x",
        "outer": "SELECT f.x, f.y, e.x AS ex FROM f FULL JOIN e ON f.y = e.y",
        "absent": "SELECT x FROM f WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.x = f.x)",
        "once": "SELECT DISTINCT x, y FROM f",
        "texts": "SELECT CAST(x AS STRING) a, CAST(y AS STRING) b, CAST(xs AS STRING) c FROM f",
        "parts": "SELECT x, y, count(*) OVER (PARTITION BY x) n FROM f",
    }
    history = {
        "both zeros, two NaNs": {
            "f": [(0.0, 0.0, [0.0], 1), (-0.0, -0.0, [-0.0], 1), (nan, nan, [nan, 1.0], 2)],
            "e": [(-0.0, 0.0, [0.0], 1), (nan, nan, [nan], 1), (None, None, None, 1)],
        },
        "one zero becomes the other": {
            "f": [(0.0, 0.0, [0.0], -1), (-0.0, 0.0, [0.0], 1)],
            "e": [(-0.0, 0.0, [0.0], -1), (0.0, -0.0, [0.0], 1)],
        },
        "a zero goes": {"f": [(-0.0, -0.0, [-0.0], -1), (nan, nan, [nan, 1.0], -1)]},
        "the other side goes": {"e": [(0.0, -0.0, [0.0], -1), (nan, nan, [nan], -1)]},
    }
    tables = Tables({"f": columns, "e": columns})
    check_history(spark, tmp_path, tables, views, history, way=way)


@each_way
def test_views_on_views(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    tables = Tables({"t": pa.schema([("id", pa.int32()), ("g", pa.string()), ("v", pa.int32())])})
    first = {
        "totals": "SELECT g, sum(v) s FROM t GROUP BY g",
        "leaders": "SELECT id, g, v FROM t ORDER BY v DESC, id LIMIT 3",
        "ordered": "SELECT id, v FROM t ORDER BY v",
        "first_ids": "SELECT id FROM t ORDER BY v DESC, id LIMIT 2",
        "next_ids": "SELECT id + 1 AS id FROM t ORDER BY v DESC, id LIMIT 2 OFFSET 1",
    }
    further = {
        "over_totals": "SELECT max(s) m, count(*) n FROM totals",
        "over_leaders": "SELECT g, count(*) n FROM leaders GROUP BY g",
        "over_ordered": "SELECT sum(v) s FROM ordered",
        "beside_itself": "SELECT a.g, b.s FROM totals a JOIN totals b ON a.s <= b.s",
        "with_source": "SELECT t.id, totals.s FROM t LEFT JOIN totals ON t.g = totals.g",
        "third": "SELECT n FROM over_leaders WHERE n > 1",
        "over_first": "SELECT count(*) n, sum(id) s FROM first_ids",
        "over_next": "SELECT count(*) n, sum(id) s FROM next_ids",
        "in_first": "SELECT g FROM t WHERE id IN (SELECT id FROM first_ids)",
    }
    with opened(spark, tmp_path, tables, {}, way=way) as law:
        for name, sql in (first | further).items():
            law.add_for_others(Kept(name, sql))
        for rows in (
            [(1, "a", 10, 1), (2, "a", 9, 1), (3, "b", 8, 1), (4, "c", 7, 1), (5, None, None, 2)],
            [(1, "a", 10, -1), (6, "b", 11, 1)],
            [(6, "b", 11, -1), (2, "a", 9, -1), (4, "c", 7, -1), (4, "a", 7, 1)],
            [(3, "b", 8, -1), (4, "a", 7, -1), (5, None, None, -2)],
            [(7, "z", 1, 3)],
        ):
            law.take(tables.batch({"t": rows}))
            law.refresh()
            assert not [str(each) for each in law.broken()]


@each_way
def test_names_that_are_used_inside(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    inside = [
        "_h",
        "k0",
        "s0",
        "_sw",
        "_old",
        "_new",
        "_matches",
        "c1",
        "copy",
        "a b",
        "count",
        "o",
    ]
    columns = pa.schema([(name, pa.int32()) for name in inside])
    tables = Tables({"t": columns, "a`b": columns})
    views = {
        "sums": "SELECT `_h`, sum(k0) AS `_w`, max(s0) AS `a b` FROM t GROUP BY `_h`",
        "pairs": "SELECT t.`_matches`, x.copy AS `_old`, x.`count` AS `_new` "
        "FROM t LEFT JOIN `a``b` x ON t.k0 = x.k0",
        "parts": "SELECT `_sw`, c1, rank() OVER (PARTITION BY `a b` ORDER BY o) AS `_h` FROM t",
        "kept": "SELECT * FROM t WHERE `count` NOT IN (SELECT `count` FROM `a``b`)",
    }
    one, two = tuple(range(12)), tuple(range(5, 17))
    history = {
        "rows": {"t": [(*one, 1), (*two, 2)], "a`b": [(*one, 1)]},
        "changes": {"t": [(*two, -1)], "a`b": [(*one, -1), (*two, 1)]},
    }
    check_history(spark, tmp_path, tables, views, history, way=way)


_NUMBERS = Tables(
    {
        "p": pa.schema([("id", pa.int32()), ("v", pa.int32())]),
        "q": pa.schema([("id", pa.int32()), ("v", pa.int32())]),
    }
)


@each_way
def test_rows_that_are_gone_raise_nothing(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """A pair that is in neither the old nor the new state must not fail the run."""
    views = {
        "quotient": "SELECT p.id, 10 / (p.v - q.v) AS x FROM p JOIN q ON p.id = q.id",
        "condition": "SELECT p.id FROM p JOIN q ON p.id = q.id AND 10 / (p.v - q.v) > 1",
        "grouped": "SELECT p.id, sum(10 / (p.v - q.v)) s FROM p JOIN q USING (id) GROUP BY p.id",
    }
    history = {
        "two": {"p": [(1, 1, 1)], "q": [(1, 2, 1)]},
        "would be equal across the two states": {
            "p": [(1, 1, -1), (1, 2, 1)],
            "q": [(1, 2, -1), (1, 1, 1)],
        },
        "comes and goes at once": {"p": [(1, 1, 1), (1, 1, -1)]},
    }
    check_history(spark, tmp_path, _NUMBERS, views, history, way=way)


@each_way
def test_an_error_changes_nothing_and_can_be_mended(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    views = {
        "single": "SELECT id, (SELECT q.v FROM q WHERE q.id = p.id) AS v FROM p",
        "inverse": "SELECT id, 1 / v AS x FROM p",
    }
    with opened(spark, tmp_path, _NUMBERS, views, way=way) as law:
        law.take(_NUMBERS.batch({"p": [(1, 1, 1), (2, 2, 1)], "q": [(1, 5, 1)]}))
        law.refresh()
        before = law.session.keeper.catalog().state.commit
        law.take(_NUMBERS.batch({"p": [(3, 0, 1)], "q": [(1, 6, 1)]}))
        with pytest.raises(ExecutionError):
            law.refresh()
        assert law.session.keeper.catalog().state.commit == before + 2
        law.take(_NUMBERS.batch({"p": [(3, 0, -1)], "q": [(1, 5, -1)]}))
        law.refresh()
        assert not [str(each) for each in law.broken()]


@each_way
def test_extremes_beside_every_row(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """A join without a key reads the changes of a grouping, not those of what is grouped."""
    best = "(SELECT k, max(v) AS m FROM r GROUP BY k)"
    views = {
        "crossed": f"SELECT l.id, a.k, a.m FROM l CROSS JOIN {best} a",
        "below": f"SELECT l.id, a.k, a.m FROM l JOIN {best} a ON l.v < a.m",
    }
    history = {
        "three rows": {"l": [(1, 1, 1, 1)], "r": [(1, 1, 5, 1), (2, 1, 7, 1), (3, 2, 9, 1)]},
        "the largest goes": {"r": [(2, 1, 7, -1)]},
        "a small one comes": {"r": [(4, 1, 2, 1)]},
        "both sides": {"l": [(2, 2, 8, 1)], "r": [(3, 2, 9, -1), (5, 2, 3, 1)]},
    }
    check_history(spark, tmp_path, _SIDES, views, history, way=way)


@each_way
def test_sums_of_the_widest_decimals(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """Spark drops digits when it changes the sign of a number of more than 34."""
    tables = Tables({"t": pa.schema([("k", pa.int32()), ("d", pa.decimal128(38, 2))])})
    wide = Decimal("123456789012345678901234567890123456.78")
    history = {
        "two rows": {"t": [(1, wide, 1), (1, Decimal("0.01"), 1), (2, wide, 2)]},
        "the wide ones go": {"t": [(1, wide, -1), (2, wide, -1)]},
        "and the last": {"t": [(2, wide, -1), (2, Decimal("5.00"), 1)]},
    }
    views = {"sums": "SELECT k, sum(d) AS s, count(*) AS n FROM t GROUP BY k"}
    check_history(spark, tmp_path, tables, views, history, way=way)


@each_way
def test_values_inside_which_nothing_is_missing(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    """Grouping sets put NULL beside arrays and structs of which Spark knows that they hold none."""
    tables = Tables({"t": pa.schema([("a", pa.int32()), ("b", pa.int32()), ("s", pa.string())])})
    parts = "(SELECT split(s, ',') AS k, named_struct('x', coalesce(a, 0)) AS p, a FROM t)"
    views = {
        "rolled": f"SELECT k, count(*) AS n FROM {parts} GROUP BY ROLLUP (k)",
        "rolled_struct": f"SELECT p, a, count(*) AS n FROM {parts} GROUP BY ROLLUP (p, a)",
        "several": "SELECT count(DISTINCT split(s, ',')) AS n, count(DISTINCT a) AS m, "
        "sum(DISTINCT b) AS o FROM t",
    }
    history = {
        "rows": {"t": [(1, 1, "a,b", 1), (None, 2, "a", 2), (2, None, None, 1)]},
        "some go": {"t": [(1, 1, "a,b", -1), (None, 2, "a", -1)]},
    }
    check_history(spark, tmp_path, tables, views, history, way=way)


@each_way
def test_patterns_that_never_met_a_text(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """A pattern that ends in its escape is an error, but only beside a text."""
    tables = Tables(
        {
            "a": pa.schema([("id", pa.int32()), ("s", pa.string())]),
            "b": pa.schema([("id", pa.int32()), ("p", pa.string())]),
        }
    )
    views = {"matching": "SELECT a.id FROM a JOIN b ON a.id = b.id AND a.s LIKE b.p"}
    history = {
        "a text": {"a": [(1, "y", 1), (2, "x", 1)]},
        "it goes as the pattern comes": {
            "a": [(1, "y", -1)],
            "b": [(1, "bad\\", 1), (2, "x%", 1)],
        },
    }
    check_history(spark, tmp_path, tables, views, history, way=way)
