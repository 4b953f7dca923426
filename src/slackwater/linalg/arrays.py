"""Arrays of numbers, and the checks on those that come from outside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slackwater.errors import MatrixError
from slackwater.linalg.matrix_program import Program

Array = NDArray[np.float64]


def as_matrix(value: ArrayLike, what: str) -> Array:
    """The value as a matrix of finite numbers; a vector becomes a column."""
    made = np.asarray(value, dtype=np.float64)
    if made.ndim == 1:
        made = made[:, np.newaxis]
    if made.ndim != 2 or 0 in made.shape:
        raise MatrixError(
            f"{what} is no matrix: its shape is {made.shape}", hint="Give rows and columns."
        )
    if not np.isfinite(made).all():
        raise MatrixError(
            f"{what} holds numbers that are not finite", hint="Remove NaN and infinity."
        )
    return made


def infer_sizes(program: Program, values: Mapping[str, Array]) -> dict[str, int]:
    """The numbers that names of sizes stand for, as the given inputs show them."""
    sizes: dict[str, int] = {}
    for each in program.inputs:
        if each.name not in values:
            raise MatrixError(f"the input {each.name} is missing", hint="Give every input a value.")
        for dim, size in zip(
            (each.shape.rows, each.shape.cols), values[each.name].shape, strict=True
        ):
            if dim.symbol:
                sizes.setdefault(dim.symbol, size)
    for each in program.inputs:
        check_shape(values[each.name], each.shape.value(sizes), f"input {each.name}")
    return sizes


def check_shape(value: Array, wanted: tuple[int, int], what: str) -> None:
    """Raise unless the matrix has the wanted rows and columns."""
    if value.shape != wanted:
        raise MatrixError(
            f"{what} is {value.shape[0]} x {value.shape[1]}, not {wanted[0]} x {wanted[1]}",
            hint="All matrices that share the name of a size must agree on it.",
        )
