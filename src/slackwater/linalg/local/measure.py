"""Measures how fast this machine multiplies, inverts and moves numbers."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from slackwater.linalg.local.invert import invert
from slackwater.linalg.local.multiply import add_product, multiply
from slackwater.linalg.operations import inverse_flops, multiply_flops
from slackwater.linalg.speed import MatrixPrices

_THIN = 8


def measure_prices(size: int = 1_000, repeat: int = 3) -> MatrixPrices:
    """The prices of the local back end, measured in less than a second at the default size."""
    random = np.random.default_rng(0)
    square = random.standard_normal((size, size))
    definite = square @ square.T + size * np.eye(size)
    wide = random.standard_normal((2 * size, 2 * size))
    thin = random.standard_normal((2 * size, _THIN))
    tiny = np.ones((2, 2))

    def move() -> None:
        multiply(wide, thin)
        multiply(wide.T, thin)
        add_product(wide, thin, thin)

    return MatrixPrices(
        backend="local",
        multiply=multiply_flops(size, size, size)
        / _seconds(lambda: multiply(square, square), repeat),
        invert=inverse_flops(size, symmetric=True)
        / _seconds(lambda: invert(definite, symmetric=True), repeat),
        # Two products read the matrix, the sum in place reads and writes it.
        numbers=4 * wide.size / _seconds(move, repeat),
        operation=_seconds(lambda: multiply(tiny, tiny), 50),
    )


def _seconds(work: Callable[[], object], repeat: int) -> float:
    """The median, after once to warm up."""
    work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken)
