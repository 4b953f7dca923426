"""Extremes and first rows that are read again only when one of them goes.

Both forms were once wrong, in a chain of views like TPC-H's question 15. The histories here take
the extreme row away in most batches, bring it back, empty the table and fill it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from .harness import Kept, Law, Way
from .histories import each_way
from .random_rows import random_history, random_schemas

_VIEWS = {
    "ends": "SELECT min(v) lo, max(v) hi, min(x) least, max(g) last, count(*) n FROM a",
    "ends_by_key": "SELECT k, min(x) lo, max(d) hi, sum(x) s FROM a GROUP BY k",
    "some": "SELECT min(v) FILTER (WHERE g IS NOT NULL) lo, max(d) FILTER (WHERE k > 1) hi FROM a",
    "greatest": "SELECT id, v FROM a WHERE v = (SELECT max(v) FROM a)",
    "best": "WITH s AS (SELECT k, sum(v) t FROM a GROUP BY k) "
    "SELECT b.id, s.t FROM b JOIN s ON b.k <=> s.k WHERE s.t = (SELECT max(t) FROM s)",
    "first_rows": "SELECT k, count(*) n, sum(v) s "
    "FROM (SELECT * FROM a ORDER BY v, id, k, g, d, x LIMIT 3) GROUP BY k",
    "first_values": "SELECT sum(v) s, count(*) n FROM (SELECT v FROM a ORDER BY v DESC LIMIT 2)",
    "few_keys": "SELECT b.id FROM b JOIN (SELECT DISTINCT k FROM a ORDER BY k LIMIT 2) f "
    "ON b.k <=> f.k",
    "ends_of_first": "SELECT max(v) hi, min(id) lo FROM "
    "(SELECT v, id FROM a ORDER BY id, v LIMIT 4)",
}
_METHODS = {
    "ends": "aggregate_extremes",
    "best": "aggregate_extremes",
    "first_rows": "limit_prefix",
    "few_keys": "limit_prefix",
}


def _check(spark: SparkSession, folder: Path, seed: int, batches: int, way: Way) -> None:
    law = Law(spark, folder, random_schemas(), way=way)
    try:
        for name, sql in _VIEWS.items():
            law.add(Kept(name, sql))
        for batch in random_history(seed, batches):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
        law.require_incremental()
        for name, method in _METHODS.items():
            assert method in str(law.session.view(name).explain("plan"))
    finally:
        law.close()


@each_way
def test_history_that_loses_extremes_stays_exact(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    _check(spark, tmp_path, seed=7, batches=8, way=way)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_many_histories_stay_exact(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    _check(spark, tmp_path, seed, batches=12, way=Way.DRIVER)
