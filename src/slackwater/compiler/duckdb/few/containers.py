"""Arrays and structs, whose members are computed with, and the hash of values."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.few.bindings import (
    Bindings,
    CallCompiler,
    Evaluator,
    Row,
    Value,
    unknown,
)
from slackwater.compiler.duckdb.few.conditions import condition
from slackwater.compiler.duckdb.few.conversions import under
from slackwater.compiler.duckdb.few.row_hash import encoding, hash_values
from slackwater.expr.nodes import Call, FieldAccess, Lambda, LambdaVariable, Literal
from slackwater.types import BIGINT, ArrayType, StructType, is_integral


def compile_field(expr: FieldAccess, bindings: Bindings) -> Evaluator:
    """A field of one struct."""
    struct = expr.child.dtype
    names = [each.name for each in struct.fields] if isinstance(struct, StructType) else []
    if names.count(expr.field) != 1:
        raise unknown("such a field")
    value, place = bindings.evaluator(expr.child), names.index(expr.field)

    def evaluate(row: Row) -> Value:
        found = value(row)
        return None if found is None else found[place]

    return evaluate


def compile_variable(expr: LambdaVariable, bindings: Bindings) -> Evaluator:
    """The variable of the nearest lambda that binds it."""
    if expr.name not in bindings.variables:
        raise unknown("a variable of no lambda")
    place = bindings.variables[expr.name]
    return lambda row: row[place]


def _array(call: Call, bindings: Bindings) -> Evaluator:
    if not isinstance(call.dtype, ArrayType) or not call.args:
        raise unknown("such an array")
    element = call.dtype.element
    values = [under(each, element, bindings) for each in call.args]
    return lambda row: [value(row) for value in values]


def _struct(call: Call, bindings: Bindings) -> Evaluator:
    named = call.args[::2]
    struct = call.dtype
    if not isinstance(struct, StructType) or not all(isinstance(each, Literal) for each in named):
        raise unknown("such a struct")
    values = bindings.evaluators(call.args[1::2])
    return lambda row: tuple(value(row) for value in values)


def _filter(call: Call, bindings: Bindings) -> Evaluator:
    given, kept = call.args
    if not isinstance(kept, Lambda) or len(kept.variables) != 1:
        raise unknown("a lambda on the place in an array")
    if not isinstance(given.dtype, ArrayType):
        raise unknown("a filter of something else than an array")
    values = bindings.evaluator(given)
    keeps = condition(kept.body, bindings.with_variable(kept.variables[0].name))

    def evaluate(row: Row) -> Value:
        found = values(row)
        return None if found is None else [item for item in found if keeps((*row, item)) is True]

    return evaluate


def _size(call: Call, bindings: Bindings) -> Evaluator:
    (given,) = call.args
    if not isinstance(given.dtype, ArrayType):
        raise unknown("the size of something else than an array")
    values = bindings.evaluator(given)

    def evaluate(row: Row) -> Value:
        found = values(row)
        return None if found is None else len(found)

    return evaluate


def _get(call: Call, bindings: Bindings) -> Evaluator:
    given, at = call.args
    if not isinstance(given.dtype, ArrayType) or not is_integral(at.dtype) or at.dtype == BIGINT:
        raise unknown("such a use of get")
    values, place = bindings.evaluators(call.args)

    def evaluate(row: Row) -> Value:
        found, number = values(row), place(row)
        if found is None or number is None:
            return None
        return found[number] if 0 <= number < len(found) else None

    return evaluate


def _hash(call: Call, bindings: Bindings) -> Evaluator:
    values = bindings.evaluators(call.args)
    encodings = [encoding(each.dtype) for each in call.args]
    return lambda row: hash_values([value(row) for value in values], encodings)


CALLS: Mapping[str, CallCompiler] = {
    "array": _array,
    "named_struct": _struct,
    "filter": _filter,
    "size": _size,
    "get": _get,
    "xxhash64": _hash,
}
