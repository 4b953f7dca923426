"""Windows kept by ranges of their order, under random changes at all ends of their partitions.

All windows count as large here, so that small tables try the rule: buckets hold many rows or
one, lie far apart, empty and fill again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
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
from .large_windows import count_as_large

_SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("k", pa.int32()),
        ("g", pa.string()),
        ("n", pa.int32()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("at", pa.timestamp("us")),
        ("day", pa.date32()),
        ("d", pa.decimal128(9, 2)),
        ("x", pa.float64()),
        ("v", pa.int32()),
    ]
)
_BY_N = "PARTITION BY k ORDER BY n, id"
_VIEWS = {
    "near": "SELECT id, lag(v) OVER w a, lead(v, 2, -1) OVER w b FROM t "
    "WINDOW w AS (PARTITION BY k ORDER BY ts, id)",
    "down": "SELECT id, lag(v, 3) OVER (PARTITION BY k, g ORDER BY n DESC NULLS LAST, id) a FROM t",
    "ahead": "SELECT id, lag(v, -2) OVER (PARTITION BY x ORDER BY n NULLS LAST, id DESC) a FROM t",
    "moving": "SELECT id, "
    f"avg(v) OVER ({_BY_N} ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) a, "
    f"sum(v) OVER ({_BY_N} ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING) s, "
    f"max(v) OVER ({_BY_N} ROWS BETWEEN 1 FOLLOWING AND 4 FOLLOWING) m FROM t",
    "whole": "SELECT id, lag(id) OVER (ORDER BY day, id) a FROM t",
    "days": "SELECT id, sum(v) OVER (PARTITION BY k ORDER BY day "
    "RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND CURRENT ROW) s FROM t",
    "hours": "SELECT id, count(*) OVER (ORDER BY ts "
    "RANGE BETWEEN INTERVAL 120 MINUTES PRECEDING AND INTERVAL 30 MINUTES FOLLOWING) c FROM t",
    "long_hours": "SELECT id, sum(v) OVER (PARTITION BY k ORDER BY ts DESC "
    "RANGE BETWEEN INTERVAL 49 HOURS PRECEDING AND INTERVAL 1 HOUR PRECEDING) c FROM t",
    "numbers": "SELECT id, max(v) OVER (PARTITION BY g ORDER BY n DESC "
    "RANGE BETWEEN 4 PRECEDING AND 1 PRECEDING) m FROM t WHERE n BETWEEN -500 AND 500",
    "peers": f"SELECT id, lead(v) OVER ({_BY_N}) a, "
    f"count(*) OVER ({_BY_N} RANGE BETWEEN CURRENT ROW AND CURRENT ROW) c FROM t",
    "doubles": "SELECT id, lead(id) OVER (PARTITION BY k ORDER BY x, id) a FROM t",
    "doubles_down": "SELECT id, lead(id) OVER (ORDER BY x DESC NULLS FIRST, id) a FROM t",
    "decimals": "SELECT id, lag(id, 2) OVER (PARTITION BY k ORDER BY d DESC, id) a FROM t",
    "decimal_range": "SELECT id, sum(v) OVER "
    "(ORDER BY d RANGE BETWEEN CAST(1.5 AS DECIMAL(9, 2)) PRECEDING "
    "AND CAST(0.25 AS DECIMAL(9, 2)) FOLLOWING) s FROM t",
    "local": "SELECT id, lag(v) OVER (PARTITION BY g ORDER BY at, id) a FROM t",
    "local_range": "SELECT id, count(v) OVER (PARTITION BY k ORDER BY at "
    "RANGE BETWEEN INTERVAL 90 SECONDS PRECEDING AND INTERVAL 86400 SECONDS FOLLOWING) c FROM t",
    "placed": "SELECT id, first(v) OVER w f, nth_value(v, 2) OVER w n, collect_list(v) OVER w l "
    "FROM t WINDOW w AS (PARTITION BY k ORDER BY n, id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "above": "SELECT g, count(*) c, sum(gap) s FROM (SELECT g, CAST(n AS BIGINT) - lag(n) OVER "
    "(PARTITION BY g ORDER BY n, id) gap FROM t WHERE v > 2) WHERE gap IS NOT NULL GROUP BY g",
    "over_groups": "SELECT n, s - lag(s) OVER (ORDER BY n) a FROM "
    "(SELECT n, sum(v) s FROM t GROUP BY n)",
}
_NAN = float("nan")


def _history(seed: int, batches: int) -> Iterator[ChangeBatch]:
    """Batches that insert, delete and update; now and then a partition goes, or comes back."""
    rng = random.Random(seed)
    rows: Counter[Row] = Counter()
    for number in range(batches):
        change = _change(rng, rows, first=100 * number)
        rows.update(change)
        rows = +rows
        yield {"t": _table(change)}


def _change(rng: random.Random, rows: Counter[Row], first: int) -> Counter[Row]:
    change: Counter[Row] = Counter()
    living = sorted(rows.elements(), key=repr)
    kind = rng.random()
    if living and kind < 0.2:
        key = rng.choice(living)[1]
        for row in living:
            change[row] -= row[1] == key
    elif living and kind < 0.4:
        ends = sorted(living, key=lambda row: (row[3] is None, row[3] or 0))
        for row in (ends[0], ends[-1]) if len(ends) > 1 else ends:
            change[row] -= 1
    else:
        for row in rng.sample(living, min(len(living), rng.randint(0, 5))):
            change[row] -= 1
            if rng.random() < 0.6:
                place = rng.randrange(1, len(row))
                change[(*row[:place], _row(rng, 0)[place], *row[place + 1 :])] += 1
    for number in range(rng.choice((0, 1, 3, 30))):
        change[_row(rng, first + number)] += rng.choice((1, 1, 1, 2))
    return change


def _row(rng: random.Random, number: int) -> Row:
    near = rng.random() < 0.6
    moment = datetime(2024, 3, 30, 22, 0, tzinfo=UTC) + timedelta(
        minutes=rng.randint(0, 90) if near else 60 * rng.randint(-400, 400)
    )
    local = None if rng.random() < 0.1 else moment.replace(tzinfo=None) + timedelta(microseconds=5)
    return (
        number,
        rng.choice((None, 1, 1, 1, 2)),
        rng.choice((None, "", "p", "q")),
        rng.choice((None, rng.randint(0, 9), rng.randint(-400, 400), 2**31 - 1, -(2**31))),
        rng.choice((None, moment, moment, moment, moment)),
        local,
        rng.choice((None, date(1969, 12, 30) + timedelta(days=rng.randint(0, 40)))),
        rng.choice((None, Decimal(rng.randint(-300, 300)) / 100, Decimal("9999999.99"))),
        rng.choice((None, 0.0, -0.0, 0.5, rng.uniform(-50, 50), 1e300, _NAN, float("-inf"))),
        rng.choice((None, 1, 2, 3, 4, 5)),
    )


def _table(change: Counter[Row]) -> pa.Table:
    rows = [(*row, weight) for row, weight in change.items() if weight]
    return table_from_rows(_SCHEMA.append(pa.field(WEIGHT, pa.int64())), rows)


def _check(spark: SparkSession, folder: Path, seed: int, batches: int, way: Way) -> None:
    law = Law(spark, folder, {"t": _SCHEMA}, way=way)
    try:
        for name, sql in _VIEWS.items():
            law.add(Kept(name, sql))
            assert "window_ranges" in str(law.session.view(name).explain("plan")), name
        for batch in _history(seed, batches):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
        law.require_incremental()
    finally:
        law.close()


@each_way
def test_changes_in_ranges_are_sparks(
    way: Way, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_as_large(monkeypatch, shift=3)
    _check(spark, tmp_path, seed=3, batches=8, way=way)


@pytest.mark.deep
@pytest.mark.parametrize("shift", [2, 7, 12, 31])
@pytest.mark.parametrize("seed", range(4))
def test_buckets_of_any_width_give_sparks_answers(
    seed: int, shift: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_as_large(monkeypatch, shift)
    _check(spark, tmp_path, seed, batches=12, way=Way.DRIVER)
