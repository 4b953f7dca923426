"""Division of decimals with all the digits that Spark keeps, which DuckDB does not have.

Most operands are whole numbers of 64 bits but for their point. Those are divided as on paper, a
few digits of the quotient at a time, which DuckDB does quickly for whole columns. For the others,
and for a divisor of zero, a function of ours divides row by row.
"""

from __future__ import annotations

from slackwater.runtime.local.forms.base import DIVIDE
from slackwater.types import DecimalType

_DIGITS = 18
"""Any whole number with so many digits has 64 bits."""
_DIVISOR_DIGITS = 9
_CHUNK = _DIGITS - _DIVISOR_DIGITS
"""So many zeros can be brought down at once: a remainder is smaller than the divisor."""
_MAX_DIGITS = 38


def quotient(dividend: str, one: DecimalType, divisor: str, other: DecimalType, scale: int) -> str:
    """The dividend by the divisor, rounded half up, with `scale` digits behind the point."""
    slow = f"{DIVIDE}(CAST({dividend} AS VARCHAR), CAST({divisor} AS VARCHAR), {scale})"
    slow = f"CAST({slow} AS DECIMAL(38, {scale}))"
    zeros = scale + other.scale - one.scale
    digits = min(one.precision, _dividend_digits(one.scale))
    below = min(other.precision, _DIVISOR_DIGITS)
    fits = (
        zeros >= 0
        and digits > one.scale
        and below > other.scale
        and zeros + 1 + scale <= _MAX_DIGITS
        # The text of each operand comes several times: quotients of quotients would explode.
        and DIVIDE not in dividend + divisor
    )
    if not fits:
        return slow
    left = f"abs({_whole(dividend, digits, one.scale)})"
    right = f"abs({_whole(divisor, below, other.scale)})"
    sign = f"(CASE WHEN ({dividend} < 0) <> ({divisor} < 0) THEN -1 ELSE 1 END)"
    exact = _on_paper(left, right, zeros, scale)
    return (
        f"(CASE WHEN {dividend} IS NULL OR {divisor} IS NULL THEN NULL"
        f" WHEN {_within(dividend, digits, one)} AND {_within(divisor, below, other)}"
        f" AND {divisor} <> 0 THEN {sign} * {exact} ELSE {slow} END)"
    )


def _dividend_digits(scale: int) -> int:
    """As many as leave 64 bits enough to take the point away, unless those are too few."""
    return _DIGITS - 1 - scale if scale <= _DIGITS // 6 else _DIGITS


def _on_paper(left: str, right: str, zeros: int, scale: int) -> str:
    """Whole numbers divided, with so many zeros behind the first, as a decimal."""
    parts = [_decimal(f"({left} // {right})", _DIGITS + 1, scale - zeros)]
    rest, done = f"({left} % {right})", 0
    while done < zeros:
        step = min(_CHUNK, zeros - done)
        done += step
        rest = f"({rest} * {10**step})"
        parts.append(_decimal(f"({rest} // {right})", step, scale - zeros + done))
        rest = f"({rest} % {right})"
    parts.append(_decimal(f"(CASE WHEN 2 * {rest} >= {right} THEN 1 ELSE 0 END)", 1, scale))
    return "(" + " + ".join(f"CAST({part} AS DECIMAL(38, {scale}))" for part in parts) + ")"


def _decimal(number: str, digits: int, scale: int) -> str:
    """A whole number of so many digits with its point moved to the left, or to the right."""
    whole = f"CAST({number} AS DECIMAL({digits}, 0))"
    if scale <= 0:
        return f"{whole} * CAST(1{'0' * -scale} AS DECIMAL({1 - scale}, 0))" if scale else whole
    return f"{whole} * CAST(0.{'0' * (scale - 1)}1 AS DECIMAL({scale}, {scale}))"


def _within(value: str, digits: int, dtype: DecimalType) -> str:
    """Whether a value has no more than so many digits, those behind the point included."""
    if digits >= dtype.precision:
        return "TRUE"
    return f"abs({value}) < CAST(1{'0' * (digits - dtype.scale)} AS HUGEINT)"


def _whole(value: str, digits: int, scale: int) -> str:
    """A value of no more than so many digits without its point."""
    point = f"CAST(1{'0' * scale} AS DECIMAL({scale + 1}, 0))"
    # DuckDB multiplies in 64 bits if both types have no more, whether the product has or not.
    width = digits if digits + scale < _DIGITS else _DIGITS + 1
    return f"CAST(CAST({value} AS DECIMAL({width}, {scale})) * {point} AS BIGINT)"
