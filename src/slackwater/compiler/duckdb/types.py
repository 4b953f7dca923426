"""The types whose values behave alike in Spark, Arrow and DuckDB."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

import slackwater.types.arrow as types_in_arrow
from slackwater.errors import SlackwaterError
from slackwater.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_floating,
    is_integral,
    parts_of,
)


class NotLocalError(SlackwaterError):
    """Something whose meaning is only known to Spark."""


Columns = Mapping[str, DataType]
"""The columns of a frame with their types in Spark."""
_NAMES: Mapping[DataType, str] = {
    BOOLEAN: "BOOLEAN",
    TINYINT: "TINYINT",
    SMALLINT: "SMALLINT",
    INTEGER: "INTEGER",
    BIGINT: "BIGINT",
    DATE: "DATE",
    STRING: "VARCHAR",
    TIMESTAMP: "TIMESTAMPTZ",
    TIMESTAMP_NTZ: "TIMESTAMP",
    FLOAT: "FLOAT",
    DOUBLE: "DOUBLE",
    BINARY: "BLOB",
}
_COMPOSED = (DecimalType, ArrayType, MapType, StructType)
_WIDTHS = (TINYINT, SMALLINT, INTEGER, BIGINT)
MAX_DIGITS = 38
"""The digits of the longest decimal."""


def quoted(name: str) -> str:
    """A name as DuckDB quotes it.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def quoted_text(value: str) -> str:
    """A text as DuckDB writes it.

    >>> print(quoted_text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"


def duckdb_type(dtype: DataType) -> str:
    """The type as DuckDB writes it.

    >>> duckdb_type(DecimalType(12, 2)), duckdb_type(STRING)
    ('DECIMAL(12,2)', 'VARCHAR')
    """
    match dtype:
        case DecimalType(precision=precision, scale=scale):
            return f"DECIMAL({precision},{scale})"
        case ArrayType(element=element):
            return f"{duckdb_type(element)}[]"
        case MapType(key=key, value=value):
            return f"MAP({duckdb_type(key)}, {duckdb_type(value)})"
        case StructType(fields=fields):
            inner = (f"{quoted(each.name)} {duckdb_type(each.dtype)}" for each in fields)
            return f"STRUCT({', '.join(inner)})"
    if dtype not in _NAMES:
        raise NotLocalError(f"values of type {dtype}")
    return _NAMES[dtype]


def arrow_type(dtype: DataType) -> pa.DataType:
    """The type as state stores it."""
    for part in parts_of(dtype):
        if not isinstance(part, _COMPOSED) and part not in _NAMES:
            raise NotLocalError(f"values of type {part}")
    return types_in_arrow.arrow_type(dtype)


def is_simple(dtype: DataType) -> bool:
    """Tell if engines compare values of the type alike; structs and arrays only pass by."""
    return (dtype in _NAMES and dtype != BINARY) or isinstance(dtype, DecimalType)


def is_groupable(dtype: DataType) -> bool:
    """Tell if engines agree which values of the type are equal, NULLs inside of them too."""
    match dtype:
        case ArrayType(element=element):
            return is_groupable(element) and not is_floating(element)
        case StructType(fields=fields):
            return all(is_groupable(each.dtype) and not is_floating(each.dtype) for each in fields)
    return is_simple(dtype)


def is_exact(dtype: DataType) -> bool:
    """Tell if Python too compares values of the type so: it takes no NaN for equal to another."""
    return is_simple(dtype) and not is_floating(dtype)


def wider(left: DataType, right: DataType) -> DataType:
    """The type in which Spark brings two values together, where that loses nothing.

    >>> wider(INTEGER, BIGINT).sql(), wider(DecimalType(5, 2), INTEGER).sql()
    ('BIGINT', 'DECIMAL(12,2)')
    """
    if right in (left, VOID):
        return left
    if left == VOID:
        return right
    if is_integral(left) and is_integral(right):
        return max(left, right, key=_WIDTHS.index)
    one, other = as_decimal(left), as_decimal(right)
    if one is None or other is None:
        raise NotLocalError(f"a common type of {left} and {right}")
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    if whole + scale > MAX_DIGITS:
        raise NotLocalError(f"a common type of {left} and {right}")
    return DecimalType(whole + scale, scale)


_DIGITS: Mapping[DataType, int] = {TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 20}


def as_decimal(dtype: DataType) -> DecimalType | None:
    """The decimal that Spark makes of a number; None if it is none."""
    if isinstance(dtype, DecimalType):
        return dtype
    return DecimalType(_DIGITS[dtype], 0) if is_integral(dtype) else None
