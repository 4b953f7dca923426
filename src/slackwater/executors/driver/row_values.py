"""Arrow columns of a few rows as Python values, and back, digit for digit."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from slackwater.compiler.duckdb.few.bindings import Value
from slackwater.compiler.duckdb.types import arrow_type
from slackwater.types import DataType, DecimalType

_WIDE = 16
"""Bytes of a decimal of Spark's Arrow form."""


def read_values(column: pa.Array | pa.ChunkedArray) -> list[Value]:
    """The values of a column, as `compiler.duckdb.few` computes with them.

    Texts that are no UTF-8 raise a ValueError.
    """
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks != 1:
            return [value for chunk in column.chunks for value in read_values(chunk)]
        column = column.chunk(0)
    kind = column.type
    if pa.types.is_decimal128(kind):
        return _read_decimals(column)
    if pa.types.is_decimal64(kind) or pa.types.is_timestamp(kind):
        return list(column.view(pa.int64()).to_pylist())
    if pa.types.is_date32(kind):
        return list(column.view(pa.int32()).to_pylist())
    if pa.types.is_struct(kind):
        return _read_structs(column)
    if pa.types.is_list(kind):
        return _read_lists(column)
    if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_string(kind)):
        raise ValueError(f"no Python values for {kind}")
    return list(column.to_pylist())


def _read_decimals(column: pa.Array) -> list[Value]:
    data = memoryview(column.buffers()[1] or b"")
    first = column.offset
    numbers: list[Value] = [
        int.from_bytes(data[_WIDE * at : _WIDE * (at + 1)], "little", signed=True)
        for at in range(first, first + len(column))
    ]
    return _with_nulls(column, numbers)


def _read_structs(column: pa.Array) -> list[Value]:
    members = [read_values(each) for each in column.flatten()]
    return _with_nulls(column, list(zip(*members, strict=True)))


def _read_lists(column: pa.Array) -> list[Value]:
    elements = read_values(column.flatten())
    found, start = [], 0
    for length in column.value_lengths().to_pylist():
        stop = start + (length or 0)
        found.append(None if length is None else elements[start:stop])
        start = stop
    return found


def _with_nulls(column: pa.Array, values: list[Value]) -> list[Value]:
    if not column.null_count:
        return values
    given = column.is_valid().to_pylist()
    return [value if valid else None for value, valid in zip(values, given, strict=True)]


def write_values(values: Sequence[Value], dtype: DataType) -> pa.Array:
    """The values of a column under its type in Arrow."""
    kind = arrow_type(dtype)
    if isinstance(dtype, DecimalType):
        return _write_decimals(values, kind)
    return pa.array(values, kind)


def _write_decimals(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    digits = b"".join((value or 0).to_bytes(_WIDE, "little", signed=True) for value in values)
    given = None
    if None in values:
        given = pa.array([value is not None for value in values]).buffers()[1]
    return pa.Array.from_buffers(kind, len(values), [given, pa.py_buffer(digits)])
