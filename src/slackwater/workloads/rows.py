"""Hand-written rows become Arrow tables of exactly the declared types."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa

Row = tuple[object, ...]
"""One row, its values in the order of the schema."""

TIMESTAMP = pa.timestamp("us", tz="UTC")
"""The Arrow type that Spark reads as TIMESTAMP."""

TIMESTAMP_NTZ = pa.timestamp("us")
"""The Arrow type that Spark reads as TIMESTAMP_NTZ."""


def table_from_rows(schema: pa.Schema, rows: Sequence[Row]) -> pa.Table:
    """Build a table column by column, so that no type is guessed from the values.

    >>> table_from_rows(pa.schema([("n", pa.int32())]), [(1,), (None,)]).column("n").to_pylist()
    [1, None]
    """
    columns = zip(*rows, strict=True) if rows else [() for _ in schema]
    arrays = [
        pa.array(column, type=field.type) for field, column in zip(schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def utc(text: str) -> datetime:
    """An ISO text as an instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
