"""The commonest statements without any engine: columns of one table, renamed, with their hash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from slackwater.compiler.duckdb import direct as typed
from slackwater.compiler.duckdb.functions import SEED
from slackwater.runtime.local.hashing import hash_ints, hash_longs, hash_texts
from slackwater.runtime.local.types import Columns, NotLocalError, arrow_type
from slackwater.types import BIGINT, DATE, INTEGER, STRING, DataType

Hash = Callable[[pa.Array, pa.Array], pa.Array]

_ROWS_AT_ONCE = 65_536
"""Columns of so many rows stay in the processor's cache from one operation to the next."""
_HASHES: dict[DataType, tuple[Hash, pa.DataType]] = {
    BIGINT: (hash_longs, pa.int64()),
    INTEGER: (hash_ints, pa.int32()),
    DATE: (hash_ints, pa.int32()),
    STRING: (hash_texts, pa.string()),
}


@dataclass(frozen=True, slots=True)
class _Hashed:
    """The hash of some columns; of none it is a constant."""

    columns: tuple[tuple[str, Hash, pa.DataType], ...]


@dataclass(frozen=True, slots=True)
class Direct:
    """A SELECT of columns, hashes of columns and whole numbers from one table."""

    table: str
    outputs: tuple[tuple[str, str | int | _Hashed], ...]

    def stream(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Its result, in pieces that stay in the processor's cache."""
        names = [name for name, _ in self.outputs]
        for batch in table.to_batches(_ROWS_AT_ONCE):
            columns = [_value(output, batch) for _, output in self.outputs]
            yield pa.RecordBatch.from_arrays(columns, names=names)


def _value(output: str | int | _Hashed, batch: pa.RecordBatch) -> pa.Array:
    if isinstance(output, str):
        return batch.column(output)
    if isinstance(output, int):
        return pa.array(np.full(batch.num_rows, output, dtype=np.int64))
    return _hashes(output, batch)


def _hashes(output: _Hashed, batch: pa.RecordBatch) -> pa.Array:
    hashes = pa.array(np.full(batch.num_rows, SEED, dtype=np.int64))
    for name, function, kind in output.columns:
        column = batch.column(name)
        hashes = function(hashes, column if column.type == kind else column.cast(kind))
    return hashes


def runnable(direct: typed.Direct) -> Direct:
    """A statement of this form with the functions that compute its hashes."""
    outputs = ((name, _runnable(output)) for name, output in direct.outputs)
    return Direct(direct.table, tuple(outputs))


def _runnable(output: typed.DirectOutput) -> str | int | _Hashed:
    if not isinstance(output, typed.HashedColumns):
        return output
    return _Hashed(tuple((name, *_HASHES[dtype]) for name, dtype in output.columns))


def read_direct(tree: exp.Expression, tables: Mapping[str, Columns]) -> Direct | None:
    """The statement in this form, if it has it and state can hold its columns."""
    if not isinstance(tree, exp.Select):
        return None
    clauses = {name for name, value in tree.args.items() if value} - {"kind"}
    source = tree.args.get("from_")
    if clauses - {"expressions", "from_"} or source is None:
        return None
    if not isinstance(source.this, exp.Table) or source.this.name not in tables:
        return None
    columns = tables[source.this.name]
    outputs = []
    for item in tree.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        output = _output(inner, columns)
        if output is None or not isinstance(item, exp.Alias | exp.Column):
            return None
        outputs.append((item.alias_or_name, output))
    return Direct(source.this.name, tuple(outputs))


def _output(node: exp.Expression, columns: Columns) -> str | int | _Hashed | None:
    match node:
        case exp.Column() if not node.table and _storable(columns.get(node.name)):
            return node.name
        case exp.Cast() if node.to.this is exp.DataType.Type.BIGINT and node.this.is_int:
            return int(node.this.sql())
        case exp.Anonymous() if node.name.lower() == "xxhash64":
            return _hashed(node, columns)
    return None


def _hashed(node: exp.Anonymous, columns: Columns) -> _Hashed | None:
    found = []
    for each in node.expressions:
        dtype = columns.get(each.name) if isinstance(each, exp.Column) and not each.table else None
        if dtype is None or dtype not in _HASHES:
            return None
        found.append((each.name, *_HASHES[dtype]))
    return _Hashed(tuple(found))


def _storable(dtype: DataType | None) -> bool:
    try:
        return dtype is not None and arrow_type(dtype) is not None
    except NotLocalError:
        return False
