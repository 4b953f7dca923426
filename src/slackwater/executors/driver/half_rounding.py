"""Doubles as whole numbers of a decimal unit, rounded as Spark does: by their decimal texts.

The text of a double is the shortest that no other double is nearer to. Only where that text may lie
on the middle between two results does it have to be looked at: all texts of a double are within
half a unit of its last bit.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

import numpy as np
import pyarrow as pa

_EXACT = Context(prec=100)
_POWERS = 10.0 ** np.arange(16)
_MOST = 2.0**52
"""Below it, doubles have a digit for halves."""
_UNSURE = 2.0**-51
"""How far, for its size, a product is from the text times the power of ten: less than this."""


def half_up(values: pa.Array, digits: pa.Array) -> pa.Array:
    """Numbers times a power of ten; halves are rounded away from zero."""
    return _rounded(values, digits, ROUND_HALF_UP)


def half_even(values: pa.Array, digits: pa.Array) -> pa.Array:
    """Numbers times a power of ten; halves are rounded to even numbers."""
    return _rounded(values, digits, ROUND_HALF_EVEN)


def _rounded(values: pa.Array, digits: pa.Array, rounding: str) -> pa.Array:
    given = _array(values)
    known = given.is_valid().to_numpy(zero_copy_only=False)
    numbers = np.where(known, given.fill_null(0).to_numpy(zero_copy_only=False), 0.0)
    places = _array(digits).to_numpy(zero_copy_only=False)
    scaled = np.abs(numbers) * _POWERS[places]
    if not (scaled < _MOST).all():
        raise ArithmeticError("a number with too many digits")
    found = np.floor(scaled + 0.5).astype(np.int64) * np.where(numbers < 0, -1, 1)
    parts = scaled - np.floor(scaled)
    for row in np.flatnonzero(np.abs(parts - 0.5) <= scaled * _UNSURE):
        exact = Decimal(repr(float(numbers[row]))).scaleb(int(places[row]), _EXACT)
        found[row] = int(exact.to_integral_value(rounding))
    return pa.array(found, mask=~known)


def _array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
