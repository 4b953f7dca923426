"""Arrays, structs and the hash of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.casts import under
from slackwater.compiler.duckdb.functions import HASHES, SEED, hash_name
from slackwater.compiler.duckdb.logic import condition
from slackwater.compiler.duckdb.once import bound
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted, quoted_text
from slackwater.expr.nodes import Call, Expr, FieldAccess, Lambda, LambdaVariable, Literal
from slackwater.types import ArrayType, DecimalType, StructType

_LONG_DIGITS = 18
"""Decimals of up to this many digits hash as 64-bit numbers, wider ones as bytes."""
_WITH_PLACE = 2
"""The variables of a lambda of an element and its place."""


def write_field(expr: FieldAccess, scope: Scope) -> str:
    """A field of one struct, or of every struct in an array."""
    dtype = expr.child.dtype
    struct = dtype.element if isinstance(dtype, ArrayType) else dtype
    if not isinstance(struct, StructType) or all(each.name != expr.field for each in struct.fields):
        raise refused(expr, "such a field")
    name = quoted_text(expr.field)
    if struct is dtype:
        return f"struct_extract({scope.text(expr.child)}, {name})"
    field = f"lambda part: struct_extract(part, {name})"
    return f"list_transform({scope.text(expr.child)}, {field})"


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
    """A function that takes an array and a lambda of an element, or of that and its place."""

    def form(call: Call, scope: Scope) -> str:
        values, each = call.args
        if not isinstance(each, Lambda) or len(each.variables) > _WITH_PLACE:
            raise refused(values, "such a lambda")
        if not isinstance(values.dtype, ArrayType):
            raise refused(values, f"{call.function} of something else than an array")
        inner, texts = scope, []
        # DuckDB counts places from one.
        for variable, form in zip(each.variables, ("{}", "CAST({} - 1 AS INTEGER)"), strict=False):
            inner, text = inner.with_variable(variable.name, form)
            texts.append(text)
        body = write(each.body, inner)
        return f"{function}({scope.text(values)}, lambda {', '.join(texts)}: {body})"

    return form


def _transformed(expr: Expr, scope: Scope) -> str:
    return f"({scope.text(expr)})"


def _decided(decisive: str, otherwise: str) -> Form:
    """Tell if some element, or every one, meets a condition; NULL if that hangs on a NULL."""

    def form(call: Call, scope: Scope) -> str:
        met = _over_elements("list_transform", condition)(call, scope)
        _, found = scope.with_variable("")
        decided = f"WHEN list_contains({found}, {decisive}) THEN {decisive}"
        unknown = f"WHEN {found} IS NULL OR len({found}) > list_count({found}) THEN NULL"
        return bound(found, met, f"(CASE {decided} {unknown} ELSE {otherwise} END)")

    return form


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
    "exists": _decided("TRUE", "FALSE"),
    "forall": _decided("FALSE", "TRUE"),
    "xxhash64": _hash,
}
