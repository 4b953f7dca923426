"""Columns, fields, literals and casts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from sqlglot import exp

from slackwater.runtime.local.forms.base import Forms, Scope, Typed, cast, text, translate
from slackwater.runtime.local.types import NotLocalError, as_decimal, duckdb_type
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    DataType,
    DecimalType,
    StructType,
    is_integral,
)


def _column(node: exp.Column, scope: Scope) -> Typed:
    # Tables are never named before columns, so that all parts but the first name fields.
    first, *fields = (part.name for part in node.parts)
    found = scope.column(first)
    if found is None:
        raise NotLocalError(f"the column {first}")
    return reduce(_field, fields, found)


def _identifier(node: exp.Identifier, scope: Scope) -> Typed:
    found = scope.column(node.name)
    if found is None:
        raise NotLocalError(f"the name {node.name}")
    return found


def _dot(node: exp.Dot, scope: Scope) -> Typed:
    return _field(translate(node.this, scope), node.expression.name)


def _field(struct: Typed, name: str) -> Typed:
    if isinstance(struct.dtype, StructType):
        for each in struct.dtype.fields:
            if each.name == name:
                return Typed(f"struct_extract({struct.sql}, {text(name)})", each.dtype)
    raise NotLocalError(f"the field {name}")


def _literal(node: exp.Literal, _scope: Scope) -> Typed:
    if node.is_string:
        return Typed(text(node.name), STRING)
    if not re.fullmatch(r"\d{1,18}", node.name):
        raise NotLocalError(f"the number {node.name}")
    dtype = INTEGER if int(node.name) < 2**31 else BIGINT
    return Typed(f"CAST({node.name} AS {duckdb_type(dtype)})", dtype)


def _null(_node: exp.Null, _scope: Scope) -> Typed:
    return Typed("NULL", VOID)


def _boolean(node: exp.Boolean, _scope: Scope) -> Typed:
    return Typed("TRUE" if node.this else "FALSE", BOOLEAN)


def _paren(node: exp.Paren, scope: Scope) -> Typed:
    inner = translate(node.this, scope)
    return replace(inner, sql=f"({inner.sql})")


_CAST_TARGETS: Mapping[Any, DataType] = {
    exp.DataType.Type.BOOLEAN: BOOLEAN,
    exp.DataType.Type.TINYINT: TINYINT,
    exp.DataType.Type.SMALLINT: SMALLINT,
    exp.DataType.Type.INT: INTEGER,
    exp.DataType.Type.BIGINT: BIGINT,
    exp.DataType.Type.DATE: DATE,
    exp.DataType.Type.TEXT: STRING,
    exp.DataType.Type.TIMESTAMPLTZ: TIMESTAMP,
    exp.DataType.Type.TIMESTAMPTZ: TIMESTAMP,
    exp.DataType.Type.TIMESTAMP: TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: TIMESTAMP_NTZ,
}


def _target(node: exp.DataType) -> DataType:
    if node.this is exp.DataType.Type.DECIMAL:
        precision, scale = (int(each.name) for each in node.expressions)
        return DecimalType(precision, scale)
    dtype = _CAST_TARGETS.get(node.this)
    if dtype is None:
        raise NotLocalError(f"a cast to {node.sql()}")
    return dtype


def _cast(node: exp.Cast, scope: Scope) -> Typed:
    if type(node) is not exp.Cast:
        raise NotLocalError("a cast that gives NULL where it fails")
    target = _target(node.to)
    if isinstance(node.this, exp.Literal) and node.this.is_string:
        return _typed_literal(node.this.name, target)
    value = translate(node.this, scope)
    if value.dtype in (target, VOID):
        return cast(value, target)
    number = as_decimal(value.dtype)
    to_text = target == STRING and is_integral(value.dtype)
    whole = number is not None and (number.scale == 0 or not is_integral(target))
    if to_text or (whole and as_decimal(target) is not None):
        return cast(value, target)
    raise NotLocalError(f"a cast from {value.dtype} to {target}")


def _typed_literal(written: str, target: DataType) -> Typed:
    """A date or a decimal written out; other texts are for Spark to read."""
    if target == DATE and re.fullmatch(r"\d{4}-\d{2}-\d{2}", written):
        return Typed(f"DATE '{written}'", DATE)
    if isinstance(target, DecimalType) and re.fullmatch(r"-?\d+(\.\d+)?", written):
        return Typed(f"CAST('{written}' AS {duckdb_type(target)})", target)
    raise NotLocalError(f"the literal {written} as {target}")


FORMS: Forms = {
    exp.Column: _column,
    exp.Identifier: _identifier,
    exp.Dot: _dot,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Boolean: _boolean,
    exp.Paren: _paren,
    exp.Cast: _cast,
}
