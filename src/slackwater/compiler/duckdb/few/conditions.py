"""Conditions, comparisons and choices, each part evaluated only where Spark does."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from slackwater.compiler.duckdb.error_guards import operands
from slackwater.compiler.duckdb.few.bindings import (
    Bindings,
    CallCompiler,
    Evaluator,
    Row,
    Value,
    unknown,
)
from slackwater.compiler.duckdb.few.conversions import together, under
from slackwater.expr.nodes import Call, Expr
from slackwater.types import BOOLEAN, VOID


def condition(expr: Expr, bindings: Bindings) -> Evaluator:
    """A value that is true, false or NULL."""
    if expr.dtype not in (BOOLEAN, VOID):
        raise unknown("a condition that is none")
    return bindings.evaluator(expr)


def _connective(decided: bool) -> CallCompiler:
    """AND or OR; `decided` is the value of a part that leaves nothing to those behind it."""

    def compiled(call: Call, bindings: Bindings) -> Evaluator:
        parts = [condition(each, bindings) for each in operands(call)]

        def evaluate(row: Row) -> Value:
            missing = False
            for part in parts:
                found = part(row)
                if found is decided:
                    return decided
                missing |= found is None
            return None if missing else not decided

        return evaluate

    return compiled


def _not(call: Call, bindings: Bindings) -> Evaluator:
    part = condition(call.args[0], bindings)

    def evaluate(row: Row) -> Value:
        found = part(row)
        return None if found is None else not found

    return evaluate


def _null_test(expected: bool) -> CallCompiler:
    def compiled(call: Call, bindings: Bindings) -> Evaluator:
        value = bindings.evaluator(call.args[0])
        return lambda row: (value(row) is None) is expected

    return compiled


def _comparison(compare: Callable[[Value, Value], bool]) -> CallCompiler:
    def compiled(call: Call, bindings: Bindings) -> Evaluator:
        left, right = together(call.args, bindings)

        def evaluate(row: Row) -> Value:
            one, other = left(row), right(row)
            return None if one is None or other is None else compare(one, other)

        return evaluate

    return compiled


def _null_safe_equality(call: Call, bindings: Bindings) -> Evaluator:
    left, right = together(call.args, bindings)
    return lambda row: bool(left(row) == right(row))


def _in(call: Call, bindings: Bindings) -> Evaluator:
    value, *options = together(call.args, bindings)
    if not options:
        raise unknown("IN without values")

    def evaluate(row: Row) -> Value:
        wanted = value(row)
        if wanted is None:
            return None
        missing = False
        for option in options:
            found = option(row)
            if found == wanted:
                return True
            missing |= found is None
        return None if missing else False

    return evaluate


def _case(call: Call, bindings: Bindings) -> Evaluator:
    args = call.args
    otherwise = args[-1] if len(args) % 2 else None
    pairs = list(zip(args[::2], args[1::2], strict=False))
    return _choice(call, pairs, otherwise, bindings)


def _if(call: Call, bindings: Bindings) -> Evaluator:
    when, then, otherwise = call.args
    return _choice(call, [(when, then)], otherwise, bindings)


def _choice(
    call: Call, pairs: Sequence[tuple[Expr, Expr]], otherwise: Expr | None, bindings: Bindings
) -> Evaluator:
    branches = [
        (condition(when, bindings), under(then, call.dtype, bindings)) for when, then in pairs
    ]
    last = None if otherwise is None else under(otherwise, call.dtype, bindings)

    def evaluate(row: Row) -> Value:
        for when, then in branches:
            if when(row) is True:
                return then(row)
        return None if last is None else last(row)

    return evaluate


def _coalesce(call: Call, bindings: Bindings) -> Evaluator:
    values = [under(each, call.dtype, bindings) for each in call.args]

    def evaluate(row: Row) -> Value:
        for value in values:
            found = value(row)
            if found is not None:
                return found
        return None

    return evaluate


CALLS: Mapping[str, CallCompiler] = {
    "and": _connective(False),
    "or": _connective(True),
    "not": _not,
    "isnull": _null_test(True),
    "isnotnull": _null_test(False),
    "=": _comparison(operator.eq),
    "<": _comparison(operator.lt),
    "<=": _comparison(operator.le),
    ">": _comparison(operator.gt),
    ">=": _comparison(operator.ge),
    "<=>": _null_safe_equality,
    "in": _in,
    "case": _case,
    "if": _if,
    "coalesce": _coalesce,
}
