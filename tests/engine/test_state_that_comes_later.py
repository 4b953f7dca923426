"""Views that are declared over others' state: what they hold agrees with it to the last bit."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from .harness import Kept, Law, Way
from .histories import Tables, each_way

_TABLES = Tables({"t": pa.schema([("g", pa.int32()), ("x", pa.float64()), ("m", pa.string())])})
_GROUPS = 60
_SUMS = "SELECT g, sum(x) AS s FROM t GROUP BY g"
_LATE = {
    "over": "SELECT g, s FROM sums WHERE s > 0",
    "beside": "SELECT a.g, b.s FROM sums a JOIN sums b ON a.g = b.g",
    "shared": f"SELECT g, s FROM ({_SUMS}) WHERE s < 1e300",
    "extreme": f"SELECT max(s) AS m FROM ({_SUMS})",
    "over_full": "SELECT g, s + 1 AS s FROM in_full WHERE s > 0",
    "over_listed": "SELECT g, size(l) AS n, l FROM listed",
    "over_first": "SELECT g, x FROM first_rows",
}


def _batch(numbers: random.Random) -> list[tuple[object, ...]]:
    return [(g, round(numbers.uniform(0, 10), 1), f"m{g % 3}", 1) for g in range(_GROUPS)]


@each_way
def test_sums_that_depend_on_their_order(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    numbers = random.Random(5)
    law = Law(spark, tmp_path, _TABLES.schemas, way=way)
    try:
        law.add_for_others(Kept("sums", _SUMS))
        law.add_for_others(
            Kept("listed", "SELECT g, sort_array(collect_list(x)) l FROM t GROUP BY g")
        )
        first = "SELECT g, x, row_number() OVER (PARTITION BY g ORDER BY x, m) n FROM t"
        law.add_for_others(Kept("first_rows", f"SELECT g, x FROM ({first}) WHERE n = 1"))
        law.add(Kept("in_full", _SUMS), refresh="full")
        law.plain.define("in_full", _SUMS)
        for _ in range(3):
            _run(law, numbers)
        for name, sql in _LATE.items():
            law.add(Kept(name, sql))
        law.refresh()
        _require_exact(law)
        for _ in range(2):
            _run(law, numbers)
    finally:
        law.close()


def _run(law: Law, numbers: random.Random) -> None:
    law.take(_TABLES.batch({"t": _batch(numbers)}))
    law.refresh()
    _require_exact(law)


def _require_exact(law: Law) -> None:
    assert [str(each) for each in law.broken()] == []


_RANKED = "SELECT g, s, rank() OVER (ORDER BY g) AS r FROM"
_SHARED = Tables(
    {
        "t": pa.schema([("g", pa.int32()), ("x", pa.float64())]),
        "k": pa.schema([("g", pa.int32()), ("n", pa.int32())]),
    }
)
_BESIDE = f"""SELECT q.g, q.s, r, m FROM ({_RANKED} ({_SUMS})) q
JOIN (SELECT g, max(n) AS m FROM k GROUP BY g) z ON z.g = q.g"""


def _numbers(seed: int) -> list[tuple[object, ...]]:
    numbers = random.Random(seed)
    return [(n % 6, numbers.random() * 10 ** numbers.randrange(-3, 6), 1) for n in range(40)]


def _load(law: Law) -> None:
    keys = [(g, n, 1) for g in range(6) for n in (1, 2)]
    for seed in range(3):
        law.take(_SHARED.batch({"t": _numbers(seed), **({"k": keys} if not seed else {})}))
        law.refresh()
    # Sums over files that lie otherwise come out otherwise.
    law.session.compact()


@each_way
def test_views_that_are_computed_anew_lend_no_state(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    """Their answers differ in some last bit from what others keep of the same rows."""
    law = Law(spark, tmp_path, _SHARED.schemas, way=way)
    try:
        law.add(Kept("whole", _SUMS), refresh="full")
        law.add(Kept("beside", _BESIDE))
        _load(law)
        law.add(Kept("same", _SUMS))
        law.add(Kept("ranked", f"{_RANKED} ({_SUMS})"))
        law.take(_SHARED.batch({"k": [(3, 2, -1)]}))
        law.refresh()
        _require_exact(law)
        for seed in (7, 8):
            law.take(_SHARED.batch({"t": _numbers(seed)}))
            law.refresh()
            _require_exact(law)
    finally:
        law.close()
