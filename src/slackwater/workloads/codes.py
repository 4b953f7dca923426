"""Values as integer codes: equal values, equal codes, so that numpy can compare any type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int64]

_ROOM = 2**62


def column_codes(column: pa.ChunkedArray) -> Codes:
    """A code for each value of a column; NULL has a code of its own, and so has -0.0."""
    if pa.types.is_nested(column.type):
        column = pa.chunked_array([pa.array([repr(value) for value in column.to_pylist()])])
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    codes: Codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def row_codes(columns: Sequence[pa.ChunkedArray], rows: int) -> Codes:
    """A code for each of `rows` rows over all `columns`.

    Codes of columns are combined like the digits of a number and renumbered from 0 whenever
    the number would outgrow 64 bits, so that different rows never share a code.
    """
    combined = np.zeros(rows, dtype=np.int64)
    size = 1
    for column in columns:
        codes = column_codes(column)
        cardinality = int(codes.max(initial=0)) + 1
        if size * cardinality > _ROOM:
            combined, size = _renumber(combined)
        combined = combined * cardinality + codes
        size *= cardinality
    return _renumber(combined)[0]


def _renumber(codes: Codes) -> tuple[Codes, int]:
    distinct, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64), len(distinct)
