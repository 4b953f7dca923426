"""Estimates from registers in DuckDB, beside the algorithm step by step as Spark's Java has it."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Iterator

import pyarrow as pa
import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Aggregate, Project
from slackwater.compiler.duckdb.functions import SEED
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.hashing import hash_longs
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId
from slackwater.expr.registers import Sketch
from slackwater.types import BIGINT, DOUBLE, INTEGER

from .duckdb_rows import Table, run

_REGISTERS = Table("registers", digits=INTEGER)
_VALUES = Table("numbers", x=BIGINT)
_SUMS = Table("sums", total=DOUBLE, registers=BIGINT)
_SKETCHES = (
    Sketch(4, (15.5, 60.25), (10.0, 7.5, 0.125)),
    Sketch(9, (390.0, 700.0, 2000.0), (350.5, 200.0, 17.25, -3.0)),
    Sketch(12, (), (0.5,)),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


def _expected(sketch: Sketch, ranks: list[int]) -> int:
    inverse = math.fsum(1.0 / (1 << rank) for rank in ranks)
    raw, empty, size = sketch.constant / inverse, ranks.count(0), sketch.registers
    corrected = raw
    if raw < 5.0 * size:
        corrected = raw - sketch.biases[bisect_right(sketch.bounds, raw)]
    if empty:
        counted = size * math.log(size / empty)
        if counted <= sketch.fewest or raw <= 2.5 * size:
            corrected = counted
    return math.floor(corrected + 0.5)


def _ranks(sketch: Sketch, values: int) -> list[int]:
    rng = random.Random(values)
    ranks = [0] * sketch.registers
    for _ in range(values):
        place = rng.randrange(sketch.registers)
        rest = rng.getrandbits(sketch.address_shift)
        ranks[place] = max(ranks[place], sketch.empty_digits - rest.bit_length())
    return ranks


@pytest.mark.parametrize("sketch", _SKETCHES, ids=lambda each: str(each.precision))
@pytest.mark.parametrize("values", [0, 1, 5, 60, 900, 30_000])
def test_estimates(engine: LocalEngine, sketch: Sketch, values: int) -> None:
    ranks = _ranks(sketch, values)
    expected = _expected(sketch, ranks)
    digits = [sketch.empty_digits - rank for rank in ranks if rank]
    estimate = aggregate("count_by_registers", _REGISTERS["digits"], params=sketch.params)
    over = Aggregate(_REGISTERS.scan, (), (Output(_column(), estimate),))
    assert run(engine, over, {"registers": _REGISTERS.of(*((each,) for each in digits))}) == [
        (expected,)
    ]
    arguments = (_SUMS["total"], _SUMS["registers"])
    finished = call("registers_estimate", *arguments, params=sketch.params)
    row = (float(sum(1 << each for each in digits)), len(digits))
    once = Project(_SUMS.scan, (Output(_column(), finished),))
    assert run(engine, once, {"sums": _SUMS.of(row)}) == [(expected,)]


@pytest.mark.parametrize("sketch", _SKETCHES, ids=lambda each: str(each.precision))
@pytest.mark.parametrize("values", [0, 1, 60, 3_000])
def test_estimates_of_groups_that_are_read(
    engine: LocalEngine, sketch: Sketch, values: int
) -> None:
    seeds = pa.array([SEED] * values, pa.int64())
    ranks = [0] * sketch.registers
    for each in hash_longs(seeds, pa.array(range(values), pa.int64())).to_pylist():
        rank = sketch.empty_digits - (each & sketch.rest_mask).bit_length()
        place = (each >> sketch.address_shift) % sketch.registers
        ranks[place] = max(ranks[place], rank)
    estimate = aggregate("approx_count_distinct", _VALUES["x"], params=("0.1D", *sketch.params))
    over = Aggregate(_VALUES.scan, (), (Output(_column(), estimate),))
    rows = [*range(values), None, *range(values // 2)]
    found = run(engine, over, {"numbers": _VALUES.of(*((each,) for each in rows))})
    assert found == [(_expected(sketch, ranks),)]


def _column() -> Column:
    return Column(ColumnId(51), "estimate", BIGINT)


@pytest.mark.parametrize(
    ("precision", "bounds", "biases"),
    [(3, (), (0.0,)), (19, (), (0.0,)), (9, (1.0,), (0.0,)), (9, (2.0, 1.0), (0.0, 1.0, 2.0))],
)
def test_a_sketch_that_is_none_is_refused(
    precision: int, bounds: tuple[float, ...], biases: tuple[float, ...]
) -> None:
    with pytest.raises(ValueError, match=r"address bits|bounds"):
        Sketch(precision, bounds, biases)
