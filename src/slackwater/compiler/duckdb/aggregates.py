"""Aggregates, also filtered ones, and functions over windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.float_keys import as_key
from slackwater.compiler.duckdb.functions import Division
from slackwater.compiler.duckdb.limbs import write_far_limbs
from slackwater.compiler.duckdb.logic import condition
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import MAX_DIGITS, duckdb_type, is_simple
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Expr,
    Frame,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.expr.result_types import average_type, sum_type
from slackwater.types import DecimalType, is_integral

AggregateForm = Callable[[AggregateCall, Scope, str], str]
"""Writes calls of one aggregate; also takes what follows the call: FILTER or OVER."""
_MORE_DIGITS = 10
"""A sum has so many digits more than what is summed."""
_COUNT = DecimalType(20, 0)


def write_aggregate(call: AggregateCall, scope: Scope) -> str:
    """An aggregate over a group."""
    if call.function == "far_limbs":
        return write_far_limbs(call, scope)
    only = "" if call.where is None else f" FILTER (WHERE {condition(call.where, scope)})"
    return _applied(call, scope, only)


def _applied(call: AggregateCall, scope: Scope, after: str) -> str:
    form = _AGGREGATES.get(call.function)
    if form is None or call.order or len(call.args) != 1:
        raise refused(call, f"such a use of {call.function}")
    if call.params and call.function != "first":
        raise refused(call, f"such a use of {call.function}")
    if call.distinct and call.function != "count":
        raise refused(call, f"{call.function} of different values")
    return form(call, scope, after)


def _sum(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    dtype = value.dtype
    if call.dtype != sum_type(call.args):
        raise refused(call, "a sum of another type")
    if is_integral(dtype):
        return f"CAST(sum({scope.text(value)}){after} AS BIGINT)"
    if not isinstance(dtype, DecimalType):
        raise refused(call, "a sum of such values")
    total = _total(scope.text(value), dtype, after)
    if dtype.precision + _MORE_DIGITS < MAX_DIGITS:
        return f"CAST({total} AS {duckdb_type(call.dtype)})"
    return total


def _total(text: str, dtype: DecimalType, after: str) -> str:
    """The sum, as a decimal of 38 digits; DuckDB counts them when it adds, not when it sums."""
    total = f"sum({text}){after}"
    if dtype.precision + _MORE_DIGITS < MAX_DIGITS:
        return total
    return f"({total} + CAST(0 AS DECIMAL({MAX_DIGITS},{dtype.scale})))"


def _average(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    dtype, result = value.dtype, call.dtype
    if not isinstance(dtype, DecimalType) or not isinstance(result, DecimalType):
        raise refused(call, "an average of such values")
    if result != average_type(call.args):
        raise refused(call, "an average of another type")
    text = scope.text(value)
    count = f"CAST(nullif(count({text}){after}, 0) AS {duckdb_type(_COUNT)})"
    division = Division(MAX_DIGITS, dtype.scale, _COUNT.precision, _COUNT.scale, result.scale)
    quotient = f"{division.name}(({_total(text, dtype, after)}), {count})"
    return f"CAST({quotient} AS {duckdb_type(result)})"


def _count(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    if isinstance(value, Literal) and value.value is not None and not call.distinct:
        return f"count(*){after}"
    distinct = "DISTINCT " if call.distinct else ""
    return f"count({distinct}{_comparable(value, scope)}){after}"


def _extreme(function: str) -> AggregateForm:
    def form(call: AggregateCall, scope: Scope, after: str) -> str:
        (value,) = call.args
        return f"{function}({_comparable(value, scope)}){after}"

    return form


def _first(call: AggregateCall, scope: Scope, after: str) -> str:
    """The value of some row; with a parameter, of one that is not NULL."""
    function = "any_value" if call.params else "first"
    return f"{function}({scope.text(call.args[0])}){after}"


def _comparable(value: Expr, scope: Scope) -> str:
    """A value, if both engines order and equate values of its type alike."""
    if not is_simple(value.dtype):
        raise refused(value, "comparing a value")
    return scope.text(value)


_AGGREGATES: Mapping[str, AggregateForm] = {
    "sum": _sum,
    "avg": _average,
    "count": _count,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "first": _first,
}
_RANKS = frozenset(("row_number", "rank", "dense_rank"))
_EDGES = (BoundKind.UNBOUNDED_PRECEDING, BoundKind.CURRENT_ROW, BoundKind.UNBOUNDED_FOLLOWING)


def write_window(
    call: WindowCall, partition: tuple[Expr, ...], order: tuple[SortKey, ...], scope: Scope
) -> str:
    """A function over a window whose ends name no distance."""
    function = call.function
    if call.ignore_nulls:
        raise refused(function, "a window function that passes over NULLs")
    over = f" OVER ({_over(call, partition, order, scope)})"
    if function.function in _RANKS and not function.children:
        return f"CAST({function.function}(){over} AS INTEGER)"
    if (
        isinstance(function, AggregateCall)
        and function.function != "first"
        and function.where is None
        and not function.distinct
    ):
        return _applied(function, scope, over)
    raise refused(function, "such a function over a window")


def _over(
    call: WindowCall, partition: tuple[Expr, ...], order: tuple[SortKey, ...], scope: Scope
) -> str:
    parts = []
    if partition:
        parts.append(f"PARTITION BY {', '.join(_key(each, scope) for each in partition)}")
    if order:
        parts.append(f"ORDER BY {', '.join(_sort_key(key, scope) for key in order)}")
    if call.frame is not None and isinstance(call.function, AggregateCall):
        parts.append(_frame(call, call.frame))
    return " ".join(parts)


def _key(value: Expr, scope: Scope) -> str:
    return as_key(_comparable(value, scope), value.dtype)


def _sort_key(key: SortKey, scope: Scope) -> str:
    direction = "ASC" if key.ascending else "DESC"
    nulls = "FIRST" if key.nulls_first else "LAST"
    return f"{_key(key.expr, scope)} {direction} NULLS {nulls}"


def _frame(call: WindowCall, frame: Frame) -> str:
    edges = (frame.lower.kind, frame.upper.kind)
    if any(edge not in _EDGES for edge in edges):
        raise refused(call.function, "a window with a distance")
    return f"{frame.unit.value} BETWEEN {edges[0].value} AND {edges[1].value}"
