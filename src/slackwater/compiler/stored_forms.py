"""Columns between the form in which state holds values and the values themselves."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Column
from slackwater.errors import InvariantError
from slackwater.expr.build import field_of, stored_form, struct, value_of_stored
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Lambda, LambdaVariable
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.frames import MATCHES, STORED_WEIGHT
from slackwater.types import BIGINT, ArrayType, Field, StructType
from slackwater.types.storage import needs_encoding, storage_type


def stored_fields(arrangement: Arrangement) -> tuple[Field, ...]:
    """The columns of an arrangement."""
    pairs = zip(arrangement.columns, arrangement.types, strict=True)
    return tuple(Field(name, dtype) for name, dtype in pairs)


def found_fields(arrangement: Arrangement) -> tuple[Field, ...]:
    """The columns of the stored rows that a look-up finds."""
    values = tuple(Field(f"s{n}", dtype) for n, dtype in enumerate(arrangement.types))
    return (*values, Field(STORED_WEIGHT, BIGINT, False))


def stored_value(column: Column) -> Expr:
    """A column as state stores it."""
    if not needs_encoding(column.dtype):
        return column.ref()
    return stored_form(column.ref(), storage_type(column.dtype))


def storage_field(field: Field) -> Field:
    """A column as state holds it; rows that a nested look-up found keep the names of columns."""
    if field.name == MATCHES and isinstance(field.dtype, ArrayType):
        row = field.dtype.element
        fields = tuple(map(storage_field, row.fields)) if isinstance(row, StructType) else ()
        return replace(field, dtype=replace(field.dtype, element=StructType(fields)))
    return Field(field.name, storage_type(field.dtype), field.nullable)


def value_of(column: Column, field: Field) -> Expr:
    """A stored column, or an array of stored rows, as the values that it stands for."""
    if not needs_encoding(field.dtype):
        return column.ref()
    if field.name == MATCHES and isinstance(column.dtype, ArrayType):
        return _nested_values(column, field)
    return value_of_stored(column.ref(), field.dtype)


def _nested_values(column: Column, field: Field) -> Expr:
    stored, wanted = column.dtype, field.dtype
    if not isinstance(stored, ArrayType) or not isinstance(wanted, ArrayType):
        raise InvariantError(f"{field.name} is no array")
    row = LambdaVariable("m", stored.element, False)
    fields = wanted.element.fields if isinstance(wanted.element, StructType) else ()
    values = {
        each.name: value_of_stored(field_of(row, each.name), each.dtype)
        if needs_encoding(each.dtype)
        else field_of(row, each.name)
        for each in fields
    }
    return call("transform", column.ref(), Lambda((row,), struct(values)))
