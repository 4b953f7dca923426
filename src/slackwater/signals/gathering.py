"""Rows of many windows at a time: as many as fit the processor's cache, with no call a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from slackwater.signals.arrays import Column, Ints

_CHUNK = 1 << 18
"""Numbers gathered at a time."""
_DENSE = 0.5
"""Share of all places of a window from which on none is left out."""


def chunks(count: int, size: int, numbers: int = _CHUNK) -> Iterator[slice]:
    """Ranges of windows of a size, each of about so many numbers."""
    step = max(numbers // max(size, 1), 1)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def gather(column: Column, start: Ints, size: int) -> Column:
    """One row for each window."""
    if not len(start):
        return np.empty((0, size), dtype=column.dtype)
    if len(start) * size == start[-1] + size - start[0] and bool(
        np.all(start[1:] - start[:-1] == size)
    ):
        rows: Column = column[start[0] : start[-1] + size].reshape(-1, size)
        return rows
    return sliding_window_view(column, size)[start]


def each_window(
    column: Column, start: Ints, size: int, compute: Callable[[Column], Column]
) -> Column:
    """One result for every window, computed chunk by chunk."""
    if not len(start):
        return compute(np.empty((0, size), dtype=column.dtype))
    return np.concatenate(
        [compute(gather(column, start[part], size)) for part in chunks(len(start), size)]
    )


def weigh_windows(column: Column, start: Ints, weights: Column) -> Column:
    """The dot product of every window with the weights.

    Each product is one call of the same routine for numbers that lie side by side, wherever the
    window lies and however many others there are. So its bits do not depend on what else a run
    computes, as those of a matrix product do.
    """
    size = len(weights)
    conjugate = np.conj(weights)
    if not len(start):
        return np.empty(0, dtype=np.result_type(column, weights))
    places = int(start[-1]) - int(start[0]) + 1
    if len(start) >= _DENSE * places:
        span = column[int(start[0]) : int(start[-1]) + size]
        found: Column = np.vecdot(conjugate, sliding_window_view(span, size))
        return found if len(start) == places else found[start - start[0]]
    return each_window(column, start, size, lambda rows: np.vecdot(conjugate, rows))
