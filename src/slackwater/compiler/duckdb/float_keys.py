"""Floating-point numbers where DuckDB compares, groups and sorts them.

Both engines call all NaN equal and greater than every number, and both zeros equal. But DuckDB
gives a bare column that it joins, groups or sorts by back with one zero for both, and has Arrow
filter a table by a comparison of a column with a constant: to Arrow nothing compares with NaN.
"""

from __future__ import annotations

from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.types import DataType, is_floating


def as_key(text: str, dtype: DataType) -> str:
    """A value to group, partition or sort by: of both zeros the one that Spark shows."""
    return f"({text} + CAST(0 AS {duckdb_type(dtype)}))" if is_floating(dtype) else text
