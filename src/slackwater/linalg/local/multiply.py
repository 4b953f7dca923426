"""Products that look at their operands first, and sums in place.

A changed row is a factor with one row that is not zero; a product with it reads one column of
the matrix instead of all. Finding that out takes one pass over the thin factor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from slackwater.linalg.arrays import Array
from slackwater.linalg.operations import multiply_flops

_SPARSE = 8
"""Rows are picked out if at most one in so many is not zero."""
_THIN = 4
"""So many columns are quicker one after another: BLAS copies a matrix before it multiplies it."""


def multiply(left: Array, right: Array) -> tuple[Array, int]:
    """The product, and the floating-point operations it took."""
    rows, inner = left.shape
    cols = right.shape[1]
    if cols < inner:
        used = _used_rows(right)
        if used is not None:
            return left[:, used] @ right[used], multiply_flops(rows, len(used), cols)
    if rows < inner:
        used = _used_rows(left.T)
        if used is not None:
            return left[:, used] @ right[used], multiply_flops(rows, len(used), cols)
    flops = multiply_flops(rows, inner, cols, own_transpose=_is_own_transpose(left, right))
    return _by_columns(left, right) if 1 < cols <= _THIN < rows else left @ right, flops


def _is_own_transpose(left: Array, right: Array) -> bool:
    """True if both are the same numbers, turned; NumPy then computes one half and copies it."""
    return (
        left.ctypes.data == right.ctypes.data
        and left.shape == right.shape[::-1]
        and left.strides == right.strides[::-1]
    )


def _by_columns(left: Array, right: Array) -> Array:
    made = np.empty((left.shape[0], right.shape[1]))
    for column in range(right.shape[1]):
        made[:, column] = left @ np.ascontiguousarray(right[:, column])
    return made


def add_product(matrix: Array, left: Array, right: Array) -> int:
    """Add `left * right'` in place; returns the floating-point operations it took."""
    rank = left.shape[1]
    used = _used_rows(left)
    if used is not None:
        matrix[used] += left[used] @ right.T
        return multiply_flops(len(used), rank, matrix.shape[1])
    used = _used_rows(right)
    if used is not None:
        matrix[:, used] += left @ right[used].T
        return multiply_flops(matrix.shape[0], rank, len(used))
    # BLAS counts in columns: to it our matrix is its own transpose.
    turned = matrix.T
    if rank == 1:
        blas.dger(1.0, right[:, 0], left[:, 0], a=turned, overwrite_a=True)
    else:
        blas.dgemm(1.0, right, left, beta=1.0, c=turned, trans_b=True, overwrite_c=True)
    return multiply_flops(matrix.shape[0], rank, matrix.shape[1])


def _used_rows(thin: Array) -> NDArray[np.intp] | None:
    """The numbers of the rows that are not zero, if they are few."""
    used = np.flatnonzero(thin.any(axis=1))
    return used if len(used) * _SPARSE <= len(thin) else None
