"""The Spark SQL of n * sum(x * y) - sum(x) * sum(y) over limbs: multiplied digit by digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.expr.limbs import (
    COUNTS,
    FIRST_PLACE,
    LAST_PLACE,
    NEAR,
    NEAR_PLACE,
    NEAR_PLACES,
    PRODUCT_PLACES,
    SPARK,
    WIDTH,
    spark_carried,
    spark_let,
    spark_rounded,
    spark_totals,
)

_SPARE = 2
"""Limbs of 63 bits have so many digits beyond their own place."""


@dataclass(frozen=True, slots=True)
class Comoment:
    """The arguments of `comoment`: the number of rows, limbs of two numbers, of their products.

    Limbs of far numbers come before those of near ones; products have far ones twice, rounded
    and their errors.
    """

    rows: str
    left_far: str
    left: Sequence[str]
    right_far: str
    right: Sequence[str]
    products_far: tuple[str, str]
    products: Sequence[str]

    @classmethod
    def of(cls, args: Sequence[str]) -> Comoment:
        """The arguments in the order in which a call has them."""
        rows, *rest = args
        left, rest = rest[: NEAR + 1], rest[NEAR + 1 :]
        right, (one, other, *products) = rest[: NEAR + 1], rest[NEAR + 1 :]
        return cls(rows, left[0], left[1:], right[0], right[1:], (one, other), products)

    @property
    def far(self) -> tuple[str, ...]:
        """All limbs of far numbers."""
        return (self.left_far, self.right_far, *self.products_far)


@dataclass(frozen=True, slots=True)
class _Number:
    """An array of digits, the lowest first: its text, length and the place of its first digit."""

    text: str
    length: int
    place: int


def spark_comoment(given: Comoment) -> str:
    """The whole: from near numbers alone where there are no others."""
    near = _difference(
        given.rows,
        _Number(_array(given.left), NEAR, NEAR_PLACE),
        _Number(_array(given.right), NEAR, NEAR_PLACE),
        _Number(_array(given.products), len(PRODUCT_PLACES), PRODUCT_PLACES[0]),
    )
    all_near = " AND ".join(f"{each} IS NULL" for each in given.far)
    numbers = (given.left_far, given.right_far)
    lost = " OR ".join(_has(each, n) for each in numbers for n in range(COUNTS))
    nan, plus, minus = (_has(given.products_far[0], n) for n in range(COUNTS))
    return (
        f"CASE WHEN {all_near} THEN {near} "
        f"WHEN {lost} OR {nan} OR ({plus} AND {minus}) THEN double('NaN') "
        f"WHEN {plus} THEN double('Infinity') WHEN {minus} THEN double('-Infinity') "
        f"ELSE {_far_difference(given)} END"
    )


def _has(far: str, place: int) -> str:
    return f"coalesce(get({far}, {place}), 0L) > 0L"


def _far_difference(given: Comoment) -> str:
    length = LAST_PLACE - FIRST_PLACE + 1

    def number(far: Sequence[str], limbs: Sequence[str], places: range) -> _Number:
        return _Number(spark_totals(far, limbs, places), length, FIRST_PLACE)

    return _difference(
        given.rows,
        number((given.left_far,), given.left, NEAR_PLACES),
        number((given.right_far,), given.right, NEAR_PLACES),
        number(given.products_far, given.products, PRODUCT_PLACES),
    )


def _difference(rows: str, left: _Number, right: _Number, products: _Number) -> str:
    """All of it as long multiplication of digits."""
    count = _Number(f"array({rows} & {2**WIDTH - 1}L, shiftright({rows}, {WIDTH}))", 2, 0)
    one, other = (_digits(left), _digits(right)), (count, _digits(products))
    square, whole = _product(*one, "x"), _product(*other, "y")
    lowest = min(square.place, whole.place)
    end = max(each.place + each.length for each in (square, whole))
    terms = (
        f"coalesce(get({name}, q - {each.place - lowest}), 0L)"
        for name, each in (("w", whole), ("u", square))
    )
    totals = f"transform(sequence(0, {end - lowest - 1}), q -> {' - '.join(terms)})"
    return spark_let("w", whole.text, spark_let("u", square.text, spark_rounded(totals, end)))


def _digits(number: _Number) -> _Number:
    """Limbs as digits, the lowest first; the last one has the sign."""
    spare = ", ".join(["0L"] * _SPARE)
    carried = spark_carried(f"concat({number.text}, array({spare}))")
    text = spark_let("m", carried, "reverse(concat(array(m.c), m.d))")
    return _Number(text, number.length + _SPARE + 1, number.place)


def _product(one: _Number, other: _Number, name: str) -> _Number:
    """Digits multiplied, with what exceeds a digit in the next place; they may exceed it again."""
    a, b = f"{name}a", f"{name}b"
    term, before = (f"get({a}, i) * get({b}, k - i{less})" for less in ("", " - 1"))
    low = f"coalesce({SPARK.digit.format(f'({term})')}, 0L)"
    high = f"coalesce({SPARK.carry.format(f'({before})')}, 0L)"
    limb = f"aggregate(sequence(0, {one.length - 1}), 0L, (s, i) -> s + {low} + {high})"
    length = one.length + other.length
    text = f"transform(sequence(0, {length - 1}), k -> {limb})"
    named = spark_let(a, one.text, spark_let(b, other.text, text))
    return _Number(named, length, one.place + other.place)


def _array(limbs: Sequence[str]) -> str:
    return f"array({', '.join(limbs)})"
