"""The commonest statements without any engine: columns of one table, renamed, with their hash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from slackwater.compiler.duckdb.direct import Direct, DirectOutput, HashedColumns
from slackwater.compiler.duckdb.few.row_hash import encoding, hash_bytes
from slackwater.compiler.duckdb.functions import SEED
from slackwater.executors.driver.hashing import hash_ints, hash_longs, hash_texts
from slackwater.executors.driver.row_values import read_values
from slackwater.types import BIGINT, DATE, INTEGER, STRING, DataType

Hash = Callable[[pa.Array, pa.Array], pa.Array]

_FEW_ROWS = 64
_ROWS_AT_ONCE = 65_536
"""Columns of so many rows stay in the processor's cache from one operation to the next."""
_HASHES: dict[DataType, tuple[Hash, pa.DataType]] = {
    BIGINT: (hash_longs, pa.int64()),
    INTEGER: (hash_ints, pa.int32()),
    DATE: (hash_ints, pa.int32()),
    STRING: (hash_texts, pa.string()),
}


def stream_direct(statement: Direct, table: pa.Table) -> Iterator[pa.RecordBatch]:
    """The result of a direct statement, in pieces that stay in the processor's cache."""
    names = [name for name, _ in statement.outputs]
    for batch in table.to_batches(_ROWS_AT_ONCE):
        columns = [_value(output, batch) for _, output in statement.outputs]
        yield pa.RecordBatch.from_arrays(columns, names=names)


def with_hashes(
    batch: pa.RecordBatch, names: Iterable[str], hashes: Mapping[str, HashedColumns]
) -> pa.RecordBatch:
    """Rows with hashes of their columns; `names` is the order of all columns."""
    columns = {
        name: _hashes(hashes[name], batch) if name in hashes else batch.column(name)
        for name in names
    }
    return pa.RecordBatch.from_pydict(columns)


def _value(output: DirectOutput, batch: pa.RecordBatch) -> pa.Array:
    if isinstance(output, str):
        return batch.column(output)
    if isinstance(output, int):
        return pa.array(np.full(batch.num_rows, output, dtype=np.int64))
    return _hashes(output, batch)


def _hashes(output: HashedColumns, batch: pa.RecordBatch) -> pa.Array:
    if batch.num_rows <= _FEW_ROWS:
        return _hashes_of_few(output, batch)
    hashes = pa.array(np.full(batch.num_rows, SEED, dtype=np.int64))
    for name, dtype in output.columns:
        function, kind = _HASHES[dtype]
        column = batch.column(name)
        hashes = function(hashes, column if column.type == kind else column.cast(kind))
    return hashes


def _hashes_of_few(output: HashedColumns, batch: pa.RecordBatch) -> pa.Array:
    """The same without the fixed price of operations on whole columns."""
    columns = [_encoded(batch.column(name), dtype) for name, dtype in output.columns]
    rows = zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return pa.array(map(hash_bytes, rows), pa.int64())


def _encoded(column: pa.Array, dtype: DataType) -> list[bytes | None]:
    """The bytes that are hashed; those of texts need not be valid UTF-8."""
    if dtype == STRING:
        texts = column if pa.types.is_string(column.type) else column.cast(pa.string())
        return list(texts.view(pa.binary()).to_pylist())
    encode = encoding(dtype)
    return [None if value is None else encode(value) for value in read_values(column)]
