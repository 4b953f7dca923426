"""The types of values that the driver can hold, as the statements for DuckDB know them."""

from slackwater.compiler.duckdb.types import (
    Columns,
    NotLocalError,
    arrow_type,
    as_decimal,
    duckdb_type,
    is_simple,
    wider,
)

__all__ = [
    "Columns",
    "NotLocalError",
    "arrow_type",
    "as_decimal",
    "duckdb_type",
    "is_simple",
    "wider",
]
