"""Estimates of distinct counts, which are Spark's own number however many values come and go."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from math import nextafter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.expr.registers import LEAST_PRECISION, MOST_PRECISION, Sketch
from slackwater.frontend.sql.bias_tables import read_sketch
from slackwater.workloads.rows import Row

from .harness import Way
from .histories import Changes, Tables, check_history

_each_way = pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
_TABLES = Tables(
    {
        "t": pa.schema(
            [
                ("k", pa.int32()),
                ("n", pa.int64()),
                ("x", pa.float64()),
                ("s", pa.string()),
                ("d", pa.decimal128(25, 3)),
                ("l", pa.list_(pa.int32())),
            ]
        )
    }
)
_VIEWS = {
    "alone": "SELECT k, approx_count_distinct(n) a FROM t GROUP BY k",
    "of_all": "SELECT approx_count_distinct(x) a FROM t",
    "few_registers": "SELECT k, approx_count_distinct(s, 0.39) a FROM t GROUP BY k",
    "many_registers": "SELECT approx_count_distinct(n, 0.004) a FROM t WHERE k IS NOT NULL",
    "beside_sums": """SELECT k, approx_count_distinct(x) a, sum(n) s, count(*) c, max(s) hi,
        approx_count_distinct(s, 0.1) FILTER (WHERE n > 0) b FROM t GROUP BY k""",
    "two_of_all": """SELECT approx_count_distinct(n, 0.2) a, approx_count_distinct(d) b,
        avg(x) m FROM t""",
    "of_lists": "SELECT approx_count_distinct(struct(l, x)) a FROM t",
    "filtered_above": """SELECT x, approx_count_distinct(n % 10) a FROM t GROUP BY x
        HAVING approx_count_distinct(n % 10) > 1""",
    "beside_distinct": """SELECT k, count(DISTINCT n) e, approx_count_distinct(n) a, avg(x) m
        FROM t GROUP BY k""",
    "beside_rows": "SELECT k, approx_count_distinct(n, 0.3) a, collect_set(k) l FROM t GROUP BY k",
}
_NAN = float("nan")
_MANY = 700
"""So many values of one group are beyond counting empty registers, but for the largest sketch."""


def _row(rng: random.Random, key: int | None) -> Row:
    number = rng.randrange(10**9)
    return (
        key,
        rng.choice((number, number % 50, None)),
        rng.choice((number / 7, 0.0, -0.0, float(number % 3), None)),
        rng.choice((f"text {number}", "", None)),
        rng.choice((Decimal(number) / 8, Decimal(number) * 10**12, None)),
        rng.choice(((number, None), (), None)),
    )


def _history() -> Iterator[tuple[str, Changes]]:
    rng = random.Random(5)
    rows = Counter(_row(rng, rng.choice((1, 1, 1, 2, None))) for _ in range(_MANY))
    rows[(3, None, None, None, None, None)] += 2
    rows[(1, 7, _NAN, "nan", None, None)] += 1
    yield "many values", _changes(rows)
    living = sorted(rows, key=repr)
    gone = Counter({row: -rows[row] for row in rng.sample(living, _MANY // 3)})
    yield "many go", _changes(gone)
    rows.update(gone)
    rows += Counter()
    few = rng.sample(sorted(rows, key=repr), 20)
    mixed = Counter(dict.fromkeys(few[:10], -1))
    mixed.update(_row(rng, 4) for _ in range(5))
    yield "some go and some come", _changes(mixed)
    rows.update(mixed)
    yield "all rows go", _changes(Counter({row: -count for row, count in rows.items()}))
    yield "one comes back", {"t": [(*few[0], 1)]}


def _changes(rows: Counter[Row]) -> Changes:
    return {"t": [(*row, count) for row, count in rows.items() if count]}


@_each_way
def test_estimates_are_sparks(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _TABLES, _VIEWS, dict(_history()), way=way)


@pytest.mark.parametrize("error", [0.39, 0.2, 0.1, 0.05, 0.02, 0.01, 0.003])
def test_corrections_are_sparks(error: float, spark: SparkSession) -> None:
    jvm = spark._jvm
    sketch = read_sketch(jvm, error)
    assert sketch is not None
    assert jvm is not None
    spark_own = jvm.org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper(error)
    rng = random.Random(1)
    edges = rng.sample(sketch.bounds, 20)
    chosen = [rng.uniform(0, 5 * sketch.registers) for _ in range(40)]
    for estimate in (*edges, *(nextafter(each, 0) for each in edges), *chosen):
        bias = sketch.biases[bisect_right(sketch.bounds, estimate)]
        assert bias == spark_own.estimateBias(estimate)


def test_sketches_that_spark_does_not_correct_are_left_to_it(spark: SparkSession) -> None:
    assert read_sketch(spark._jvm, 0.001) is None


@pytest.mark.parametrize("precision", range(LEAST_PRECISION, MOST_PRECISION + 1))
def test_no_count_by_empty_registers_is_near_a_half(precision: int) -> None:
    """So it is rounded alike by engines whose logarithms differ in the last bit."""
    size = 1 << precision
    counted = size * np.log(size / np.arange(1, size + 1))
    distance = np.abs(counted % 1 - 0.5) / np.maximum(counted, 1)
    assert distance.min() > 2**-40
    fewest = Sketch(precision, (), (0.0,)).fewest
    assert np.abs(counted / fewest - 1).min() > 2**-40
