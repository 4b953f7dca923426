"""Decimals with all the digits that Spark keeps, for whole columns at a time.

DuckDB has no division of decimals, and takes microseconds to round one of more than 18 digits. Here
both work on columns of 128-bit numbers, as on paper, a few digits at a time. Operands of a division
that need more than 64 bits are left to Python's decimals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.compiler.duckdb.functions import Division, Rounding

Words = npt.NDArray[np.int64]
Halves = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

_DIVISION = re.compile(r"\bdivide_exactly_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)\b")
_ROUNDING = re.compile(r"\bround_exactly_(\d+)_(\d+)_(\d+)_(\d+)\b")
_EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
_LARGEST_DIVISOR = 10**9
_CHUNK = 9
"""So many zeros can be brought down at once in 64 bits: a remainder is below the divisor."""
_HIGHEST = 10**38 >> 64
"""The upper half of the largest decimal."""
_HALF = np.uint64(32)
_LOWER = np.uint64(2**32 - 1)


@dataclass(frozen=True, slots=True)
class _ExactDivision(Division):
    """The division itself."""

    def function(self) -> Callable[..., pa.Array]:
        """The function itself."""
        return self._divide

    def _divide(self, one: pa.ChunkedArray, other: pa.ChunkedArray) -> pa.Array:
        dividends, divisors = (pa.concat_arrays(each.chunks) for each in (one, other))
        above, fits_above = _words(dividends)
        below, fits_below = _words(divisors)
        known = _known(dividends) & _known(divisors)
        quick = known & fits_above & fits_below & (below != 0) & (abs(below) < _LARGEST_DIVISOR)
        quotients, fit = self._on_paper(above, np.where(quick, below, 1))
        quick &= fit
        found = quotients.decimals(quick, 38, self.quotient_scale)
        rest = np.flatnonzero(known & ~quick)
        if not len(rest):
            return found
        slow = [self._exactly(dividends[place].as_py(), divisors[place].as_py()) for place in rest]
        values = found.to_pylist()
        for place, value in zip(rest, slow, strict=True):
            values[place] = value
        return pa.array(values, found.type)

    def _on_paper(self, above: Words, below: Words) -> tuple[_Wide, Mask]:
        """Quotients as whole numbers, rounded half up, and whether they are right."""
        zeros = self.quotient_scale + self.divisor_scale - self.scale
        divisors = abs(below)
        whole, rests = np.divmod(abs(above), divisors)
        quotients = _Wide(np.zeros(len(whole), dtype=np.uint64), whole.astype(np.uint64))
        fit = np.full(len(whole), zeros >= 0)
        while zeros > 0:
            step = min(_CHUNK, zeros)
            zeros -= step
            digits, rests = np.divmod(rests * 10**step, divisors)
            fit &= quotients.high < _HIGHEST // 10**step
            quotients = quotients.with_digits(10**step, digits)
        quotients = quotients.with_digits(1, (2 * rests >= divisors).astype(np.int64))
        return quotients.negated(np.asarray((above < 0) != (below < 0))), fit

    def _exactly(self, dividend: Decimal, divisor: Decimal) -> Decimal:
        quotient = _EXACT.divide(dividend, divisor)
        return quotient.quantize(Decimal(1).scaleb(-self.quotient_scale), context=_EXACT)


@dataclass(frozen=True, slots=True)
class _ExactRounding(Rounding):
    """The rounding itself."""

    def function(self) -> Callable[..., pa.Array]:
        """The function itself."""
        return self._round

    def _round(self, column: pa.ChunkedArray) -> pa.Array:
        values = pa.concat_arrays(column.chunks)
        low, high = _halves(values)
        minus, known = high.view(np.int64) < 0, _known(values)
        rounded = _Wide(high, low).negated(minus).shortened(self.scale - self.kept_scale)
        if (known & rounded.exceeds(self.kept_digits)).any():
            raise ArithmeticError("a number with too many digits")
        return rounded.negated(minus).decimals(known, self.kept_digits, self.kept_scale)


DecimalFunction = _ExactDivision | _ExactRounding


def decimal_functions(sql: str) -> set[DecimalFunction]:
    """Those that a statement uses."""
    found: set[DecimalFunction] = {
        _ExactDivision(*map(int, numbers)) for numbers in _DIVISION.findall(sql)
    }
    return found | {_ExactRounding(*map(int, numbers)) for numbers in _ROUNDING.findall(sql)}


def _halves(decimals: pa.Array) -> tuple[Halves, Halves]:
    """The lower and the upper halves of 128-bit numbers; where NULL, anything."""
    words = np.frombuffer(decimals.buffers()[1], dtype=np.uint64)
    words = words[2 * decimals.offset :][: 2 * len(decimals)]
    return words[::2], words[1::2]


def _words(decimals: pa.Array) -> tuple[Words, Mask]:
    """The lower halves of 128-bit numbers, and whether they say it all; where NULL, anything."""
    low, high = (half.view(np.int64) for half in _halves(decimals))
    least = np.iinfo(np.int64).min
    return np.where(low == least, 0, low), (high == low >> 63) & (low != least)


@dataclass(frozen=True, slots=True)
class _Wide:
    """Whole numbers of 128 bits in two halves."""

    high: Halves
    low: Halves

    def with_digits(self, power: int, digits: Words) -> _Wide:
        """More digits behind those it has; the power of ten, and they, have 32 bits."""
        factor = np.uint64(power)
        first = (self.low & _LOWER) * factor + digits.astype(np.uint64)
        second = (self.low >> _HALF) * factor + (first >> _HALF)
        low = (second << _HALF) | (first & _LOWER)
        return _Wide(self.high * factor + (second >> _HALF), low)

    def negated(self, where: Mask) -> _Wide:
        """The numbers, some of them with a minus."""
        low = ~self.low + np.uint64(1)
        high = ~self.high + (low == 0).astype(np.uint64)
        return _Wide(np.where(where, high, self.high), np.where(where, low, self.low))

    def shortened(self, digits: int) -> _Wide:
        """The numbers, which have no minus, without their last digits, rounded half up."""
        found = self
        while digits > 1:
            step = min(_CHUNK, digits - 1)
            found = found._divided(10**step)
            digits -= step
        # The last digit alone decides: whatever went before it is less than one of it.
        return found.with_digits(1, np.full(len(self.low), 5))._divided(10)

    def _divided(self, divisor: int) -> _Wide:
        """The numbers by one that has 32 bits, what is left over dropped."""
        by = np.uint64(divisor)
        found = []
        rest = np.zeros(len(self.low), dtype=np.uint64)
        for part in (self.high >> _HALF, self.high & _LOWER, self.low >> _HALF, self.low & _LOWER):
            digit, rest = np.divmod((rest << _HALF) | part, by)
            found.append(digit)
        return _Wide((found[0] << _HALF) | found[1], (found[2] << _HALF) | found[3])

    def exceeds(self, digits: int) -> Mask:
        """Which of the numbers, which have no minus, have more digits."""
        least = 10**digits
        high, low = np.uint64(least >> 64), np.uint64(least & (2**64 - 1))
        found: Mask = (self.high > high) | ((self.high == high) & (self.low >= low))
        return found

    def decimals(self, known: Mask, digits: int, scale: int) -> pa.Array:
        """The known ones as decimals of so many digits, and so many of them behind the point."""
        words = np.empty(2 * len(self.low), dtype=np.uint64)
        words[::2], words[1::2] = self.low, self.high
        valid = np.packbits(known, bitorder="little")
        buffers = [pa.py_buffer(valid.tobytes()), pa.py_buffer(words)]
        return pa.Array.from_buffers(pa.decimal128(digits, scale), len(self.low), buffers)


def _known(decimals: pa.Array) -> Mask:
    known: Mask = decimals.is_valid().to_numpy(zero_copy_only=False)
    return known
