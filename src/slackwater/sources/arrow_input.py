"""Brings Arrow and pandas data into the form that Spark takes over cheaply."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.types as kinds

from slackwater.errors import DataError
from slackwater.types import DataType
from slackwater.types.arrow import read_arrow_type

_WIDENED = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
    pa.time32("s"): pa.time64("us"),
    pa.time32("ms"): pa.time64("us"),
    pa.time64("ns"): pa.time64("us"),
    pa.duration("s"): pa.duration("us"),
    pa.duration("ms"): pa.duration("us"),
    pa.duration("ns"): pa.duration("us"),
    pa.string_view(): pa.string(),
    pa.binary_view(): pa.binary(),
}
_MOST_DIGITS = 38
_LISTS = (pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)
_STREAM = "__arrow_c_stream__"
_ACCEPTED = "Give a Spark DataFrame, an Arrow table or a pandas DataFrame"


def read_arrow(rows: object, where: str) -> pa.Table:
    """The rows as an Arrow table of types that Spark knows; what is not a table is refused."""
    try:
        table = _table(rows)
        if table is not None:
            taken = [(field.name, _widened(field.type)) for field in table.schema]
            widened = table.cast(pa.schema(taken))
            for column in widened.columns:
                for chunk in column.chunks:
                    _require_digits(chunk)
            return widened
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise DataError(
            f"the rows cannot be read as a table: {_first_line(problem)}",
            where=where,
            hint="Give every column values of one type, and times no finer than microseconds.",
        ) from None
    raise DataError(
        f"{type(rows).__name__} is not a table",
        where=where,
        hint=f"{_ACCEPTED}; pyarrow.Table.from_pylist(rows) makes one of a list of dicts.",
    )


def column_types(table: pa.Table, where: str) -> tuple[DataType, ...]:
    """What Spark takes the columns of a table for."""
    return tuple(_column_type(field, where) for field in table.schema)


def _column_type(field: pa.Field, where: str) -> DataType:
    try:
        return read_arrow_type(field.type)
    except TypeError:
        raise DataError(
            f"column {field.name} has Arrow type {field.type}, which Spark does not know",
            where=where,
            hint="Convert the column first, or leave it out if the source does not have it.",
        ) from None


def _table(rows: object) -> pa.Table | None:
    if isinstance(rows, pa.Table):
        return rows
    if isinstance(rows, pa.RecordBatch):
        return pa.Table.from_batches([rows])
    if isinstance(rows, pa.RecordBatchReader):
        return rows.read_all()
    if isinstance(rows, pd.DataFrame):
        return pa.Table.from_pandas(rows, preserve_index=False)
    if hasattr(rows, _STREAM):
        return pa.RecordBatchReader.from_stream(rows).read_all()
    return None


def _widened(dtype: pa.DataType) -> pa.DataType:
    """The type as Spark takes it; nanoseconds become microseconds, or an error if they cannot."""
    if kinds.is_dictionary(dtype):
        dtype = dtype.value_type
    if kinds.is_timestamp(dtype):
        return pa.timestamp("us", dtype.tz)
    if kinds.is_decimal(dtype) and 0 <= dtype.scale <= dtype.precision <= _MOST_DIGITS:
        return pa.decimal128(dtype.precision, dtype.scale)
    if kinds.is_fixed_size_binary(dtype):
        return pa.binary()
    if kinds.is_struct(dtype):
        return pa.struct([_widened_field(each) for each in dtype])
    if kinds.is_map(dtype):
        return pa.map_(_widened_field(dtype.key_field), _widened_field(dtype.item_field))
    if kinds.is_list(dtype):
        return pa.list_(_widened_field(dtype.value_field))
    if kinds.is_large_list(dtype):
        return pa.large_list(_widened_field(dtype.value_field))
    if kinds.is_fixed_size_list(dtype):
        return pa.list_(_widened_field(dtype.value_field), dtype.list_size)
    return _WIDENED.get(dtype, dtype)


def _widened_field(field: pa.Field) -> pa.Field:
    return field.with_type(_widened(field.type))


def _require_digits(values: pa.Array) -> None:
    """Refuse decimals with more digits than their type has, as unsafe casts leave them.

    Arrow hands them on unseen, and Spark fails on them.
    """
    if kinds.is_decimal(values.type):
        values.validate(full=True)
    elif kinds.is_map(values.type):
        _require_digits(values.keys)
        _require_digits(values.items)
    elif kinds.is_struct(values.type):
        for part in values.flatten():
            _require_digits(part)
    elif isinstance(values, _LISTS):
        _require_digits(values.flatten())


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), type(problem).__name__)
