"""The distance that the functions of a window look: in rows, and in units of its order's key."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from slackwater.algebra.operators import Window
from slackwater.expr.aggregates import AGGREGATES
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    WindowCall,
)
from slackwater.types import (
    DATE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    IntervalType,
    is_integral,
)

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_MOST_ROWS = 10_000
"""Windows that see more rows than this are most of a partition."""
_SHIFTING = ("lag", "lead")


@dataclass(frozen=True, slots=True)
class Reach:
    """The distance that the functions of a window look back, and ahead, from a row.

    Distances are in the whole numbers that keys have (`order_buckets.py`); None if no function
    asks for the rows within one.
    """

    rows_back: int = 0
    rows_ahead: int = 0
    back: int | None = None
    ahead: int | None = None

    def joined(self, other: Reach) -> Reach:
        """The farther of both."""
        return Reach(
            max(self.rows_back, other.rows_back),
            max(self.rows_ahead, other.rows_ahead),
            _farther(self.back, other.back),
            _farther(self.ahead, other.ahead),
        )

    def buckets_back(self, shift: int) -> int:
        """The number of buckets of so many bits that the distance back may cross."""
        return _crossed(self.back, shift)

    def buckets_ahead(self, shift: int) -> int:
        """The number of buckets of so many bits that the distance ahead may cross."""
        return _crossed(self.ahead, shift)


def _farther(one: int | None, other: int | None) -> int | None:
    return max((each for each in (one, other) if each is not None), default=None)


def _crossed(distance: int | None, shift: int) -> int:
    return (distance >> shift) + 1 if distance else 0


def follows_rows(call: WindowCall) -> bool:
    """Tell if a function looks at rows by their place, so that rows of equal keys must differ."""
    return call.frame is None or call.frame.unit is FrameUnit.ROWS


def reach_of(rel: Window) -> Reach | str:
    """Find how far the functions of a window look, or why there is no telling."""
    found = Reach()
    for output in rel.functions:
        reach = _of_call(output.expr, rel.order[0].expr.dtype)
        if isinstance(reach, str):
            return reach
        found = found.joined(reach)
    return found


def _of_call(call: Expr, key: DataType) -> Reach | str:
    if not isinstance(call, WindowCall):
        return "a column is no window function"
    function = call.function
    if call.frame is None:
        if function.function not in _SHIFTING:
            return f"{function.function} depends on all rows before"
        if call.ignore_nulls:
            return f"{function.function} passes over NULLs, however many"
        return _of_shift(function.function, function.args[1])
    if call.frame.unit is FrameUnit.ROWS:
        return _of_rows(call.frame)
    if isinstance(function, AggregateCall) and AGGREGATES[function.function].follows_order:
        return f"{function.function} depends on the order of equal rows"
    return _of_range(call.frame, key)


def _of_shift(function: str, distance: Expr) -> Reach | str:
    rows = _whole(distance)
    if rows is None or abs(rows) > _MOST_ROWS:
        return f"{function} has no short distance that is written out"
    back = rows if function == "lag" else -rows
    return Reach(rows_back=max(back, 0), rows_ahead=max(-back, 0))


def _of_rows(frame: Frame) -> Reach | str:
    edges = [_rows_away(each) for each in (frame.lower, frame.upper)]
    if None in edges or any(abs(each or 0) > _MOST_ROWS for each in edges):
        return "a frame has no short distances in rows that are written out"
    lower, upper = (each or 0 for each in edges)
    return Reach(rows_back=max(-lower, 0), rows_ahead=max(upper, 0))


def _rows_away(bound: FrameBound) -> int | None:
    if bound.kind is BoundKind.CURRENT_ROW:
        return 0
    return None if bound.offset is None else _whole(bound.offset)


def _of_range(frame: Frame, key: DataType) -> Reach | str:
    edges = [_distance(each, key) for each in (frame.lower, frame.upper)]
    if None in edges:
        return "a frame has no distances in its order that are written out and always as long"
    lower, upper = (each or 0 for each in edges)
    return Reach(back=max(-lower, 0), ahead=max(upper, 0))


def _distance(bound: FrameBound, key: DataType) -> int | None:
    """The distance of a frame's bound, rounded up: ahead, or back if it is negative."""
    if bound.kind is BoundKind.CURRENT_ROW:
        return 0
    offset = bound.offset
    if not isinstance(offset, Literal) or offset.value is None:
        return None
    size = _counted(offset, key)
    if size is None:
        return None
    return -size if offset.value.startswith("-") else size


def _counted(offset: Literal, key: DataType) -> int | None:
    value, dtype = (offset.value or "").removeprefix("-"), offset.dtype
    timed = isinstance(dtype, IntervalType) and not dtype.counts_months
    if is_integral(dtype):
        return int(value) if is_integral(key) or key == DATE else None
    if isinstance(dtype, DecimalType):
        return ceil(Decimal(value)) + 1 if isinstance(key, DecimalType) else None
    if timed and key == DATE:
        return -(-int(value) // _DAY)
    if timed and key == TIMESTAMP_NTZ:
        return -(-int(value) // _SECOND) + 1
    if timed and key == TIMESTAMP:
        # Days of a time zone in which clocks or the date are changed are longer.
        return int(value) + (2 * _DAY if int(value) >= _DAY else 0)
    return None


def _whole(expr: Expr) -> int | None:
    if isinstance(expr, Literal) and expr.value is not None and is_integral(expr.dtype):
        return int(expr.value)
    return None
