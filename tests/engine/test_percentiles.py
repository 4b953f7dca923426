"""Percentiles of large groups: only the buckets that hold them are read, and the answer is Spark's.

The histories have ties, NULLs, NaN, zeros of both signs, infinities and subnormals, groups that
come and go, values that move within a bucket, and groups without any value.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.rows import Row, table_from_rows

from .harness import Kept, Law, Way
from .histories import each_way

_SCHEMA = pa.schema(
    [
        ("g", pa.int32()),
        ("h", pa.float64()),
        ("x", pa.float64()),
        ("f", pa.float32()),
        ("n", pa.int64()),
        ("d", pa.decimal128(9, 2)),
        ("w", pa.decimal128(30, 12)),
    ]
)
_NAN = float("nan")
_DOUBLES = (None, 0.0, -0.0, 1.0, 1.0, 1.0001, 100.0, 100.01, 5e-324, -1e300, 1e300, 1e17)
_ODD = (_NAN, float("inf"), float("-inf"))
_VIEWS = {
    "tails": "SELECT g, percentile(x, array(0.0, 0.1, 0.5, 0.9, 1.0)) p, median(x) m "
    "FROM t GROUP BY g",
    "all": "SELECT percentile(n, array(0.25, 1.0)) p, median(n) m FROM t",
    "floats": "SELECT g, median(f) m, percentile_disc(0.7) WITHIN GROUP (ORDER BY f DESC) p "
    "FROM t GROUP BY g",
    "wide": "SELECT g, percentile_cont(0.3) WITHIN GROUP (ORDER BY w DESC) p FROM t GROUP BY g",
    "decimals": "SELECT h, percentile_disc(0.0) WITHIN GROUP (ORDER BY d) a, "
    "percentile_disc(1.0) WITHIN GROUP (ORDER BY d) b, percentile(d, 0.37) c FROM t GROUP BY h",
    "some": "SELECT percentile(x, 0.4) FILTER (WHERE g > 1) p FROM t",
    "beside": "SELECT h, count(*) c, avg(x) a, min(n) lo, median(x) m, percentile(n, 0.9) p "
    "FROM t GROUP BY h",
    "beside_all": "SELECT sum(d) s, median(d) m, max(x) hi, median(f) f FROM t",
    "odd_keys": "SELECT array(h) a, make_ym_interval(0, g) i, median(n) m FROM t "
    "GROUP BY array(h), make_ym_interval(0, g)",
    "sets": "SELECT g, h, median(x) m, sum(n % 9) s FROM t GROUP BY CUBE (g, h)",
    "computed": "SELECT g + 1 k, median(n % 100 + x) m FROM t GROUP BY g + 1",
}


def _row(rng: random.Random) -> Row:
    doubles = _DOUBLES + (_ODD if rng.random() < 0.3 else ())
    return (
        rng.choice((None, 1, 2, 3)),
        rng.choice((None, 0.0, -0.0, 1.5, _NAN)),
        rng.choice((*doubles, rng.gauss(0, 100), rng.uniform(99, 101))),
        rng.choice((None, 0.5, -2.25, float("inf"), 3e38)),
        rng.choice((None, 7, 7, -7, 2**62, -(2**63), 2**63 - 1, rng.randint(-1000, 1000))),
        rng.choice((None, Decimal("0.50"), Decimal("-3.10"), Decimal(rng.randint(0, 99)) / 4)),
        rng.choice((None, Decimal("123456789012345678.000000000001"), Decimal("-0.000000000001"))),
    )


def history(seed: int, batches: int) -> Iterator[ChangeBatch]:
    """Batches that insert, delete and change rows; now and then a whole group goes."""
    rng = random.Random(seed)
    contents: Counter[Row] = Counter()
    for number in range(batches):
        change: Counter[Row] = Counter()
        living = sorted(contents.elements(), key=repr)
        for row in rng.sample(living, min(len(living), 12)):
            change[row] -= 1
            change[(*row[:2], _row(rng)[2], *row[3:])] += rng.choice((0, 1))
        for _ in range(60 if number == 0 else rng.randint(0, 12)):
            change[_row(rng)] += rng.choice((1, 1, 3))
        if number and rng.random() < 0.4:
            gone = rng.choice((1, 2, 3))
            change = Counter({row: n for row, n in change.items() if row[0] != gone})
            change.update({row: -n for row, n in contents.items() if row[0] == gone})
        contents.update(change)
        rows = [(*row, weight) for row, weight in change.items() if weight]
        yield {"t": table_from_rows(_SCHEMA.append(pa.field(WEIGHT, pa.int64())), rows)}


def _check(spark: SparkSession, folder: Path, seed: int, batches: int, way: Way) -> None:
    law = Law(spark, folder, {"t": _SCHEMA}, way=way)
    try:
        for name, sql in _VIEWS.items():
            law.add(Kept(name, sql))
            assert "aggregate_percentiles" in str(law.session.view(name).explain("plan"))
        law.refresh()
        for batch in history(seed, batches):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
        law.require_incremental()
    finally:
        law.close()


@each_way
def test_history_stays_exact(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    _check(spark, tmp_path, seed=3, batches=6, way=way)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_many_histories_stay_exact(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    _check(spark, tmp_path, seed, batches=10, way=Way.DRIVER)
