"""Batches of changes: checked, and brought to as few columns or rows as they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from slackwater.errors import MatrixError
from slackwater.linalg.arrays import Array
from slackwater.linalg.factors import compress, merge_rows
from slackwater.linalg.operations import Kind, Operation, compress_flops
from slackwater.linalg.speed import MatrixPrices

Factors = tuple[Array, Array]
"""A change of a matrix, as the product of the first and the transpose of the second."""

_WORTH_A_TRY = 0.05
"""Compression is tried if it costs at most this share of what the change would cost without."""
_SYMMETRIC = 1e-10


def check_symmetric(left: Array, right: Array, name: str) -> None:
    """Raise unless `left * right'` is symmetric, as far as a random vector can tell."""
    probe = np.random.default_rng(0).standard_normal((len(left), 1))
    one, other = left @ (right.T @ probe), right @ (left.T @ probe)
    size = max(np.linalg.norm(one), np.linalg.norm(other))
    if np.linalg.norm(one - other) > _SYMMETRIC * size:
        raise MatrixError(
            f"{name} is declared symmetric, but this is not",
            where=f"input {name}",
            hint="Change entry and mirrored entry together, or declare a plain input.",
        )


def fewer_columns(factors: Factors, price: Callable[[int], float], prices: MatrixPrices) -> Factors:
    """The same change with fewer columns: rows changed twice are merged, and the rest compressed.

    Compression reads numbers to find out whether it helps, so it is tried only where trying
    is cheap beside `price`, the seconds that a change of some rank costs.
    """
    left, right = merge_rows(*factors)
    rank = left.shape[1]
    if rank == 1 or _touches_different_rows(left):
        return left, right
    flops = compress_flops(len(left), len(right), rank)
    work = Operation(Kind.INVERT, flops, 4 * (len(left) + len(right)) * rank)
    if prices.seconds([work]) > _WORTH_A_TRY * price(rank):
        return left, right
    made = compress(left, right)
    return made if made[0].shape[1] < rank else (left, right)


def _touches_different_rows(left: Array) -> bool:
    """True if each column has one number, in a row of its own: then there is nothing to gain."""
    touched = left != 0.0
    return bool((touched.sum(axis=0) == 1).all() and (touched.sum(axis=1) <= 1).all())


def consolidate_rows(columns: Sequence[Array], weights: Array) -> tuple[list[Array], Array]:
    """The same bag with equal rows made one and rows of weight zero left out.

    >>> rows, weights = np.array([[1.0], [2.0], [1.0]]), np.array([[1.0], [1.0], [-1.0]])
    >>> [kept], counts = consolidate_rows([rows], weights)
    >>> kept.tolist(), counts.tolist()
    ([[2.0]], [[1.0]])
    """
    whole = np.hstack(columns)
    rows, places = np.unique(whole, axis=0, return_inverse=True)
    counts = np.bincount(places.ravel(), weights[:, 0], minlength=len(rows))
    alive = counts != 0.0
    edges = np.cumsum([each.shape[1] for each in columns])[:-1]
    return np.split(rows[alive], edges, axis=1), counts[alive][:, np.newaxis]
