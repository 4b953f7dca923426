"""Pairs of thin factors: small inverses with a guard, and compression to their true rank."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from slackwater.linalg.arrays import Array

NEARLY_SINGULAR = 1e-8
"""An update of an inverse is refused if it would cost it more than half of its digits."""


def guarded_inverse(small: Array) -> Array | None:
    """The inverse of I + M, or None if that is too close to singular to be of use.

    The size of M counts too: the reciprocal condition of I + M says how near it is to singular,
    the norm of M how many digits were lost when the identity was added.
    """
    norm = _norm(small)
    factors, pivots, failed = lapack.dgetrf(small)
    if failed or not np.isfinite(norm):
        return None
    smallest = norm * lapack.dgecon(factors, norm)[0]
    if smallest <= NEARLY_SINGULAR * (1.0 + _norm(small - np.eye(len(small)))):
        return None
    made: Array = lapack.dgetri(factors, pivots)[0]
    return made


def _norm(matrix: Array) -> float:
    """The largest sum of a column, as LAPACK estimates conditions by."""
    return float(np.abs(matrix).sum(axis=0).max())


def compress(left: Array, right: Array, tolerance: float = 1e-13) -> tuple[Array, Array]:
    """Factors of the same product with as few columns as its numbers allow.

    Singular values below `tolerance` times the largest are left out. At least one column stays.

    >>> rows = np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
    >>> left, right = compress(rows, rows)
    >>> left.shape, bool(np.allclose(left @ right.T, rows @ rows.T))
    ((3, 1), True)
    """
    left_basis, left_core = np.linalg.qr(left)
    right_basis, right_core = np.linalg.qr(right)
    outer, values, inner = scipy.linalg.svd(left_core @ right_core.T, full_matrices=False)
    rank = max(1, int((values > tolerance * values[0]).sum()))
    return left_basis @ (outer[:, :rank] * values[:rank]), right_basis @ inner[:rank].T


def merge_rows(left: Array, right: Array) -> tuple[Array, Array]:
    """The same product, with the columns of `left` that touch one and the same row made one.

    Several changes of a row are one change; to find them takes one pass, where QR takes many.

    >>> left = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    >>> [each.shape for each in merge_rows(left, np.ones((4, 3)))]
    [(2, 2), (4, 2)]
    """
    touched = left != 0.0
    single = touched.sum(axis=0) == 1
    rows = touched.argmax(axis=0)
    used, places = np.unique(rows[single], return_inverse=True)
    if len(used) == int(single.sum()):
        return left, right
    scaled = right[:, single] * left[rows[single], np.flatnonzero(single)]
    summed = np.zeros((len(used), right.shape[0]))
    np.add.at(summed, places, scaled.T)
    unit = np.zeros((left.shape[0], len(used)))
    unit[used, np.arange(len(used))] = 1.0
    return np.hstack([left[:, ~single], unit]), np.hstack([right[:, ~single], summed.T])
