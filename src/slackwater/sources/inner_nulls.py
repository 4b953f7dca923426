"""Finds NULL inside of arrays, maps and structs whose types forbid it there, in both forms.

Keys of maps are never NULL: neither Arrow nor Spark has such a map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql import functions as sf

from slackwater.types import ArrayType, DataType, MapType, StructType

_Found = npt.NDArray[np.bool_]


def places_never_null(path: str, dtype: DataType) -> Iterator[str]:
    """The places inside values of a type that it forbids to be NULL.

    >>> from slackwater.types import INTEGER, Field
    >>> row = StructType((Field("y", INTEGER, nullable=False),))
    >>> list(places_never_null("x", ArrayType(row, contains_null=False)))
    ['x.element', 'x.element.y']
    """
    for name, inner, nullable in _inside(dtype):
        if not nullable:
            yield f"{path}.{name}"
        yield from places_never_null(f"{path}.{name}", inner)


def _inside(dtype: DataType) -> tuple[tuple[str, DataType, bool], ...]:
    """The parts of a value, each with its type and whether it may be NULL."""
    match dtype:
        case ArrayType(element=element, contains_null=nullable):
            return (("element", element, nullable),)
        case MapType(key=key, value=value, value_contains_null=nullable):
            return ("key", key, True), ("value", value, nullable)
        case StructType(fields=fields):
            return tuple((each.name, each.dtype, each.nullable) for each in fields)
    return ()


def forbids_null_inside(dtype: DataType) -> bool:
    """Whether there is such a place."""
    return next(places_never_null("", dtype), None) is not None


# In Arrow -----------------------------------------------------------------------------------


def null_inside_in_arrow(values: pa.ChunkedArray, dtype: DataType) -> pa.ChunkedArray:
    """True of the values that hold NULL where their type forbids it."""
    found = [pa.array(_null_inside(chunk, dtype)) for chunk in values.chunks]
    return pa.chunked_array(found, pa.bool_())


def _null_inside(values: pa.Array, dtype: DataType) -> _Found:
    found = np.zeros(len(values), dtype=np.bool_)
    if not forbids_null_inside(dtype):
        return found
    given = _as_list(values) if isinstance(dtype, MapType) else values
    for part, (_, inner, nullable) in zip(_parts(given, dtype), _inside(dtype), strict=True):
        fault = _null_inside(part, inner)
        if not nullable and part.null_count:
            fault |= part.is_null().to_numpy(zero_copy_only=False)
        if isinstance(dtype, StructType):
            found |= fault
        elif fault.any():
            found[_owners(given)[fault]] = True
    if values.null_count:
        # What lies below a NULL is no value.
        found &= values.is_valid().to_numpy(zero_copy_only=False)
    return found


def _owners(values: pa.Array) -> npt.NDArray[np.intp]:
    """The places of the arrays whose elements `flatten` gives, which passes over NULL."""
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(len(values)), lengths)


def _parts(values: pa.Array, dtype: DataType) -> list[pa.Array]:
    """The members of structs, or all elements, keys or values of arrays and maps."""
    flat = values.flatten()
    if isinstance(dtype, StructType):
        return list(flat)
    return list(flat.flatten()) if isinstance(dtype, MapType) else [flat]


def _as_list(entries: pa.Array) -> pa.Array:
    """Maps as arrays of their entries."""
    pairs = pa.StructArray.from_arrays([entries.keys, entries.items], names=["key", "value"])
    kind, buffers = pa.list_(pairs.type), entries.buffers()[:2]
    return pa.Array.from_buffers(
        kind, len(entries), buffers, entries.null_count, entries.offset, [pairs]
    )


# In Spark -----------------------------------------------------------------------------------


def null_inside_in_spark(value: Column, dtype: DataType) -> Column:
    """The same as a condition that is never NULL."""
    match dtype:
        case ArrayType():
            return _any_of([_among(value, dtype, 0)])
        case MapType():
            parts = (sf.map_keys(value), sf.map_values(value))
            return _any_of([_among(part, dtype, at) for at, part in enumerate(parts)])
        case StructType():
            faults = [
                _fault(value.getField(name), inner, nullable=nullable)
                for name, inner, nullable in _inside(dtype)
            ]
            return value.isNotNull() & _any_of(faults)
    return sf.lit(False)


def _among(values: Column, dtype: DataType, part: int) -> Column | None:
    """True where one of the elements, keys or values is at fault."""
    _, inner, nullable = _inside(dtype)[part]
    if nullable and not forbids_null_inside(inner):
        return None
    return sf.exists(values, _fault_finder(inner, nullable=nullable))


def _fault_finder(dtype: DataType, *, nullable: bool) -> Callable[[Column], Column]:
    def finds(element: Column) -> Column:
        return _any_of([_fault(element, dtype, nullable=nullable)])

    return finds


def _fault(value: Column, dtype: DataType, *, nullable: bool) -> Column | None:
    inside = null_inside_in_spark(value, dtype) if forbids_null_inside(dtype) else None
    if nullable:
        return inside
    return value.isNull() if inside is None else value.isNull() | inside


def _any_of(faults: list[Column | None]) -> Column:
    """True where one of the faults is; NULL counts as false."""
    either = sf.lit(False)
    for fault in faults:
        if fault is not None:
            either = either | sf.coalesce(fault, sf.lit(False))
    return either
