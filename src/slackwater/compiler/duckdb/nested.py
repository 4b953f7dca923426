"""Arrays, structs and the hash of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.casts import under
from slackwater.compiler.duckdb.functions import HASHES, SEED, hash_name
from slackwater.compiler.duckdb.logic import condition
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted, quoted_text
from slackwater.expr.nodes import Call, Expr, FieldAccess, Lambda, LambdaVariable, Literal
from slackwater.types import BIGINT, ArrayType, DecimalType, StructType, is_integral

_LONG_DIGITS = 18
"""Decimals of up to this many digits hash as 64-bit numbers, wider ones as bytes."""


def write_field(expr: FieldAccess, scope: Scope) -> str:
    """A field of one struct."""
    struct = expr.child.dtype
    if not isinstance(struct, StructType) or all(each.name != expr.field for each in struct.fields):
        raise refused(expr, "such a field")
    return f"struct_extract({scope.text(expr.child)}, {quoted_text(expr.field)})"


def write_variable(expr: LambdaVariable, scope: Scope) -> str:
    """The variable of the nearest lambda that binds it."""
    found = next((text for name, text in scope.variables if name == expr.name), None)
    if found is None:
        raise refused(expr, "a variable of no lambda")
    return found


def _array(call: Call, scope: Scope) -> str:
    if not isinstance(call.dtype, ArrayType) or not call.args:
        raise refused(call, "such an array")
    element = call.dtype.element
    return f"[{', '.join(under(each, element, scope) for each in call.args)}]"


def _struct(call: Call, scope: Scope) -> str:
    parts = []
    for name, value in zip(call.args[::2], call.args[1::2], strict=True):
        if not isinstance(name, Literal) or name.value is None:
            raise refused(call, "such a struct")
        parts.append(f"{quoted(name.value)} := {scope.text(value)}")
    return f"struct_pack({', '.join(parts)})"


def _over_elements(function: str, write: Callable[[Expr, Scope], str]) -> Form:
    """A function that takes an array and a lambda of one variable."""

    def form(call: Call, scope: Scope) -> str:
        values, each = call.args
        if not isinstance(each, Lambda) or len(each.variables) != 1:
            raise refused(values, "a lambda on the place in an array")
        if not isinstance(values.dtype, ArrayType):
            raise refused(values, f"{call.function} of something else than an array")
        inner, variable = scope.with_variable(each.variables[0].name)
        return f"{function}({scope.text(values)}, lambda {variable}: {write(each.body, inner)})"

    return form


def _transformed(expr: Expr, scope: Scope) -> str:
    return f"({scope.text(expr)})"


def _size(call: Call, scope: Scope) -> str:
    """The number of elements; NULL of NULL, as the front end reads no other size of Spark's."""
    (values,) = call.args
    if not isinstance(values.dtype, ArrayType):
        raise refused(call, "the size of something else than an array")
    return f"CAST(len({scope.text(values)}) AS INTEGER)"


def _get(call: Call, scope: Scope) -> str:
    values, place = call.args
    if not isinstance(values.dtype, ArrayType) or not is_integral(place.dtype):
        raise refused(call, "such a use of get")
    if place.dtype == BIGINT:
        raise refused(call, "such a use of get")
    text = scope.text(place)
    found = f"({scope.text(values)})[{text} + 1]"
    if isinstance(place, Literal) and place.value is not None and int(place.value) >= 0:
        return found
    # DuckDB counts from the end where Spark finds nothing.
    return f"(CASE WHEN {text} >= 0 THEN {found} END)"


def _hash(call: Call, scope: Scope) -> str:
    text = f"CAST({SEED} AS BIGINT)"
    for value in call.args:
        text = _hash_on(text, value, scope)
    return text


def _hash_on(before: str, value: Expr, scope: Scope) -> str:
    """The hash that goes on from the one before; that of a struct is that of its fields."""
    match value:
        case Call(function="named_struct", args=args):
            for each in args[1::2]:
                before = _hash_on(before, each, scope)
            return before
    if isinstance(value.dtype, StructType | ArrayType):
        return f"{hash_name(value.dtype)}({before}, {scope.text(value)})"
    function, argument = _hashed_as(value, scope)
    return f"{function}({before}, {argument})"


def _hashed_as(value: Expr, scope: Scope) -> tuple[str, str]:
    """The function of ours that hashes a value, and the value as it takes it."""
    text = scope.text(value)
    match value.dtype:
        case DecimalType(precision=precision) if precision > _LONG_DIGITS:
            return "hash_wide_decimals", f"CAST({text} AS VARCHAR)"
        case DecimalType(scale=scale):
            shift = f"CAST({10**scale} AS DECIMAL({scale + 1},0))"
            return "hash_longs", f"CAST({text} * {shift} AS BIGINT)"
        case dtype if dtype in HASHES:
            function, form = HASHES[dtype]
            return function, form.format(text)
    raise refused(value, "the hash of a value")


FORMS: Mapping[str, Form] = {
    "array": _array,
    "named_struct": _struct,
    "filter": _over_elements("list_filter", condition),
    "transform": _over_elements("list_transform", _transformed),
    "size": _size,
    "get": _get,
    "xxhash64": _hash,
}
