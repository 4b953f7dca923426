"""Random matrices that keep programs of many steps within range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def contraction(random: np.random.Generator, size: int) -> Array:
    """A square matrix whose powers do not grow."""
    return random.standard_normal((size, size)) / (2.0 * np.sqrt(size))


def well_conditioned(random: np.random.Generator, size: int) -> Array:
    """A square matrix that is far from singular."""
    return np.eye(size) + contraction(random, size)


def distance(actual: Array, expected: Array) -> float:
    """How far apart two matrices are, relative to the second."""
    return float(np.linalg.norm(actual - expected) / max(np.linalg.norm(expected), 1e-300))
