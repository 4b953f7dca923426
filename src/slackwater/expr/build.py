"""Short names for the expressions that rules write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce

from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    AggregateCall,
    Call,
    Cast,
    ColumnId,
    ColumnRef,
    Expr,
    FieldAccess,
    Literal,
    transform,
)
from slackwater.types import BIGINT, BOOLEAN, STRING, DataType, StructType, same_type

TRUE = Literal("true", BOOLEAN)
FALSE = Literal("false", BOOLEAN)


def number(value: int, dtype: DataType = BIGINT) -> Literal:
    """A whole number of a type."""
    return Literal(str(value), dtype)


def all_of(parts: Iterable[Expr]) -> Expr:
    """The condition that all parts hold; true if there is none.

    >>> all_of(()).value
    'true'
    """
    found = list(parts)
    return reduce(lambda one, other: call("and", one, other), found) if found else TRUE


def any_of(parts: Iterable[Expr]) -> Expr:
    """The condition that some part holds; false if there is none."""
    found = list(parts)
    return reduce(lambda one, other: call("or", one, other), found) if found else FALSE


def differs(left: Expr, right: Expr) -> Expr:
    """The condition that two values are known and not equal."""
    return call("not", call("=", left, right))


def is_null(value: Expr) -> Expr:
    """The condition that a value is NULL."""
    return call("isnull", value)


def is_known(value: Expr) -> Expr:
    """The condition that a value is not NULL."""
    return call("isnotnull", value)


def cast(value: Expr, dtype: DataType) -> Expr:
    """The value under a type; itself if it has it.

    >>> cast(number(1), BIGINT) == number(1)
    True
    """
    return value if same_type(value.dtype, dtype) else Cast(value, dtype)


def case(*parts: Expr) -> Expr:
    """CASE: conditions and values in turn, and what else if their number is odd."""
    return call("case", *parts)


def struct(members: Mapping[str, Expr]) -> Expr:
    """A struct of named values."""
    pairs = ((Literal(name, STRING), value) for name, value in members.items())
    return call("named_struct", *(each for pair in pairs for each in pair))


def field_of(value: Expr, name: str) -> FieldAccess:
    """A field of a struct."""
    if not isinstance(value.dtype, StructType):
        raise TypeError(f"{value.dtype} has no fields")
    found = next(each for each in value.dtype.fields if each.name == name)
    return FieldAccess(value, name, found.dtype, found.nullable)


def replaced(expr: Expr, values: Mapping[ColumnId, Expr]) -> Expr:
    """The expression with other values in place of columns."""

    def change(node: Expr) -> Expr | None:
        return values[node.id] if isinstance(node, ColumnRef) and node.id in values else None

    return transform(expr, change)


def stored_form(value: Expr, dtype: DataType) -> Call:
    """A value as state stores it, under the storage type."""
    return Call("stored_form", (value,), dtype, value.nullable)


def value_of_stored(value: Expr, dtype: DataType) -> Call:
    """What a stored value stands for, under its own type."""
    return Call("value_of_stored", (value,), dtype, value.nullable)


def with_type(expr: Expr, dtype: DataType) -> Expr:
    """A function call whose result type is known from elsewhere than its rule."""
    if isinstance(expr, Call | AggregateCall):
        return replace(expr, call_type=dtype)
    raise TypeError(f"{type(expr).__name__} derives its type")
