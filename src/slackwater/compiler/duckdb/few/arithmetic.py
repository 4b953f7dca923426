"""Arithmetic on whole numbers and on decimals whose digits all fit the result."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.few.bindings import (
    Bindings,
    CallCompiler,
    Evaluator,
    Row,
    Value,
    unknown,
)
from slackwater.compiler.duckdb.few.conversions import Conversion, conversion, fitting
from slackwater.compiler.duckdb.types import as_decimal
from slackwater.expr.nodes import Call
from slackwater.expr.result_types import add, multiply
from slackwater.types import DecimalType, is_integral

_SIGNED_DIGITS = 34
"""Spark drops the digits behind these where it changes the sign of a longer decimal."""
_MAX_DIGITS = 38
_Operation = Callable[[int, int], int]


def _sum_or_difference(operation: _Operation) -> CallCompiler:
    def compiled(call: Call, bindings: Bindings) -> Evaluator:
        both = _decimals(call)
        if both is None:
            return _on_whole_numbers(operation, call, bindings)
        scale = max(each.scale for each in both)
        whole = max(each.precision - each.scale for each in both)
        result = call.dtype
        if result != add(call.args) or not isinstance(result, DecimalType):
            raise unknown("a sum of another type")
        if result.scale != scale:
            raise unknown("a sum that is rounded")
        if whole + scale > _MAX_DIGITS:
            raise unknown("a sum with more than 38 digits")
        aligned = DecimalType(_MAX_DIGITS, scale)
        left, right = (conversion(each, aligned) for each in both)
        return _binary(lambda a, b: operation(left(a), right(b)), call, bindings)

    return compiled


def _product(call: Call, bindings: Bindings) -> Evaluator:
    both = _decimals(call)
    if both is None:
        return _on_whole_numbers(operator.mul, call, bindings)
    result = call.dtype
    if result != multiply(call.args) or not isinstance(result, DecimalType):
        raise unknown("a product of another type")
    if result.scale != sum(each.scale for each in both):
        raise unknown("a product that is rounded")
    return _binary(operator.mul, call, bindings)


def _on_whole_numbers(operation: _Operation, call: Call, bindings: Bindings) -> Evaluator:
    if not is_integral(call.dtype) or any(each.dtype != call.dtype for each in call.args):
        raise unknown("arithmetic on such values")
    return _binary(operation, call, bindings)


def _decimals(call: Call) -> tuple[DecimalType, DecimalType] | None:
    one, other = (each.dtype for each in call.args)
    if isinstance(one, DecimalType) and isinstance(other, DecimalType):
        return one, other
    return None


def _binary(operation: _Operation, call: Call, bindings: Bindings) -> Evaluator:
    (left, right), check = bindings.evaluators(call.args), fitting(call.dtype)

    def evaluate(row: Row) -> Value:
        one, other = left(row), right(row)
        return None if one is None or other is None else check(operation(one, other))

    return evaluate


def _sign(operation: Conversion) -> CallCompiler:
    def compiled(call: Call, bindings: Bindings) -> Evaluator:
        (given,) = call.args
        number = as_decimal(given.dtype)
        if number is None or number.precision > _SIGNED_DIGITS or call.dtype != given.dtype:
            raise unknown("the sign of such a number")
        value, check = bindings.evaluator(given), fitting(call.dtype)

        def evaluate(row: Row) -> Value:
            found = value(row)
            return None if found is None else check(operation(found))

        return evaluate

    return compiled


CALLS: Mapping[str, CallCompiler] = {
    "+": _sum_or_difference(operator.add),
    "-": _sum_or_difference(operator.sub),
    "*": _product,
    "negative": _sign(operator.neg),
    "abs": _sign(abs),
}
