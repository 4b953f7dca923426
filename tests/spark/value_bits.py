"""Values told apart by every bit, for comparisons that must not take 0.0 for -0.0."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as kinds


def bits(values: pa.Array) -> list[object]:
    """Values of which no two that differ are equal: no zero is like another, and NaN is a value."""
    if kinds.is_struct(values.type):
        members = zip(*map(bits, values.flatten()), strict=True)
        return [m if v else None for m, v in zip(members, values.is_valid(), strict=True)]
    if kinds.is_list(values.type):
        return [None if each.values is None else bits(each.values) for each in values]
    if kinds.is_floating(values.type) or kinds.is_temporal(values.type):
        wide = values.type.bit_width > 32
        values = values.view(pa.int64() if wide else pa.int32())
    elif kinds.is_string(values.type):
        values = values.view(pa.binary())
    found: list[object] = values.to_pylist()
    return found
