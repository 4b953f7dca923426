"""The Arrow form of each type, which is Spark's own but for what may be NULL, and back.

Everything inside is nullable, instants are in UTC and offsets narrow, so that all that is stored
fits together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.types as kinds

from slackwater.types.datatypes import (
    BIGINT,
    BINARY,
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
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    IntervalType,
    MapType,
    OpaqueType,
    StringType,
    StructType,
)

_PLAIN: Mapping[DataType, pa.DataType] = {
    BOOLEAN: pa.bool_(),
    TINYINT: pa.int8(),
    SMALLINT: pa.int16(),
    INTEGER: pa.int32(),
    BIGINT: pa.int64(),
    FLOAT: pa.float32(),
    DOUBLE: pa.float64(),
    BINARY: pa.binary(),
    DATE: pa.date32(),
    TIMESTAMP: pa.timestamp("us", tz="UTC"),
    TIMESTAMP_NTZ: pa.timestamp("us"),
    VOID: pa.null(),
}
_VARIANT = pa.struct(
    [
        pa.field("value", pa.binary()),
        # By this Spark tells a variant from a plain struct.
        pa.field("metadata", pa.binary(), metadata={b"variant": b"true"}),
    ]
)
_TIME = re.compile(r"time\(\d\)", re.IGNORECASE)
_READ: Mapping[pa.DataType, DataType] = {
    **{kind: dtype for dtype, kind in _PLAIN.items()},
    pa.string(): STRING,
    pa.large_string(): STRING,
    pa.large_binary(): BINARY,
}


def arrow_type(dtype: DataType) -> pa.DataType:
    """The type in which values travel between Spark and Python, and lie in state.

    >>> arrow_type(ArrayType(TIMESTAMP, contains_null=False))
    ListType(list<element: timestamp[us, tz=UTC]>)
    """
    match dtype:
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case StringType():
            return pa.string()
        case IntervalType() if not dtype.counts_months:
            return pa.duration("us")
        case ArrayType(element=element):
            return pa.list_(pa.field("element", arrow_type(element)))
        case MapType(key=key, value=value):
            keys = pa.field("key", arrow_type(key), nullable=False)
            return pa.map_(keys, pa.field("value", arrow_type(value)))
        case StructType(fields=fields):
            return pa.struct([pa.field(each.name, arrow_type(each.dtype)) for each in fields])
        case OpaqueType(text=text) if _TIME.fullmatch(text):
            return pa.time64("ns")
    if dtype == VARIANT:
        return _VARIANT
    if dtype not in _PLAIN:
        raise TypeError(f"values of type {dtype} have no form in Arrow")
    return _PLAIN[dtype]


def read_arrow_type(kind: pa.DataType) -> DataType:
    """What Spark takes a column of Arrow data for; `TypeError` if it does not know the type.

    >>> read_arrow_type(pa.map_(pa.string(), pa.timestamp("us"))).sql()
    'MAP<STRING, TIMESTAMP_NTZ>'
    """
    if kind in _READ:
        return _READ[kind]
    if kinds.is_timestamp(kind):
        return TIMESTAMP_NTZ if kind.tz is None else TIMESTAMP
    if kinds.is_duration(kind):
        return IntervalType("DAY", "SECOND")
    if kinds.is_time64(kind):
        return OpaqueType("time(6)")
    if kinds.is_decimal128(kind) and 0 <= kind.scale <= kind.precision:
        return DecimalType(kind.precision, kind.scale)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return ArrayType(read_arrow_type(kind.value_type), kind.value_field.nullable)
    if kinds.is_map(kind):
        key, value = read_arrow_type(kind.key_type), read_arrow_type(kind.item_type)
        return MapType(key, value, kind.item_field.nullable)
    if kinds.is_struct(kind):
        return VARIANT if _is_variant(kind) else StructType(tuple(map(_read_field, kind)))
    raise TypeError(f"Spark has no type like {kind}")


def _read_field(field: pa.Field) -> Field:
    return Field(field.name, read_arrow_type(field.type), field.nullable)


def _is_variant(kind: pa.DataType) -> bool:
    if {each.name for each in kind} != {"value", "metadata"}:
        return False
    return bool((kind.field("metadata").metadata or {}).get(b"variant") == b"true")
