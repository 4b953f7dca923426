"""Casts to and from floating-point numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.types import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    DataType,
    DecimalType,
    is_floating,
    is_integral,
)

_EXACT_DIGITS: Mapping[DataType, int] = {DOUBLE: 15, FLOAT: 6}
"""Numbers of so many digits are exact, and so is what they are divided by: 10 to the scale."""
_UNSCALED = "DECIMAL(16,0)"
"""Holds what `half_up` gives."""
_MOST_DIGITS = 15
_TEXT = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE]-?\d{1,2})?|NaN|-?Infinity")


def casts_floats_alike(source: DataType, target: DataType) -> bool:
    """Tell if a cast to or from a floating-point number is known to mean the same."""
    if is_floating(target):
        exact = is_integral(source) or isinstance(source, DecimalType) or source == BOOLEAN
        return exact or is_floating(source)
    if isinstance(target, DecimalType):
        return target.scale <= _MOST_DIGITS
    return is_integral(target)


def write_float_cast(text: str, source: DataType, target: DataType) -> str:
    """The cast of a value; one that does not fit fails."""
    name = duckdb_type(target)
    if isinstance(source, DecimalType):
        # Spark gives the nearest number, which DuckDB finds only if it reads the digits.
        exact = source.precision <= _EXACT_DIGITS[target]
        return f"CAST({text} AS {name})" if exact else f"CAST(CAST({text} AS VARCHAR) AS {name})"
    if is_floating(target):
        return f"CAST({text} AS {name})"
    # DuckDB takes 2147483648 for an INTEGER, if it comes as a single float.
    value = f"CAST({text} AS DOUBLE)" if source == FLOAT else text
    if isinstance(target, DecimalType):
        return _as_decimal(value, target)
    return f"CAST(trunc({value}) AS {name})"


def _as_decimal(text: str, target: DecimalType) -> str:
    """A decimal, rounded as Spark does it: by the text of the double."""
    whole = f"CAST(half_up({text}, {target.scale}) AS {_UNSCALED})"
    if target.scale:
        unit = f"CAST('0.{'1':0>{target.scale}}' AS DECIMAL({target.scale},{target.scale}))"
        whole = f"{whole} * {unit}"
    return f"CAST({whole} AS {duckdb_type(target)})"


def read_float(written: str, target: DataType) -> str | None:
    """A number that is written out; None if only Spark may know how to read it."""
    return f"CAST('{written}' AS {duckdb_type(target)})" if _TEXT.fullmatch(written) else None
