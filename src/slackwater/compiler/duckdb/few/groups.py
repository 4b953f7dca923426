"""Aggregates over the rows of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from slackwater.compiler.duckdb.few.bindings import Bindings, Evaluator, Row, Value, unknown
from slackwater.compiler.duckdb.few.conditions import condition
from slackwater.compiler.duckdb.few.conversions import fitting
from slackwater.compiler.duckdb.types import is_exact
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.expr.result_types import sum_type

GroupEvaluator = Callable[[Sequence[Row]], Value]
"""The value of an aggregate over all rows of a group."""
_Reduction = Callable[[list[Value]], Value]
"""The value of an aggregate over the values that are not NULL."""


def compile_aggregate(expr: Expr, bindings: Bindings) -> GroupEvaluator:
    """Compile an aggregate to a function, or raise NotLocalError if its meaning is not known."""
    if not isinstance(expr, AggregateCall) or len(expr.args) != 1 or expr.order or expr.params:
        raise unknown("such an aggregate")
    if expr.function not in _REDUCTIONS or (expr.distinct and expr.function != "count"):
        raise unknown(f"the aggregate {expr.function}")
    (given,) = expr.args
    if not is_exact(given.dtype):
        raise unknown("an aggregate over such values")
    value, reduction = bindings.evaluator(given), _REDUCTIONS[expr.function](expr)
    where = None if expr.where is None else condition(expr.where, bindings)
    return _over_rows(value, where, reduction)


def _over_rows(value: Evaluator, where: Evaluator | None, reduction: _Reduction) -> GroupEvaluator:
    def evaluate(rows: Sequence[Row]) -> Value:
        kept = rows if where is None else [row for row in rows if where(row) is True]
        found = [value(row) for row in kept]
        return reduction([each for each in found if each is not None])

    return evaluate


def _sum(call: AggregateCall) -> _Reduction:
    if call.dtype != sum_type(call.args):
        raise unknown("a sum of another type")
    check = fitting(call.dtype)
    return lambda values: check(sum(values)) if values else None


def _count(call: AggregateCall) -> _Reduction:
    (value,) = call.args
    if call.distinct and isinstance(value, Literal):
        raise unknown("a count of different constants")
    return (lambda values: len(set(values))) if call.distinct else len


def _extreme(choose: Callable[[list[Value]], Value]) -> Callable[[AggregateCall], _Reduction]:
    return lambda _call: lambda values: choose(values) if values else None


_REDUCTIONS: Mapping[str, Callable[[AggregateCall], _Reduction]] = {
    "sum": _sum,
    "count": _count,
    "min": _extreme(min),
    "max": _extreme(max),
}
