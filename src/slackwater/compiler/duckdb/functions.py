"""Functions that DuckDB is taught: their names, and the types they take and give.

The runtime implements them over Arrow columns; a statement only names them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.compiler.duckdb.types import duckdb_type, quoted
from slackwater.types import (
    BIGINT,
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
    DataType,
)

SEED = 42
"""The seed: the hash of the first column goes on from it."""


@dataclass(frozen=True, slots=True)
class Division:
    """Types of operands as digits and digits behind the point, and those of the quotient."""

    digits: int
    scale: int
    divisor_digits: int
    divisor_scale: int
    quotient_scale: int

    @property
    def name(self) -> str:
        """The name that the function for these types has in DuckDB."""
        numbers = (self.digits, self.scale, self.divisor_digits, self.divisor_scale)
        return "_".join(map(str, ("divide_exactly", *numbers, self.quotient_scale)))

    @property
    def signature(self) -> tuple[str, ...]:
        """The types of its arguments, then that of its result."""
        return (
            f"DECIMAL({self.digits},{self.scale})",
            f"DECIMAL({self.divisor_digits},{self.divisor_scale})",
            f"DECIMAL(38,{self.quotient_scale})",
        )


@dataclass(frozen=True, slots=True)
class Rounding:
    """A type and one with fewer digits behind the point."""

    digits: int
    scale: int
    kept_digits: int
    kept_scale: int

    @property
    def name(self) -> str:
        """The name that the function for these types has in DuckDB."""
        numbers = (self.digits, self.scale, self.kept_digits, self.kept_scale)
        return "_".join(map(str, ("round_exactly", *numbers)))

    @property
    def signature(self) -> tuple[str, ...]:
        """The type of its argument, then that of its result."""
        return (
            f"DECIMAL({self.digits},{self.scale})",
            f"DECIMAL({self.kept_digits},{self.kept_scale})",
        )


HASHES: Mapping[DataType, tuple[str, str]] = {
    BOOLEAN: ("hash_ints", "CAST({} AS INTEGER)"),
    TINYINT: ("hash_ints", "CAST({} AS INTEGER)"),
    SMALLINT: ("hash_ints", "CAST({} AS INTEGER)"),
    INTEGER: ("hash_ints", "{}"),
    DATE: ("hash_ints", "CAST({} - DATE '1970-01-01' AS INTEGER)"),
    BIGINT: ("hash_longs", "{}"),
    VOID: ("hash_longs", "CAST({} AS BIGINT)"),
    TIMESTAMP: ("hash_instants", "{}"),
    TIMESTAMP_NTZ: ("hash_moments", "{}"),
    STRING: ("hash_texts", "{}"),
    DOUBLE: ("hash_doubles", "{}"),
    FLOAT: ("hash_floats", "{}"),
}
"""The function that hashes values of a type, and how it takes them."""
_NESTED_HASH = "hash_of "
_NESTED_NAME = re.compile(rf'"{_NESTED_HASH}((?:[^"]|"")+)"')


def hash_name(dtype: DataType) -> str:
    """The quoted name of the function that hashes structs or arrays of a type.

    >>> from slackwater.types import ArrayType
    >>> print(hash_name(ArrayType(DATE)))
    "hash_of DATE[]"
    """
    return quoted(_NESTED_HASH + duckdb_type(dtype))


def nested_hashes(sql: str) -> Mapping[str, str]:
    """The names of such functions in a statement, without their quotes, and DuckDB's types."""
    found = {each.replace('""', '"') for each in _NESTED_NAME.findall(sql)}
    return {_NESTED_HASH + dtype: dtype for dtype in found}


ZONE_FUNCTIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "zone_local": (("TIMESTAMPTZ",), "TIMESTAMP"),
    "zone_instant": (("TIMESTAMP",), "TIMESTAMPTZ"),
    "zone_instant_near": (("TIMESTAMP", "TIMESTAMPTZ"), "TIMESTAMPTZ"),
    "zone_day_start": (("DATE",), "TIMESTAMPTZ"),
}
"""Functions between instants and times in the session's zone: their arguments and results."""
