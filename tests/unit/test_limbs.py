"""Exact sums of floating-point numbers in DuckDB, against Python's fractions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.compiler.duckdb.limbs import DUCKDB
from slackwater.executors.driver.limbs import add_limbs, comoment, far_limbs, limbs_value
from slackwater.expr.limbs import COUNTS, FIRST_PLACE, LENGTH, NEAR_PLACES, WIDTH

HARD = (0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 2.0**-88, 2.0**57, 1e20, 1.0, 1e300, 1.7e308)
NUMBERS = st.one_of(st.sampled_from(HARD), st.floats(allow_nan=False, allow_infinity=False))
TERM = pa.list_(pa.struct([("x", pa.float64()), ("w", pa.int64())]))


def limbs_of(terms: Iterable[tuple[float, int]]) -> list[int]:
    column = pa.array([[{"x": x, "w": w} for x, w in terms]], TERM)
    found: list[int] | None = far_limbs(column).to_pylist()[0]
    return [0] * LENGTH if found is None else found


def total(limbs: list[int]) -> Fraction:
    places = enumerate(limbs[COUNTS:], start=FIRST_PLACE)
    return sum((limb * Fraction(2) ** (WIDTH * place) for place, limb in places), Fraction(0))


def value_of(limbs: list[int]) -> float:
    zeros = pa.array([[0] * len(NEAR_PLACES)])
    found: float = limbs_value(pa.array([limbs]), zeros).to_pylist()[0]
    return found


def rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.integers(-5, 5)), min_size=1, max_size=8))
def test_limbs_add_up_to_the_exact_sum(terms: list[tuple[float, int]]) -> None:
    exact = sum((Fraction(x) * w for x, w in terms), Fraction(0))
    limbs = limbs_of(terms)
    assert total(limbs) == exact
    found, expected = value_of(limbs), rounded(exact)
    if found != expected:
        assert found in (math.nextafter(expected, math.inf), math.nextafter(expected, -math.inf))


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8), st.lists(NUMBERS, min_size=1, max_size=8))
def test_what_is_taken_away_leaves_nothing(kept: list[float], gone: list[float]) -> None:
    plain = limbs_of((x, 1) for x in kept)
    with_more = limbs_of((x, 1) for x in (*gone, *kept))
    less = limbs_of((x, -1) for x in gone)
    found = add_limbs(pa.array([with_more]), pa.array([less])).to_pylist()[0]
    assert (found or [0] * LENGTH) == plain


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([(math.nan, 1), (1e300, 1)], math.nan),
        ([(math.inf, 1), (-math.inf, 1)], math.nan),
        ([(math.inf, 2), (-1e308, 1)], math.inf),
        ([(-math.inf, 1), (math.nan, 1), (math.nan, -1)], -math.inf),
        ([(1.7e308, 1), (1.7e308, 1)], math.inf),
        ([(1.7e308, 2), (1.7e308, -1)], 1.7e308),
        ([(5e-324, 3)], 1.5e-323),
        ([(1e300, 1), (-5e-324, 1)], 1e300),
    ],
)
def test_values_that_are_not_ordinary(terms: list[tuple[float, int]], expected: float) -> None:
    found = value_of(limbs_of(terms))
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_nothing_left_is_null() -> None:
    column = pa.array([[{"x": 1e300, "w": 1}, {"x": 1e300, "w": -1}], None], TERM)
    assert far_limbs(column).to_pylist() == [None, None]


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_near_digits_in_duckdb(values: list[float]) -> None:
    numbers = pa.table({"x": values})
    digits = ", ".join(
        f"CAST(sum({DUCKDB.near_digit('x', place, NEAR_PLACES[-1])}) AS BIGINT) AS l{n}"
        for n, place in enumerate(NEAR_PLACES)
    )
    names = [f"l{n}" for n in range(len(NEAR_PLACES))]
    with duckdb.connect() as connection:
        connection.register("numbers", numbers)
        near = f"(SELECT x FROM numbers WHERE {DUCKDB.near('x')})"
        sums = connection.execute(f"SELECT {digits} FROM {near}").fetchone()
        value = f"SELECT {DUCKDB.near_sum(names)}, count(*) FROM (SELECT {digits} FROM {near})"
        (found,) = connection.execute(value.replace(", count(*)", "")).fetchone() or (None,)
    taken = [Fraction(x) for x in values if is_near(x)]
    if taken and sums:
        pairs = zip(NEAR_PLACES, sums, strict=True)
        exact = sum((limb * Fraction(2) ** (WIDTH * place) for place, limb in pairs), Fraction(0))
        assert exact == sum(taken, Fraction(0))
        assert found == pytest.approx(float(exact), rel=1e-15, abs=0)


FACTORS = st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-100)


@settings(deadline=None)
@given(st.lists(st.tuples(FACTORS, FACTORS), min_size=1, max_size=6))
def test_products_are_exact(pairs: list[tuple[float, float]]) -> None:
    product, error = "(x * y)", DUCKDB.product_error("x", "y")
    numbers = pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})
    with duckdb.connect() as connection:
        connection.register("numbers", numbers)
        parts = connection.execute(f"SELECT x, y, {product}, {error} FROM numbers").fetchall()
    assert all(Fraction(p) + Fraction(e) == Fraction(x) * Fraction(y) for x, y, p, e in parts)


@given(st.lists(st.tuples(FACTORS, FACTORS), min_size=1, max_size=6))
@settings(deadline=None)
def test_comoments_are_rounded_once(pairs: list[tuple[float, float]]) -> None:
    left, right = ([(x, 1) for x in side] for side in zip(*pairs, strict=True))
    products = [(x * y, 1) for x, y in pairs]
    errors = [(float(Fraction(x) * Fraction(y) - Fraction(x * y)), 1) for x, y in pairs]
    far = [limbs_of(each) for each in (left, right, products, errors)]
    near = [[0] * 5, [0] * 5, [0] * 10]
    found = comoment(pa.array([len(pairs)]), pa.array([far]), pa.array([near])).to_pylist()[0]
    sums = [sum((Fraction(x) for x, _ in each), Fraction(0)) for each in (left, right)]
    both = sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))
    exact = len(pairs) * both - sums[0] * sums[1]
    assert found == pytest.approx(float(exact), rel=2.0**-52, abs=0)


def is_near(value: float) -> bool:
    return abs(value) < 2.0**57 and (Fraction(value) * 2**87).denominator == 1
