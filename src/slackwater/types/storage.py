"""Storage of values: each type's way into state and out again, bit for bit, in Spark SQL.

State travels between Spark and its Python workers as Arrow, which has no form for some of
Spark's types. Those are stored as another type: `encode_sql` and `decode_sql` say how.
The texts given to these functions are used several times: give column references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from slackwater.types.datatypes import (
    BOOLEAN,
    CALENDAR_INTERVAL,
    INTEGER,
    STRING,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    Field,
    IntervalType,
    MapType,
    OpaqueType,
    StructType,
    ddl,
    inner_types,
    parts_of,
)

_TIME = re.compile(r"time\(\d\)", re.IGNORECASE)


def storable(dtype: DataType) -> str | None:
    """The reason why state cannot hold values of the type; None if it can.

    >>> storable(OpaqueType("point"))
    'state cannot hold values of the type point'
    """
    if isinstance(dtype, OpaqueType) and not _TIME.fullmatch(dtype.text):
        return f"state cannot hold values of the type {dtype.sql()}"
    reasons = (storable(inner) for inner in inner_types(dtype))
    return next((reason for reason in reasons if reason is not None), None)


def storage_type(dtype: DataType) -> DataType:
    """The type under which values are stored: the type itself wherever possible.

    >>> storage_type(ArrayType(IntervalType("YEAR", "MONTH"))).sql()
    'ARRAY<INT>'
    """
    if not needs_encoding(dtype):
        return dtype
    match dtype:
        case ArrayType(element=element):
            return ArrayType(storage_type(element))
        case MapType(key=key, value=value):
            return MapType(storage_type(key), storage_type(value))
        case StructType(fields=fields):
            return _positional(storage_type(each.dtype) for each in fields)
        case IntervalType():
            return INTEGER
    return STRING if dtype == CALENDAR_INTERVAL else BOOLEAN


def storage_ddl(dtype: DataType) -> str:
    """The storage type as DDL text."""
    return ddl(storage_type(dtype))


def needs_encoding(dtype: DataType) -> bool:
    """Tell if values are stored as another type than their own."""
    match dtype:
        case IntervalType():
            return dtype.counts_months
        case StructType(fields=fields) if len({each.name for each in fields}) < len(fields):
            return True
    if dtype in (CALENDAR_INTERVAL, VOID):
        return True
    return any(needs_encoding(inner) for inner in inner_types(dtype))


def encode_sql(dtype: DataType, text: str) -> str:
    """SQL for the stored form of the value that `text` computes.

    >>> encode_sql(IntervalType("YEAR", "YEAR"), "x")
    'CAST(CAST(x AS INTERVAL MONTH) AS INT)'
    """
    return _encode(dtype, text, 0) if needs_encoding(dtype) else text


def decode_sql(dtype: DataType, text: str) -> str:
    """SQL for the value whose stored form `text` computes.

    >>> decode_sql(CALENDAR_INTERVAL, "x")
    'CAST(x AS INTERVAL)'
    """
    return _decode(dtype, text, 0) if needs_encoding(dtype) else text


def hashable_sql(dtype: DataType, text: str) -> str:
    """SQL that Spark's hash functions accept, equal for equal values of `text`.

    They refuse maps and variants. A map gives the exclusive or of the hashes of its entries,
    whose order does not count; a variant gives its JSON.

    >>> hashable_sql(STRING, "x")
    'x'
    """
    return _hashable(dtype, text, 0)


def hash_form_differs(dtype: DataType) -> bool:
    """Tell if `hashable_sql` changes values of the type."""
    return _contains_unhashable(dtype)


def _encode(dtype: DataType, text: str, depth: int) -> str:
    if not needs_encoding(dtype):
        return text
    match dtype:
        case ArrayType(element=element):
            item = f"e{depth}"
            return f"transform({text}, {item} -> {_encode(element, item, depth + 1)})"
        case MapType(key=key, value=value):
            pair, deeper = f"e{depth}", depth + 1
            new_key = _encode(key, f"{pair}.key", deeper)
            return _rebuild_map(text, pair, new_key, _encode(value, f"{pair}.value", deeper))
        case StructType(fields=fields):
            # The cast renames by position: names may repeat, and then none can be picked by name.
            renamed = f"CAST({text} AS {ddl(_positional(each.dtype for each in fields))})"
            return _rebuild_struct(
                text,
                [_encode(each.dtype, f"{renamed}.f{i}", depth) for i, each in enumerate(fields)],
            )
        case IntervalType():
            return f"CAST(CAST({text} AS INTERVAL MONTH) AS INT)"
    return f"CAST({text} AS {ddl(storage_type(dtype))})"


def _decode(dtype: DataType, text: str, depth: int) -> str:
    if not needs_encoding(dtype):
        return text
    match dtype:
        case ArrayType(element=element):
            item = f"e{depth}"
            return f"transform({text}, {item} -> {_decode(element, item, depth + 1)})"
        case MapType(key=key, value=value):
            pair, deeper = f"e{depth}", depth + 1
            old_key = _decode(key, f"{pair}.key", deeper)
            return _rebuild_map(text, pair, old_key, _decode(value, f"{pair}.value", deeper))
        case StructType(fields=fields):
            members = [_decode(each.dtype, f"{text}.f{i}", depth) for i, each in enumerate(fields)]
            return f"CAST({_rebuild_struct(text, members)} AS {ddl(dtype)})"
        case IntervalType():
            return f"CAST(CAST({text} AS INTERVAL MONTH) AS {ddl(dtype)})"
    return "NULL" if dtype == VOID else f"CAST({text} AS {ddl(dtype)})"


def _hashable(dtype: DataType, text: str, depth: int) -> str:
    if not _contains_unhashable(dtype):
        return text
    match dtype:
        case ArrayType(element=element):
            item = f"h{depth}"
            return f"transform({text}, {item} -> {_hashable(element, item, depth + 1)})"
        case MapType(key=key, value=value):
            pair, so_far, deeper = f"h{depth}", f"a{depth}", depth + 1
            members = [_hashable(key, f"{pair}.key", deeper)]
            members.append(_hashable(value, f"{pair}.value", deeper))
            step = f"({so_far}, {pair}) -> {so_far} ^ xxhash64({', '.join(members)})"
            return f"aggregate(map_entries({text}), CAST(size({text}) AS BIGINT), {step})"
        case StructType(fields=fields):
            renamed = f"CAST({text} AS {_positional(each.dtype for each in fields).sql()})"
            members = [
                _hashable(each.dtype, f"{renamed}.f{i}", depth) for i, each in enumerate(fields)
            ]
            return _rebuild_struct(text, members)
    return f"to_json({text})"


def _contains_unhashable(dtype: DataType) -> bool:
    if isinstance(dtype, MapType) or dtype == VARIANT:
        return True
    return any(_contains_unhashable(inner) for inner in inner_types(dtype))


def _rebuild_map(text: str, pair: str, key: str, value: str) -> str:
    entry = f"struct({key} AS key, {value} AS value)"
    return f"map_from_entries(transform(map_entries({text}), {pair} -> {entry}))"


def _rebuild_struct(text: str, members: list[str]) -> str:
    named = ", ".join(f"'f{i}', {member}" for i, member in enumerate(members))
    return f"IF({text} IS NULL, NULL, named_struct({named}))"


def _positional(dtypes: Iterable[DataType]) -> StructType:
    return StructType(tuple(Field(f"f{i}", dtype) for i, dtype in enumerate(dtypes)))


def comparable_sql(dtype: DataType, text: str) -> str:
    """SQL for the value in a form that Spark can compare: maps as sorted entries, INTERVAL as text.

    >>> comparable_sql(INTEGER, "x")
    'x'
    """
    return _comparable(dtype, text, 0)


def _comparable(dtype: DataType, text: str, depth: int) -> str:
    if is_comparable(dtype):
        return text
    one, deeper = f"p{depth}", depth + 1
    match dtype:
        case ArrayType(element=element):
            return f"transform({text}, {one} -> {_comparable(element, one, deeper)})"
        case MapType(key=key, value=value):
            pair = f"{_comparable(key, f'{one}.key', deeper)}, "
            pair += _comparable(value, f"{one}.value", deeper)
            return f"array_sort(transform(map_entries({text}), {one} -> struct({pair})))"
        case StructType(fields=fields):
            parts = [
                _comparable(each.dtype, f"{text}.`{each.name.replace('`', '``')}`", deeper)
                for each in fields
            ]
            return f"CASE WHEN {text} IS NOT NULL THEN struct({', '.join(parts)}) END"
    return f"CAST({text} AS STRING)" if dtype == CALENDAR_INTERVAL else text


def is_comparable(dtype: DataType) -> bool:
    """Tell if Spark can compare values of the type: it groups by more types than it compares.

    >>> is_comparable(INTEGER), is_comparable(ArrayType(CALENDAR_INTERVAL))
    (True, False)
    """
    parts = parts_of(dtype)
    return not any(isinstance(part, MapType) or part == CALENDAR_INTERVAL for part in parts)
