"""Arrays, structs and the hash of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from slackwater.compiler.duckdb.functions import SEED
from slackwater.runtime.local.forms.base import (
    Forms,
    Scope,
    Typed,
    condition,
    plain_number,
    quoted,
    together,
    translate,
    translated,
)
from slackwater.runtime.local.types import NotLocalError
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DecimalType,
    Field,
    StructType,
    is_integral,
)


def _array(node: exp.Array, scope: Scope) -> Typed:
    values = together(translated(node.expressions, scope))
    return Typed(f"[{', '.join(each.sql for each in values)}]", ArrayType(values[0].dtype))


def _struct(node: exp.Struct, scope: Scope) -> Typed:
    fields, parts = [], []
    for each in node.expressions:
        name, value = each.this.name, translate(each.expression, scope)
        fields.append(Field(name, value.dtype))
        parts.append(f"{quoted(name)} := {value.sql}")
    return Typed(f"struct_pack({', '.join(parts)})", StructType(tuple(fields)))


def _array_filter(node: exp.ArrayFilter, scope: Scope) -> Typed:
    values = translate(node.this, scope)
    if not isinstance(values.dtype, ArrayType):
        raise NotLocalError("filter of something else than an array")
    variables = node.expression.expressions
    if len(variables) != 1:
        raise NotLocalError("a condition on the place in an array")
    # No column and no table of ours has such a name, and no lambda around this one.
    item = f"item{scope.lambdas}"
    inner = scope.with_variable(variables[0].name, Typed(item, values.dtype.element))
    kept = condition(node.expression.this, inner)
    return replace(values, sql=f"list_filter({values.sql}, lambda {item}: {kept})")


def _explode(node: exp.Explode, scope: Scope) -> Typed:
    values = translate(node.this, scope)
    if not isinstance(values.dtype, ArrayType):
        raise NotLocalError("explode of something else than an array")
    return Typed(f"unnest({values.sql})", values.dtype.element)


def _get(node: exp.Anonymous, scope: Scope) -> Typed:
    values, place = translated(node.expressions, scope)
    if not isinstance(values.dtype, ArrayType) or not is_integral(place.dtype):
        raise NotLocalError("such a use of get")
    if place.dtype == BIGINT:
        raise NotLocalError("such a use of get")
    found = f"({values.sql})[{place.sql} + 1]"
    if plain_number(node.expressions[1]) is None:
        # DuckDB counts from the end where Spark finds nothing.
        found = f"CASE WHEN {place.sql} >= 0 THEN {found} END"
    return Typed(found, values.dtype.element)


def _hash(node: exp.Anonymous, scope: Scope) -> Typed:
    text = f"CAST({SEED} AS BIGINT)"
    for value in translated(node.expressions, scope):
        function, argument = _hashed_as(value)
        text = f"{function}({text}, {argument})"
    return Typed(text, BIGINT)


_LONG_DIGITS = 18
"""Decimals of up to this many digits hash as 64-bit numbers, wider ones as bytes."""


def _hashed_as(value: Typed) -> tuple[str, str]:
    """The function of ours that hashes a value, and the value as it takes it."""
    match value.dtype:
        case DecimalType(precision=precision) if precision > _LONG_DIGITS:
            return "hash_wide_decimals", f"CAST({value.sql} AS VARCHAR)"
        case DecimalType(scale=scale):
            shift = f"CAST({10**scale} AS DECIMAL({scale + 1},0))"
            return "hash_longs", f"CAST({value.sql} * {shift} AS BIGINT)"
        case _ if value.dtype in (BIGINT, VOID):
            return "hash_longs", f"CAST({value.sql} AS BIGINT)"
        case _ if value.dtype == TIMESTAMP:
            return "hash_instants", value.sql
        case _ if value.dtype == TIMESTAMP_NTZ:
            return "hash_moments", value.sql
        case _ if value.dtype == DATE:
            return "hash_ints", f"CAST({value.sql} - DATE '1970-01-01' AS INTEGER)"
        case _ if value.dtype == BOOLEAN or is_integral(value.dtype):
            return "hash_ints", f"CAST({value.sql} AS INTEGER)"
        case _ if value.dtype == STRING:
            return "hash_texts", value.sql
    raise NotLocalError(f"the hash of {value.dtype}")


_NAMED: Mapping[str, Callable[[exp.Anonymous, Scope], Typed]] = {"get": _get, "xxhash64": _hash}


def _anonymous(node: exp.Anonymous, scope: Scope) -> Typed:
    form = _NAMED.get(node.name.lower())
    if form is None:
        raise NotLocalError(f"the function {node.name}")
    return form(node, scope)


FORMS: Forms = {
    exp.Array: _array,
    exp.Struct: _struct,
    exp.ArrayFilter: _array_filter,
    exp.Explode: _explode,
    exp.Anonymous: _anonymous,
}
