"""Aggregates that pick, collect or count values of a group."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.literals import write_literal
from slackwater.compiler.duckdb.logic import condition
from slackwater.compiler.duckdb.orders import comparable, countable, write_order
from slackwater.compiler.duckdb.registers import write_estimate_of_hashes
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.expr.functions import call as scalar
from slackwater.expr.literals import print_literal
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.expr.registers import sketch_of
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TINYINT,
    ArrayType,
    DataType,
)

GroupForm = Callable[[AggregateCall, Scope], str]
"""Writes calls of one aggregate over groups, with their FILTER."""


def only_where(call: AggregateCall, scope: Scope, *conditions: str) -> str:
    """The FILTER clause of an aggregate, with conditions of its own."""
    asked = () if call.where is None else (condition(call.where, scope),)
    parts = [*asked, *conditions]
    return f" FILTER (WHERE {' AND '.join(parts)})" if parts else ""


def plain(form: GroupForm, arguments: int = 1) -> GroupForm:
    """A form for calls of so many arguments, without DISTINCT, order or parameters."""

    def checked(call: AggregateCall, scope: Scope) -> str:
        if len(call.args) != arguments or call.distinct or call.order or call.params:
            raise refused(call, f"such a use of {call.function}")
        return form(call, scope)

    return checked


def _first_or_last(call: AggregateCall, scope: Scope) -> str:
    """The value of some row; with a parameter, of one that is not NULL."""
    (value,) = call.args
    if call.order:
        raise refused(call, "a first value by an order")
    text = scope.text(value)
    conditions = (f"{text} IS NOT NULL",) if call.params else ()
    return f"{call.function}({text}){only_where(call, scope, *conditions)}"


def _by(function: str) -> GroupForm:
    """The value beside an extreme one; rows without the latter count for nothing."""

    def form(call: AggregateCall, scope: Scope) -> str:
        value, key = call.args
        text = f"{function}({scope.text(value)}, {comparable(key, scope)})"
        return f"{text}{only_where(call, scope)}"

    return plain(form, 2)


def _mode(call: AggregateCall, scope: Scope) -> str:
    """The value of most rows, the least of several; without its parameter Spark takes any."""
    (value,) = call.args
    if call.distinct or call.order or not call.params:
        raise refused(call, "such a use of mode")
    text = countable(value, scope)
    return f"mode({text} ORDER BY {text}){only_where(call, scope)}"


def _mode_within(call: AggregateCall, scope: Scope) -> str:
    """The value of most rows; the first of several in an order."""
    if len(call.order) != 1 or call.distinct:
        raise refused(call, "such a use of mode")
    (key,) = call.order
    order = write_order(call.order, scope)
    return f"mode({countable(key.expr, scope)} ORDER BY {order}){only_where(call, scope)}"


def _list(call: AggregateCall, scope: Scope) -> str:
    text = scope.text(call.args[0])
    return _or_empty(call, f"list({text}){only_where(call, scope, f'{text} IS NOT NULL')}")


def _set(call: AggregateCall, scope: Scope) -> str:
    text = countable(call.args[0], scope)
    found = f"list(DISTINCT {text}){only_where(call, scope, f'{text} IS NOT NULL')}"
    return _or_empty(call, found)


def _or_empty(call: AggregateCall, text: str) -> str:
    if call.order or call.params or len(call.args) != 1 or not isinstance(call.dtype, ArrayType):
        raise refused(call, f"such a use of {call.function}")
    return f"coalesce({text}, CAST([] AS {duckdb_type(call.dtype)}))"


def _joined_texts(call: AggregateCall, scope: Scope) -> str:
    """Texts one after the other; which of equal rank comes first is open in Spark too."""
    value, *between = call.args
    if any(each.dtype != STRING for each in call.args) or (call.distinct and call.order):
        raise refused(call, "such a use of listagg")
    if not all(isinstance(each, Literal) for each in between):
        raise refused(call, "a separator that is not written out")
    separator = scope.text(between[0]) if between else "''"
    order = f" ORDER BY {write_order(call.order, scope)}" if call.order else ""
    distinct = "DISTINCT " if call.distinct else ""
    text = scope.text(value)
    return f"string_agg({distinct}{text}, {separator}{order}){only_where(call, scope)}"


def write_count_of_several(call: AggregateCall, scope: Scope) -> str:
    """The rows, or the different ones, in which no value is NULL."""
    texts = [countable(each, scope) for each in call.args]
    only = only_where(call, scope, *(f"{text} IS NOT NULL" for text in texts))
    counted = f"DISTINCT ({', '.join(texts)})" if call.distinct else "*"
    return f"count({counted}){only}"


_ADDRESS_BITS = 9
"""The default error of approx_count_distinct is 5 %: it has 2 ** 9 registers."""
_DEFAULT_ERROR = "0.05D"
_LINEAR_UP_TO = 400
"""So many different values are estimated by counting registers; beyond, by what they hold."""


def _approximate_count(call: AggregateCall, scope: Scope) -> str:
    """Spark's estimate of how many values differ."""
    (value,) = call.args
    if call.order:
        raise refused(call, "such an estimate")
    sketch = sketch_of(call)
    if sketch is None:
        return _few_values(call, scope)
    hashed = scope.text(scalar("xxhash64", value))
    only = only_where(call, scope, f"{scope.text(value)} IS NOT NULL")
    return write_estimate_of_hashes(sketch, hashed, only)


def _few_values(call: AggregateCall, scope: Scope) -> str:
    """The estimate if Spark's corrections are not known: by how many of 512 registers are hit.

    HyperLogLog++ counts registers as long as there are few values; an error beyond that.
    """
    (value,) = call.args
    if call.params != (_DEFAULT_ERROR,):
        raise refused(call, "such an estimate")
    text = scope.text(value)
    registers = 2**_ADDRESS_BITS
    place = f"({scope.text(scalar('xxhash64', value))} >> {64 - _ADDRESS_BITS})"
    hit = f"count(DISTINCT {place}){only_where(call, scope, f'{text} IS NOT NULL')}"
    left = f"CAST({registers} - {hit} AS DOUBLE)"
    estimate = f"(CAST({registers} AS DOUBLE) * ln(CAST({registers} AS DOUBLE) / {left}))"
    fails = "CAST(error('an estimate of many values') AS BIGINT)"
    found = f"CAST(round({estimate}) AS BIGINT)"
    few = f"{left} > 0 AND {estimate} <= {_LINEAR_UP_TO}"
    return f"(CASE WHEN {few} THEN {found} ELSE {fails} END)"


def _pivot_first(call: AggregateCall, scope: Scope) -> str:
    """A slot for each value that is written out, with the value beside it."""
    pivot, value = call.args
    if not call.params or call.where is not None:
        raise refused(call, "such a pivot")
    key, text = countable(pivot, scope), scope.text(value)
    slots = []
    for constant in call.params:
        same = f"{key} IS NOT DISTINCT FROM {write_literal(_constant(call, pivot, constant))}"
        slots.append(f"any_value(CASE WHEN {same} THEN {text} END)")
    return f"[{', '.join(slots)}]"


_NUMBER = re.compile(r"\(?(-?\d+)[YSL]?\)?")
_DAY = re.compile(r"DATE '(\d{4}-\d{2}-\d{2})'")
_TEXT = re.compile(r"'([^'\\]*)'")
_CONSTANTS: Mapping[DataType, re.Pattern[str]] = {
    TINYINT: _NUMBER,
    SMALLINT: _NUMBER,
    INTEGER: _NUMBER,
    BIGINT: _NUMBER,
    DATE: _DAY,
    STRING: _TEXT,
}


def _constant(call: AggregateCall, pivot: Expr, text: str) -> Literal:
    """The constant whose text in Spark SQL this is."""
    dtype = pivot.dtype
    if dtype == BOOLEAN:
        return Literal(text.lower(), dtype)
    pattern = _CONSTANTS.get(dtype)
    found = None if pattern is None else pattern.fullmatch(text)
    if found is None or print_literal(Literal(found[1], dtype)) != text:
        raise refused(call, "a pivot by such values")
    return Literal(found[1], dtype)


FORMS: Mapping[str, GroupForm] = {
    "first": _first_or_last,
    "last": _first_or_last,
    "max_by": _by("arg_max_null"),
    "min_by": _by("arg_min_null"),
    "mode": _mode,
    "mode_within": _mode_within,
    "collect_list": _list,
    "collect_set": _set,
    "listagg": _joined_texts,
    "approx_count_distinct": _approximate_count,
    "pivot_first": _pivot_first,
}
