"""Every rule beside its twin: what it makes of random changes is what Spark computes from scratch.

`preferred` keeps the views by the rules that are chosen; `fallback` takes those away that others
can stand in for, so that the others are tried on the same queries; `recompute` takes away all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.optimizer import choose

from .harness import Kept, Law, Way
from .large_windows import all_large, count_as_large
from .random_rows import random_history, random_schemas

_LEAST = (
    "WITH w AS (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM b) "
    "SELECT id, (SELECT v FROM w WHERE w.k = a.k AND n = 1) AS least FROM a"
)
_GREATEST = (
    "WITH s AS (SELECT k, sum(v) AS t FROM a GROUP BY k) "
    "SELECT b.id, s.t FROM b JOIN s ON b.k = s.k WHERE s.t = (SELECT max(t) FROM s)"
)
_SMALLEST = (
    "SELECT * FROM (SELECT k, v, id, row_number() OVER (PARTITION BY k ORDER BY v, id) n FROM a) "
    "WHERE n <= 2"
)
_LARGEST = (
    "SELECT id, g FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY x DESC) n FROM a) "
    "WHERE n = 1"
)
_LOWEST = (
    "SELECT id, r FROM (SELECT id, dense_rank() OVER (ORDER BY d NULLS LAST) r FROM a) WHERE r < 3"
)
_FIRST_TOTALS = (
    "WITH t AS (SELECT k, map(0, sum(v)) m, sum(v) s FROM a GROUP BY k), "
    "p AS (SELECT *, row_number() OVER (PARTITION BY k % 2 ORDER BY s, k) n FROM t) "
    "SELECT k, map_values(m) s, n FROM p WHERE n <= 2"
)
_QUERIES = {
    "scan": ["SELECT * FROM a"],
    "values": ["SELECT a.id, v.n FROM a JOIN (VALUES (1, 'one'), (2, 'two')) v(k, n) ON a.k = v.k"],
    "range": ["SELECT r.id, a.v FROM range(4) r LEFT JOIN a ON a.k = r.id"],
    "filter": ["SELECT * FROM a WHERE v > 2 OR g IS NULL"],
    "project": ["SELECT k + 1 AS k, upper(g) AS g FROM a"],
    "expand": ["SELECT k, g, sum(v) s FROM a GROUP BY CUBE (k, g)"],
    "generate": ["SELECT id, part FROM a LATERAL VIEW OUTER explode(split(g, '')) AS part"],
    "union": ["SELECT k, g FROM a UNION ALL SELECT k, g FROM b"],
    "inner_join": [
        "SELECT a.id, b.id AS other FROM a JOIN b ON a.k = b.k AND a.v <> b.v",
        "SELECT a.id, b.id AS other FROM a JOIN b ON a.v < b.v",
        "SELECT x.id, y.id AS other, b.v FROM a x JOIN a y ON x.k = y.k JOIN b ON y.g = b.g",
    ],
    "outer_join": [
        "SELECT a.id, b.id AS other FROM a LEFT JOIN b ON a.k = b.k AND a.v < b.v",
        "SELECT a.id, b.id AS other, b.k FROM a FULL JOIN b ON a.k = b.k",
        "SELECT a.id, b.id AS other FROM a RIGHT JOIN b ON a.v < b.v - 1",
        "SELECT a.id, b.id AS other FROM a FULL JOIN b ON a.v < b.v - 1",
    ],
    "semi_join": [
        "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v > a.v)",
        "SELECT * FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.v > a.v)",
        "SELECT * FROM a WHERE k NOT IN (SELECT k FROM b WHERE k > 1)",
    ],
    "mark_join": ["SELECT * FROM a WHERE k IN (SELECT k FROM b) OR v = 3"],
    "single_join": [_LEAST],
    "not_in": [
        "SELECT * FROM a WHERE (k, v) NOT IN (SELECT k, v FROM b)",
        "SELECT * FROM a WHERE v NOT IN (SELECT v FROM b WHERE b.k = a.k)",
    ],
    "aggregate_sums": [
        "SELECT k, count(*) n, sum(v) s, avg(d) m, count(g) c FROM a GROUP BY k",
        "SELECT count(*) n, sum(d * d) s FROM a",
        "SELECT k, sum(x) s, avg(x) FILTER (WHERE v > 1) m, count(x) n FROM a GROUP BY k",
        "SELECT DISTINCT g, k FROM a",
        "SELECT k, count(DISTINCT v) n FROM a GROUP BY k",
        "SELECT k, approx_count_distinct(v, 0.2) n, sum(v) s FROM a GROUP BY k",
    ],
    "aggregate_extremes": [
        "SELECT k, min(v) lo, max(g) hi, sum(d) s, avg(x) m FROM a GROUP BY k",
        "SELECT min(v) lo, max(d) hi FROM a",
        "SELECT max(v) FILTER (WHERE k = 1) m, min(g) FILTER (WHERE v > 2) n FROM a",
        "SELECT id, v FROM a WHERE v = (SELECT max(v) FROM a)",
        _GREATEST,
    ],
    "aggregate_percentiles": [
        "SELECT k, percentile(x, array(0, 0.3, 1)) p, median(x) m FROM a GROUP BY k",
        "SELECT k, count(*) n, avg(x) a, median(v) m, percentile(x, 0.9) p FROM a GROUP BY k",
        "SELECT max(v) hi, percentile_disc(0.5) WITHIN GROUP (ORDER BY d DESC) p FROM a",
    ],
    "aggregate_groups": [
        "SELECT k, sort_array(collect_list(v)) l, avg(x) m FROM a GROUP BY k",
        "SELECT sort_array(collect_list(v)) l, skewness(v) s FROM a",
    ],
    "window_ranges": [
        "SELECT id, k, lag(v) OVER (PARTITION BY k ORDER BY v, id, g, d, x) p FROM a",
        "SELECT id, sum(v) OVER (ORDER BY v RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) s FROM a",
    ],
    "window": [
        "SELECT id, k, dense_rank() OVER (PARTITION BY k ORDER BY v) r FROM a",
        "SELECT id, sum(v) OVER () s FROM a",
        """SELECT k, session_window.end e, count(*) n FROM a
        GROUP BY k, session_window(timestamp_seconds(v), '1 second')""",
    ],
    "group_prefix": [_SMALLEST, _LARGEST, _LOWEST],
    "group_limit": [_FIRST_TOTALS],
    "limit_prefix": [
        "SELECT k, count(*) n FROM (SELECT * FROM a ORDER BY v, id, k, g, d, x LIMIT 4) GROUP BY k",
        "SELECT sum(v) s FROM (SELECT v FROM a ORDER BY v DESC LIMIT 2)",
        "SELECT b.id FROM b JOIN (SELECT DISTINCT k FROM a ORDER BY k LIMIT 1) f ON b.k = f.k",
    ],
    "limit": [
        "SELECT count(*) n FROM (SELECT * FROM a ORDER BY v LIMIT 3 OFFSET 2)",
    ],
    "sort": ["SELECT max(v) m, count(*) n FROM (SELECT * FROM a ORDER BY v LIMIT 3 OFFSET 1)"],
}
_BETTER = (
    "aggregate_sums",
    "aggregate_extremes",
    "aggregate_percentiles",
    "group_prefix",
    "window_ranges",
    "limit_prefix",
)
_KEPT = {
    "preferred": choose.RULES,
    "fallback": tuple(rule for rule in choose.RULES if rule.name not in _BETTER),
    "recompute": tuple(rule for rule in choose.RULES if rule.name == "scan"),
}


_SHIFT = 2
"""The bits that order buckets leave out: four values of `v` are in one."""


def _check(
    spark: SparkSession, folder: Path, rules: str, batches: int, way: Way = Way.INDEX
) -> None:
    law = Law(spark, folder, random_schemas(), way=way)
    try:
        used: dict[str, set[str]] = {}
        for rule, queries in _QUERIES.items():
            for number, sql in enumerate(queries):
                law.add(Kept(f"{rule}_{number}", sql))
                view = law.session.view(f"{rule}_{number}").definition
                plan = choose.first_fit(view.stored, all_large((view.stored,), _SHIFT))
                used.setdefault(rule, set()).update(each.method for each in plan.kept())
        if rules == "preferred":
            assert [rule for rule, found in used.items() if rule not in found] == []
        for batch in random_history(seed=len(rules), batches=batches):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
        if rules == "recompute":
            assert not law.actions["incremental"], law.actions
        else:
            law.require_incremental()
    finally:
        law.close()


def test_every_rule_is_tried() -> None:
    assert set(_QUERIES) == {rule.name for rule in choose.RULES}


@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_changes_are_sparks(
    way: Way, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_as_large(monkeypatch, _SHIFT)
    _check(spark, tmp_path, "preferred", batches=3, way=way)


@pytest.mark.deep
@pytest.mark.parametrize("rules", _KEPT)
def test_changes_are_sparks_by_other_rules(
    rules: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "RULES", _KEPT[rules])
    count_as_large(monkeypatch, _SHIFT)
    _check(spark, tmp_path, rules, batches=8)
