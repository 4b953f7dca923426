"""Reads the JSON form in which Spark writes data types into plans and schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from slackwater.types.datatypes import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
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

_NAMED: Mapping[str, DataType] = {
    "boolean": BOOLEAN,
    "byte": TINYINT,
    "short": SMALLINT,
    "integer": INTEGER,
    "long": BIGINT,
    "float": FLOAT,
    "double": DOUBLE,
    "binary": BINARY,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ltz": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
    "void": VOID,
    "null": VOID,
    "interval": CALENDAR_INTERVAL,
    "variant": VARIANT,
    "string": STRING,
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_COLLATED = re.compile(r"string collate (\S+)", re.IGNORECASE)
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_COLLATIONS_KEY = "__COLLATIONS"


def parse_spark_type(value: object) -> DataType:
    """Turn a type in Spark's JSON form into ours.

    >>> parse_spark_type({"type": "array", "elementType": "long", "containsNull": True}).sql()
    'ARRAY<BIGINT>'
    """
    if isinstance(value, str):
        return _parse_name(value)
    if not isinstance(value, Mapping):
        return OpaqueType(str(value))
    match value.get("type"):
        case "array":
            return ArrayType(parse_spark_type(value["elementType"]), bool(value["containsNull"]))
        case "map":
            return MapType(
                parse_spark_type(value["keyType"]),
                parse_spark_type(value["valueType"]),
                bool(value["valueContainsNull"]),
            )
        case "struct":
            return StructType(tuple(_parse_field(field) for field in value["fields"]))
        case other:
            return OpaqueType(str(other))


def _parse_field(field: Mapping[str, object]) -> Field:
    name, dtype = str(field["name"]), parse_spark_type(field["type"])
    metadata = field.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get(_COLLATIONS_KEY), Mapping):
        dtype = _collated(dtype, name, metadata[_COLLATIONS_KEY])
    return Field(name, dtype, bool(field["nullable"]))


def _collated(dtype: DataType, path: str, collations: Mapping[str, object]) -> DataType:
    """The type with the collations that Spark keeps beside it: {"path": "provider.COLLATION"}.

    A path leads from the field to a text inside of arrays and maps, as in "tags.element". Fields
    of structs keep those of their own.
    """
    match dtype:
        case ArrayType(element=element):
            return replace(dtype, element=_collated(element, f"{path}.element", collations))
        case MapType(key=key, value=value):
            return replace(
                dtype,
                key=_collated(key, f"{path}.key", collations),
                value=_collated(value, f"{path}.value", collations),
            )
        case StringType() if path in collations:
            return StringType(str(collations[path]).split(".", 1)[-1])
    return dtype


def _parse_name(name: str) -> DataType:
    if name in _NAMED:
        return _NAMED[name]
    if found := _DECIMAL.fullmatch(name):
        return DecimalType(int(found[1]), int(found[2]))
    if found := _COLLATED.fullmatch(name):
        return StringType(found[1])
    if found := _INTERVAL.fullmatch(name):
        start = found[1].upper()
        return IntervalType(start, found[2].upper() if found[2] else start)
    return OpaqueType(name)
