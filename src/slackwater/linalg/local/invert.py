"""Inverses by LAPACK, with a check that they mean something."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from slackwater.errors import SingularMatrixError
from slackwater.linalg.arrays import Array
from slackwater.linalg.operations import inverse_flops


def _smallest(size: int) -> float:
    """The reciprocal condition below which no digit of an inverse can be relied upon."""
    return 4.0 * size * float(np.finfo(np.float64).eps)


def invert(matrix: Array, *, symmetric: bool) -> tuple[Array, int]:
    """The inverse, and the floating-point operations it took."""
    size = matrix.shape[0]
    if symmetric:
        made = _by_cholesky(matrix)
        if made is not None:
            return made, inverse_flops(size, symmetric=True)
    return _by_elimination(matrix), inverse_flops(size, symmetric=False)


def _by_cholesky(matrix: Array) -> Array | None:
    """The inverse of a positive definite matrix, None of any other."""
    norm = np.abs(matrix).sum(axis=0).max()
    factor, failed = lapack.dpotrf(matrix, lower=1)
    if failed:
        return None
    condition, _ = lapack.dpocon(factor, norm, uplo="L")
    if condition < _smallest(len(matrix)):
        raise _singular(condition)
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    _mirror(lower)
    return np.ascontiguousarray(lower)


def _mirror(lower: Array, block: int = 256) -> None:
    """Copy what is below the diagonal to above it, a block at a time."""
    for start in range(0, len(lower), block):
        stop = start + block
        corner = lower[start:stop, start:stop]
        corner[...] = np.tril(corner) + np.tril(corner, -1).T
        lower[start:stop, stop:] = lower[stop:, start:stop].T


def _by_elimination(matrix: Array) -> Array:
    norm = np.abs(matrix).sum(axis=0).max()
    factors, pivots, failed = lapack.dgetrf(matrix)
    condition = 0.0 if failed else lapack.dgecon(factors, norm)[0]
    if condition < _smallest(len(matrix)):
        raise _singular(condition)
    made, _ = lapack.dgetri(factors, pivots, lwork=64 * len(matrix), overwrite_lu=1)
    return np.ascontiguousarray(made)


def _singular(condition: float) -> SingularMatrixError:
    return SingularMatrixError(
        f"the matrix has no usable inverse: its reciprocal condition is {condition:.1e}",
        hint="Add a ridge, as in inv(X' * X + 0.001 * eye(n)), or take back the last change.",
    )
