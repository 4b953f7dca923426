"""The columns of stored rows, and how batches from Spark are brought to one stable Arrow type.

A segment holds `_h` (the 64-bit hash of the arrangement's key), the row's columns k0, k1, ... and
`_w` (how often the row counts). Spark may send the same type with other nullability, another
session time zone or wide offsets; state keeps one form, so that all segments fit together. Files
hold a decimal of up to 18 digits in eight bytes, where Spark's Arrow form takes sixteen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

import pyarrow as pa

from slackwater.errors import DataError
from slackwater.types import DataType
from slackwater.types.arrow import arrow_type

Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)
HASH = "_h"
WEIGHT = "_w"
MAX_BATCH_ROWS = 65_536
MAX_BATCH_BYTES = 256 * 1024 * 1024
FILE_BATCH_ROWS = 16 * MAX_BATCH_ROWS
FILE_BATCH_BYTES = 128 * 1024 * 1024
"""Batches of files are larger: a look-up pays for every batch in which it finds rows."""
_DIGITS_IN_EIGHT_BYTES = 18
_NARROW = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}


def column_names(prefix: str, count: int) -> list[str]:
    """Positional names.

    >>> column_names("k", 3)
    ['k0', 'k1', 'k2']
    """
    return [f"{prefix}{index}" for index in range(count)]


def arrow_columns(types: Iterable[DataType]) -> pa.Schema:
    """The Arrow form of a row's columns, named by position."""
    return pa.schema([pa.field(f"k{n}", arrow_type(dtype)) for n, dtype in enumerate(types)])


def stable_type(kind: pa.DataType) -> pa.DataType:
    """The type with everything nullable, instants in UTC and narrow offsets, at every depth.

    >>> stable_type(pa.list_(pa.field("item", pa.large_string(), nullable=False)))
    ListType(list<element: string>)
    """
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return _NARROW[kind]
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz=None if kind.tz is None else "UTC")
    if pa.types.is_struct(kind):
        # Metadata stays: it is how Spark tells a variant from a plain struct.
        return pa.struct([pa.field(f.name, stable_type(f.type), metadata=f.metadata) for f in kind])
    if pa.types.is_map(kind):
        key = pa.field("key", stable_type(kind.key_type), nullable=False)
        return pa.map_(key, pa.field("value", stable_type(kind.item_type)))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(pa.field("element", stable_type(kind.value_type)))
    return kind


@lru_cache(maxsize=1024)
def stored_schema(columns: pa.Schema) -> pa.Schema:
    """The schema of stored rows that have `columns`."""
    return pa.schema([pa.field(HASH, pa.int64()), *columns, pa.field(WEIGHT, pa.int64())])


def compact(columns: pa.Schema) -> pa.Schema:
    """The same columns as files hold them.

    >>> compact(pa.schema([("price", pa.decimal128(15, 2)), ("total", pa.decimal128(25, 2))]))
    price: decimal64(15, 2)
    total: decimal128(25, 2)
    """
    return pa.schema([field.with_type(_compact_type(field.type)) for field in columns])


@lru_cache(maxsize=1024)
def compact_stored(columns: pa.Schema) -> pa.Schema:
    """The schema of files whose rows have `columns`."""
    return compact(stored_schema(columns))


def _compact_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal128(kind) and kind.precision <= _DIGITS_IN_EIGHT_BYTES:
        return pa.decimal64(kind.precision, kind.scale)
    return kind


def widened(rows: Rows) -> Rows:
    """Rows of a file, or some columns of them, under the types that Spark knows."""
    if not any(pa.types.is_decimal64(field.type) for field in rows.schema):
        return rows
    return rows.cast(pa.schema([field.with_type(_wide_type(field.type)) for field in rows.schema]))


def _wide_type(kind: pa.DataType) -> pa.DataType:
    return pa.decimal128(kind.precision, kind.scale) if pa.types.is_decimal64(kind) else kind


def conform(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The same values under the type `kind`, without a copy where only labels differ."""
    if array.type.equals(kind, check_metadata=True):
        return array
    if pa.types.is_struct(kind):
        children = [conform(array.field(index), field.type) for index, field in enumerate(kind)]
        return _restruct(array, kind, children)
    if pa.types.is_map(kind):
        keys, items = conform(array.keys, kind.key_type), conform(array.items, kind.item_type)
        fields = [kind.key_field, kind.item_field]
        return _rebase(array, kind, pa.StructArray.from_arrays([keys, items], fields=fields))
    if pa.types.is_list(kind):
        # A cast refuses NULLs among the members of structs, which Spark may call never NULL.
        is_narrow = pa.types.is_list(array.type)
        narrow = array if is_narrow else array.cast(pa.list_(array.type.value_field))
        return _rebase(narrow, kind, conform(narrow.values, kind.value_type))
    return array.cast(kind)


def _restruct(array: pa.Array, kind: pa.DataType, children: list[pa.Array]) -> pa.Array:
    """A struct with the NULLs of `array` and other children."""
    if not children:
        return array.cast(kind)
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(kind), mask=mask)


def _rebase(array: pa.Array, kind: pa.DataType, values: pa.Array) -> pa.Array:
    """A list or map with the offsets of `array` and other child values."""
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, [values]
    )


def conform_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch, column by position, under exactly this schema."""
    arrays = [
        conform(array, field.type) for array, field in zip(batch.columns, schema, strict=True)
    ]
    if not arrays:
        return batch
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def single_batch(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """All rows in one batch of this schema, which may be empty."""
    given = [batch for batch in batches if batch.num_rows]
    if not given:
        return pa.RecordBatch.from_arrays([pa.array([], f.type) for f in schema], schema=schema)
    return join_batches(given)


def join_batches(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of one or more batches in one, copied together only if there are several."""
    if len(batches) == 1:
        return batches[0]
    joined = pa.Table.from_batches(batches).combine_chunks().to_batches()
    if len(joined) != 1:
        raise DataError(
            f"{sum(batch.num_rows for batch in batches)} rows of one key do not fit in memory",
            hint="Rows this large cannot be kept as state; drop the large columns from the view.",
        )
    return joined[0]


def bounded_rows(rows: int = 0, size: int = 0) -> int:
    """The number of rows to put in a batch, where `rows` of them take `size` bytes."""
    return _bounded(rows, size, MAX_BATCH_ROWS, MAX_BATCH_BYTES)


def bounded_file_rows(rows: int = 0, size: int = 0) -> int:
    """The same for a batch of a file."""
    return _bounded(rows, size, FILE_BATCH_ROWS, FILE_BATCH_BYTES)


def _bounded(rows: int, size: int, most_rows: int, most_bytes: int) -> int:
    if size <= 0 or rows <= 0:
        return most_rows
    return max(1, min(most_rows, most_bytes * rows // size))


def regroup(
    batches: Iterable[pa.RecordBatch], bound: Callable[[int, int], int] = bounded_rows
) -> Iterator[pa.RecordBatch]:
    """The same rows in batches that are full, but for the last one, and never too large."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        step = bound(rows, size)
        if rows >= step:
            joined = join_batches(waiting)
            rest = rows % step
            for start in range(0, rows - rest, step):
                yield joined.slice(start, step)
            waiting = [joined.slice(rows - rest)] if rest else []
            rows, size = rest, sum(batch.nbytes for batch in waiting)
    if waiting:
        yield join_batches(waiting)


def slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in pieces that are small enough to hand on."""
    step = bounded_rows(batch.num_rows, batch.nbytes)
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)
