"""Order buckets: the rows of a window's order in stretches, by a number that each row has itself.

The bucket of a row is its first ORDER BY key, as a whole number, without its last bits. Buckets
are numbered in the direction of the order: a row that comes before another is never in a later
bucket, and rows with equal keys are in one. How rows are spread over buckets decides what a
change costs, never what it gives.

    ORDER BY n, three bits:  -9, 0, 7, 8, NULL  are in buckets  -2, 0, 0, 1, 2^62
"""

from __future__ import annotations

from slackwater.expr.build import case, cast, is_null, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Literal, SortKey
from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    is_floating,
    is_integral,
)

LEAST_SHIFT, MOST_SHIFT = 2, 60
"""The fewest bits keep differences of buckets within BIGINT."""
_NULLS = 2**62
_LARGEST = "1E18"
_MOST_DIGITS = 18
_DAY_SECONDS = 86_400


def has_bucket(dtype: DataType) -> bool:
    """Tell if keys of a type have a whole number that both engines know and that keeps order."""
    if isinstance(dtype, DecimalType):
        return dtype.precision - dtype.scale <= _MOST_DIGITS
    return is_integral(dtype) or is_floating(dtype) or dtype in (DATE, TIMESTAMP, TIMESTAMP_NTZ)


def order_bucket(key: SortKey, shift: int) -> Expr:
    """The bucket of rows by their key; `shift` is the number of bits left out.

    >>> from slackwater.expr.sql import ExpressionPrinter
    >>> from slackwater.expr.nodes import ColumnId, ColumnRef
    >>> day = ColumnRef(ColumnId(1), "day", DATE, False)
    >>> ExpressionPrinter(lambda column: column.name).text(order_bucket(SortKey(day), 3))
    'shiftright(CAST(unix_date(day) AS BIGINT), 3)'
    """
    value = key.expr
    found = call("shiftright", whole_number_of(value), number(shift, INTEGER))
    found = found if key.ascending else call("~", found)
    if not value.nullable:
        return found
    return case(is_null(value), number(-_NULLS if key.nulls_first else _NULLS), found)


def whole_number_of(value: Expr) -> Expr:
    """A key as a whole number: days, microseconds, seconds without a zone, or the number below."""
    dtype = value.dtype
    if dtype == DATE:
        return cast(call("unix_date", value), BIGINT)
    if dtype == TIMESTAMP:
        return call("unix_micros", value)
    if dtype == TIMESTAMP_NTZ:
        return _seconds(value)
    if is_floating(dtype):
        # NaN, the greatest of all, is taken for the largest number.
        most, least = (Literal(each, DOUBLE) for each in (_LARGEST, f"-{_LARGEST}"))
        return call("floor", call("greatest", call("least", cast(value, DOUBLE), most), least))
    return cast(call("floor", value) if isinstance(dtype, DecimalType) else value, BIGINT)


def _seconds(value: Expr) -> Expr:
    """The seconds of a local time since 1970, by parts that depend on no time zone."""
    parts = (
        (call("unix_date", cast(value, DATE)), _DAY_SECONDS),
        (call("hour", value), 3_600),
        (call("minute", value), 60),
    )
    total: Expr = cast(call("second", value), BIGINT)
    for part, size in parts:
        total = call("+", call("*", cast(part, BIGINT), number(size)), total)
    return total
