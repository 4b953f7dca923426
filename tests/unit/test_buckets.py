"""Buckets of numbers keep the order of the numbers, and are the same in Python and in DuckDB."""

from __future__ import annotations

import math
import random
import struct
from itertools import pairwise

from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.buckets import INFINITE, NAN, ROOTS, SCALE
from slackwater.expr.functions import call
from slackwater.types import DOUBLE

from .duckdb_rows import Table, values

T = Table("t", x=DOUBLE)
_ENDS = (math.inf, 1.7976931348623157e308, 1e300, 2.5, 1.0, 1e-300, 5e-324, 0.0)
_NUMBERS = (
    *(sign * each for each in _ENDS for sign in (1, -1)),
    *(struct.unpack("d", random.Random(seed).randbytes(8))[0] for seed in range(2000)),
    *(random.Random(seed).gauss(100, 5) for seed in range(200)),
)


def bucket(value: float) -> int:
    """The bucket by Python's roots, which are rounded as everybody's."""
    if math.isnan(value):
        return NAN
    if math.isinf(value):
        return int(math.copysign(INFINITE, value))
    root = abs(value)
    for _ in range(ROOTS):
        root = math.sqrt(root)
    return int(math.copysign(int(root * SCALE), value))


def test_buckets_are_the_same_in_duckdb() -> None:
    engine = LocalEngine()
    rows = [(each,) for each in (*_NUMBERS, math.nan, None)]
    found = values(engine, T, call("bucket_of", T["x"]), *rows)
    engine.close()
    assert found == [*map(bucket, _NUMBERS), NAN, None]


def test_buckets_keep_the_order() -> None:
    ordered = sorted(each for each in _NUMBERS if not math.isnan(each))
    assert all(bucket(one) <= bucket(other) for one, other in pairwise(ordered))
    assert bucket(-0.0) == bucket(0.0) == 0
    assert bucket(math.inf) < NAN


def test_a_bucket_is_narrow_beside_its_numbers() -> None:
    for exponent in range(-300, 300, 7):
        value = 10.0**exponent
        assert bucket(value) < bucket(value * 1.01)
