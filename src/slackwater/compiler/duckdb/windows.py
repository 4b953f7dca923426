"""Functions over windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.aggregates import write_over
from slackwater.compiler.duckdb.casts import under
from slackwater.compiler.duckdb.literals import write_literal
from slackwater.compiler.duckdb.orders import comparable, key_text, sorted_by, write_order
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Call,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.types import (
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    IntervalType,
    is_floating,
    is_integral,
)

CallForm = Callable[[WindowCall, Call, Scope], str]
"""Writes calls of one window function, without the OVER clause."""
_DAY = 86_400_000_000
_FRAMED = frozenset(("sum", "avg", "count", "min", "max", "bit_and", "bit_or", "bit_xor"))
"""Aggregates whose answer over a frame does not depend on the order of rows, but for doubles."""
_EXACT_SUM = 2**53
_ROUNDING = 2_000_000
"""Sums of n doubles differ by less than 1e-9, in whatever order, if their absolute values, summed,
are not larger than this many n-ths of them: each of n additions rounds by at most 2 ** -53."""


def write_window(
    call: WindowCall, partition: tuple[Expr, ...], order: tuple[SortKey, ...], scope: Scope
) -> str:
    """A function over a window."""
    function = call.function
    over = f" OVER ({_over(call, partition, order, scope)})"
    if isinstance(function, AggregateCall):
        return _aggregate(call, function, over, bool(order), scope)
    form = _FUNCTIONS.get(function.function)
    if form is None or (call.ignore_nulls and function.function not in _PASSING_OVER):
        raise refused(function, "such a function over a window")
    written = f"{form(call, function, scope)}{over}"
    return f"CAST({written} AS INTEGER)" if function.dtype == INTEGER else written


def _aggregate(
    call: WindowCall, function: AggregateCall, over: str, ordered: bool, scope: Scope
) -> str:
    if call.ignore_nulls or function.where is not None or function.distinct:
        raise refused(function, "such an aggregate over a window")
    if function.function in ("first", "last") and len(function.args) == 1:
        (value,) = function.args
        passing = " IGNORE NULLS" if function.params else ""
        return f"{function.function}_value({scope.text(value)}{passing}){over}"
    if function.function not in _FRAMED:
        raise refused(function, "such an aggregate over a window")
    written = write_over(function, scope, over)
    if ordered and function.function in ("sum", "avg") and function.dtype == DOUBLE:
        return _if_any_order_agrees(written, function, over, scope)
    return written


def _if_any_order_agrees(written: str, function: AggregateCall, over: str, scope: Scope) -> str:
    """A sum or average of doubles; an error if another order of additions would tell.

    Spark adds the rows of a frame one by one, DuckDB adds up sums of sixteen.
    """
    (value,) = function.args
    text = f"CAST({scope.text(value)} AS DOUBLE)"
    size = f"(sum(abs({text})) FILTER (WHERE isfinite({text})){over})"
    total = f"(sum({text}){over})"
    count = f"(count({text}){over})"
    exact = f" OR {size} <= {_EXACT_SUM}" if is_integral(value.dtype) else ""
    near = f"{count} * {size} <= {_ROUNDING} * abs({total})"
    alike = f"{size} IS NULL OR {size} = 0{exact}"
    alike += f" OR (isfinite({size}) AND (NOT isfinite({total}) OR {near}))"
    fails = "CAST(error('a sum that depends on the order of rows') AS DOUBLE)"
    return f"(CASE WHEN {alike} THEN {written} ELSE {fails} END)"


def _rank(_window: WindowCall, call: Call, _scope: Scope) -> str:
    if call.args:
        raise refused(call, "such a rank")
    return f"{call.function}()"


def _tiles(_window: WindowCall, call: Call, _scope: Scope) -> str:
    (count,) = call.args
    if _whole_number(count) < 1:
        raise refused(call, "such tiles")
    return f"ntile({_whole_number(count)})"


def _shifted(window: WindowCall, call: Call, scope: Scope) -> str:
    """A value some rows away; NULLs are passed over only at a distance, where engines agree."""
    value, distance, *default = call.args
    rows = _whole_number(distance)
    if window.ignore_nulls and rows == 0:
        raise refused(call, "such a distance")
    texts = [scope.text(value), str(rows)]
    texts += [under(each, call.dtype, scope) for each in default if each.dtype != VOID]
    return f"{call.function}({', '.join(texts)}{_passing(window)})"


def _nth(window: WindowCall, call: Call, scope: Scope) -> str:
    value, place = call.args
    if _whole_number(place) < 1:
        raise refused(call, "such a place")
    return f"nth_value({scope.text(value)}, {_whole_number(place)}{_passing(window)})"


def _passing(window: WindowCall) -> str:
    return " IGNORE NULLS" if window.ignore_nulls else ""


def _whole_number(expr: Expr) -> int:
    if not isinstance(expr, Literal) or expr.value is None or not is_integral(expr.dtype):
        raise refused(expr, "a number of rows that is not written out")
    return int(expr.value)


_FUNCTIONS: Mapping[str, CallForm] = {
    "row_number": _rank,
    "rank": _rank,
    "dense_rank": _rank,
    "percent_rank": _rank,
    "cume_dist": _rank,
    "ntile": _tiles,
    "lag": _shifted,
    "lead": _shifted,
    "nth_value": _nth,
}
_PASSING_OVER = frozenset(("lag", "lead", "nth_value"))


def _over(
    call: WindowCall, partition: tuple[Expr, ...], order: tuple[SortKey, ...], scope: Scope
) -> str:
    parts = []
    if partition:
        parts.append(f"PARTITION BY {', '.join(key_text(key, scope) for key in partition)}")
    if call.frame is not None and _has_distance(call.frame):
        return " ".join((*parts, *_with_distances(call, call.frame, order, scope)))
    if order:
        parts.append(f"ORDER BY {write_order(order, scope)}")
    if call.frame is not None:
        edges = (call.frame.lower.kind.value, call.frame.upper.kind.value)
        parts.append(f"{call.frame.unit.value} BETWEEN {edges[0]} AND {edges[1]}")
    return " ".join(parts)


def _has_distance(frame: Frame) -> bool:
    return BoundKind.OFFSET in (frame.lower.kind, frame.upper.kind)


def _with_distances(
    call: WindowCall, frame: Frame, order: tuple[SortKey, ...], scope: Scope
) -> tuple[str, str]:
    """The order, and a frame with a distance in rows or in what a single key counts."""
    bounds = (frame.lower, frame.upper)
    if frame.unit is FrameUnit.ROWS:
        distances = [_bound(each, _rows_away) for each in bounds]
        return f"ORDER BY {write_order(order, scope)}", _between(frame, distances)
    if len(order) != 1:
        raise refused(call.function, "a distance between several keys")
    (key,) = order
    text, away = _counted(key.expr, scope)
    distances = [_bound(each, away) for each in bounds]
    return f"ORDER BY {sorted_by(text, key)}", _between(frame, distances)


def _between(frame: Frame, distances: list[str]) -> str:
    return f"{frame.unit.value} BETWEEN {distances[0]} AND {distances[1]}"


Distance = Callable[[Literal], tuple[bool, str]]
"""A distance: True if it is one to rows before, and its text without the sign."""


def _bound(bound: FrameBound, away: Distance) -> str:
    if bound.offset is None:
        return bound.kind.value
    if not isinstance(bound.offset, Literal) or bound.offset.value is None:
        raise refused(bound.offset, "a distance that is not written out")
    before, text = away(bound.offset)
    return f"{text} {'PRECEDING' if before else 'FOLLOWING'}"


def _rows_away(offset: Literal) -> tuple[bool, str]:
    rows = _whole_number(offset)
    return rows < 0, str(abs(rows))


def _counted(key: Expr, scope: Scope) -> tuple[str, Distance]:
    """A key as a number to which distances are added, so that what overflows in Spark does here."""
    dtype, text = key.dtype, comparable(key, scope)
    if is_integral(dtype) or isinstance(dtype, DecimalType):
        return text, _number_away(dtype)
    if dtype == DATE:
        return f"CAST({text} - DATE '1970-01-01' AS INTEGER)", _number_away(INTEGER)
    if dtype in (TIMESTAMP, TIMESTAMP_NTZ):
        # DuckDB gives the first and last moments no number.
        fails = "CAST(error('a moment at the end of time') AS BIGINT)"
        micros = f"CASE WHEN isinf({text}) THEN {fails} ELSE epoch_us({text}) END"
        return micros, _time_away(dtype)
    raise refused(key, "a distance between such values")


def _number_away(dtype: DataType) -> Distance:
    def away(offset: Literal) -> tuple[bool, str]:
        value = offset.value or ""
        if offset.dtype != dtype or is_floating(dtype):
            raise refused(offset, "a distance of another type")
        return value.startswith("-"), write_literal(Literal(value.removeprefix("-"), dtype))

    return away


def _time_away(dtype: DataType) -> Distance:
    """Microseconds; where clocks are changed, days of a time zone are not all alike."""

    def away(offset: Literal) -> tuple[bool, str]:
        if not isinstance(offset.dtype, IntervalType) or offset.dtype.start in ("YEAR", "MONTH"):
            raise refused(offset, "a distance in months")
        micros = int(offset.value or 0)
        if dtype == TIMESTAMP and abs(micros) >= _DAY:
            raise refused(offset, "a distance of days in a time zone")
        return micros < 0, f"CAST({abs(micros)} AS BIGINT)"

    return away
