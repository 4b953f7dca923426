"""Spark's xxhash64 of single values, which decides where rows are found in state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import xxhash

from slackwater.compiler.duckdb.few.bindings import Value, unknown
from slackwater.compiler.duckdb.functions import SEED
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    DataType,
    DecimalType,
)

Encoding = Callable[[Value], bytes]
_LONG_DIGITS = 18
"""Decimals of up to this many digits hash as 64-bit numbers."""
_TOP_BIT = 1 << 63


def _int(value: int) -> bytes:
    return int(value).to_bytes(4, "little", signed=True)


def _long(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def _digits(value: int) -> bytes:
    """The shortest big-endian form, as Java writes large numbers."""
    bits = (value if value >= 0 else ~value).bit_length()
    return value.to_bytes(bits // 8 + 1, "big", signed=True)


_ENCODINGS: Mapping[DataType, Encoding] = {
    BOOLEAN: _int,
    TINYINT: _int,
    SMALLINT: _int,
    INTEGER: _int,
    DATE: _int,
    BIGINT: _long,
    TIMESTAMP: _long,
    TIMESTAMP_NTZ: _long,
    STRING: str.encode,
}


def encoding(dtype: DataType) -> Encoding:
    """The bytes of a value that are hashed."""
    if isinstance(dtype, DecimalType):
        return _long if dtype.precision <= _LONG_DIGITS else _digits
    if dtype not in _ENCODINGS:
        raise unknown(f"the hash of values of type {dtype}")
    return _ENCODINGS[dtype]


def hash_values(values: Iterable[Value], encodings: Iterable[Encoding]) -> int:
    """The hash of the values of a row.

    >>> hash_values((1,), (encoding(BIGINT),))
    -7001672635703045582
    """
    pairs = zip(values, encodings, strict=True)
    return hash_bytes(None if value is None else encode(value) for value, encode in pairs)


def hash_bytes(encoded: Iterable[bytes | None]) -> int:
    """The hash of encoded values; it goes on from value to value, and NULL leaves it as it is."""
    found = SEED
    for each in encoded:
        if each is not None:
            found = xxhash.xxh64_intdigest(each, found)
    return found if found < _TOP_BIT else found - 2 * _TOP_BIT
