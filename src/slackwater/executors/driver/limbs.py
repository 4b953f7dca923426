"""The limbs of far numbers, as functions over Arrow columns: bit for bit what Spark computes.

Most groups have no such numbers; DuckDB's own SQL sees to those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.expr.limbs import (
    BASE,
    COUNTS,
    FIRST_PLACE,
    LAST_PLACE,
    LENGTH,
    NEAR_PLACE,
    PRODUCT_PLACES,
    WHOLE,
    WIDTH,
)

Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_LIMBS = "BIGINT[]"
SIGNATURES: dict[str, tuple[tuple[str, ...], str]] = {
    "far_limbs": (("STRUCT(x DOUBLE, w BIGINT)[]",), _LIMBS),
    "add_limbs": ((_LIMBS, _LIMBS), _LIMBS),
    "limbs_value": ((_LIMBS, _LIMBS), "DOUBLE"),
    "comoment": (("BIGINT", f"{_LIMBS}[]", f"{_LIMBS}[]"), "DOUBLE"),
}
"""The functions of this module: the types of their arguments, and that of their result."""
_MANTISSA = 53
_MASK = 2**WIDTH - 1


def far_limbs(terms: pa.Array) -> pa.Array:
    """The limbs of lists of numbers with weights."""
    lists = _array(terms)
    flat = lists.flatten()
    values = flat.field("x").to_numpy(zero_copy_only=False)
    weights = flat.field("w").to_numpy(zero_copy_only=False)
    rows = lists.value_parent_indices().to_numpy(zero_copy_only=False)
    limbs = np.zeros((len(lists), LENGTH), dtype=np.int64)
    tests = (np.isnan(values), values == np.inf, values == -np.inf)
    for place, test in enumerate(tests):
        np.add.at(limbs[:, place], rows[test], weights[test])
    finite = np.isfinite(values)
    _add_digits(limbs, rows[finite], values[finite], weights[finite])
    return _listed(limbs)


def _add_digits(limbs: Longs, rows: Longs, values: Doubles, weights: Longs) -> None:
    """Add the three digits of each number to the limbs of its row."""
    fractions, exponents = np.frexp(np.abs(values))
    mantissas = np.ldexp(fractions, _MANTISSA).astype(np.int64)
    places, bits = np.divmod(exponents.astype(np.int64) - _MANTISSA, WIDTH)
    # The last bits of a number below the normal ones are zeros, and have no limb.
    short = np.maximum(FIRST_PLACE - places, 0)
    mantissas >>= np.where(short, WIDTH * short - bits, 0)
    places, bits = places + short, np.where(short, 0, bits)
    signs = np.where(values < 0, -weights, weights)
    low = (mantissas & _MASK) << bits
    high = ((mantissas >> WIDTH) << bits) + (low >> WIDTH)
    columns = places - FIRST_PLACE + COUNTS
    for offset, digits in enumerate((low & _MASK, high & _MASK, high >> WIDTH)):
        some = digits != 0
        np.add.at(limbs, (rows[some], columns[some] + offset), (signs * digits)[some])


def add_limbs(one: pa.Array, other: pa.Array) -> pa.Array:
    """The sums of limbs; NULL where nothing is left."""
    left, right = (_array(each).flatten().to_numpy(zero_copy_only=False) for each in (one, other))
    return _listed((left + right).reshape(-1, LENGTH))


def limbs_value(far: pa.Array, near: pa.Array) -> pa.Array:
    """The double next to what the limbs of far and near numbers add up to."""
    pairs = zip(_array(far).to_pylist(), _array(near).to_pylist(), strict=True)
    return pa.array([_value(limbs, rest) for limbs, rest in pairs], pa.float64())


def _value(limbs: Sequence[int], near: Sequence[int]) -> float:
    nan, plus, minus = (count > 0 for count in limbs[:COUNTS])
    if nan or (plus and minus):
        return float("nan")
    if plus or minus:
        return float("inf") if plus else float("-inf")
    totals = list(limbs[COUNTS:])
    for place, limb in enumerate(near, start=NEAR_PLACE - FIRST_PLACE):
        totals[place] += limb
    carry, digits = 0, []
    for total in totals:
        digits.append((carry + total) & _MASK)
        carry = (carry + total) >> WIDTH
    return _rounded(carry, digits)


def _rounded(carry: int, digits: list[int]) -> float:
    """The digits from the highest on; those behind the first 53 bits are left out."""
    value, place = float(carry), LAST_PLACE + 1
    while digits and abs(value) < WHOLE:
        value, place = value * BASE + digits.pop(), place - 1
    half = int(WIDTH * place / 2)
    return value * 2.0**half * 2.0 ** (WIDTH * place - half)


def comoment(rows: pa.Array, far: pa.Array, near: pa.Array) -> pa.Array:
    """The double next to n * sum(x * y) - sum(x) * sum(y)."""
    columns = (_array(each).to_pylist() for each in (rows, far, near))
    return pa.array([_comoment(*row) for row in zip(*columns, strict=True)], pa.float64())


def _comoment(rows: int, far: list[list[int] | None], near: list[list[int]]) -> float:
    left_far, right_far, products_far, errors_far = far
    left, right, products = near
    for each in (left_far, right_far):
        if each is not None and any(each[:COUNTS]):
            return float("nan")
    nan, plus, minus = (count > 0 for count in (products_far or [0] * COUNTS)[:COUNTS])
    if nan or plus or minus:
        return float("nan") if nan or (plus and minus) else float("inf" if plus else "-inf")
    one = _whole((left_far,), left, NEAR_PLACE)
    other = _whole((right_far,), right, NEAR_PLACE)
    both = _whole((products_far, errors_far), products, PRODUCT_PLACES[0])
    # Products of sums have their last digit as far again behind the point.
    return _nearest((rows * both << -WIDTH * FIRST_PLACE) - one * other, 2 * FIRST_PLACE)


def _whole(far: Sequence[list[int] | None], near: list[int], place: int) -> int:
    """Limbs as one whole number; its unit is that of the first place of all."""
    arrays = [(FIRST_PLACE, each[COUNTS:]) for each in far if each] + [(place, near)]
    return sum(
        limb << WIDTH * (first + n - FIRST_PLACE)
        for first, limbs in arrays
        for n, limb in enumerate(limbs)
    )


def _nearest(number: int, place: int) -> float:
    """A whole number of the unit at a place; whole limbs are left out that 53 bits need not."""
    cut = max(0, (number.bit_length() - _MANTISSA - 1) // WIDTH)
    while cut and abs(number >> WIDTH * cut) < WHOLE:
        cut -= 1
    while abs(number >> WIDTH * (cut + 1)) >= WHOLE:
        cut += 1
    try:
        return math.ldexp(float(number >> WIDTH * cut), WIDTH * (place + cut))
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _listed(limbs: Longs) -> pa.Array:
    """Rows of limbs as lists; NULL for those that are all 0."""
    kept = limbs.any(axis=1)
    offsets = np.concatenate(([0], np.cumsum(np.where(kept, LENGTH, 0)))).astype(np.int32)
    values = pa.array(limbs[kept].reshape(-1))
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(~kept))


def _array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
