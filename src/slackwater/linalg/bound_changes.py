"""Changes as users give them, checked and bound to the trigger that takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from slackwater.errors import MatrixError
from slackwater.linalg.arrays import Array, as_matrix, check_shape
from slackwater.linalg.dims import Sizes
from slackwater.linalg.factor_batches import Factors, check_symmetric
from slackwater.linalg.matrix_program import InputKind, Program
from slackwater.linalg.triggers import MatricesChanged, RowsChanged, Trigger


@dataclass(frozen=True, slots=True)
class BoundChange:
    """A trigger with values for its parameters, and all sizes in numbers."""

    trigger: Trigger
    parameters: Mapping[str, Array]
    sizes: Sizes
    rank: int
    net: float = 0.0
    """By how much the sum of a bag's weights changes."""


def check_factors(
    program: Program, sizes: Sizes, changes: Mapping[str, tuple[ArrayLike, ArrayLike]]
) -> dict[str, Factors]:
    """The factors by input, each of the shape that its input needs."""
    if not changes:
        raise MatrixError("no input changes", hint="Name at least one input.")
    return {name: _checked(program, sizes, name, *each) for name, each in changes.items()}


def _checked(
    program: Program, sizes: Sizes, name: str, left: ArrayLike, right: ArrayLike
) -> Factors:
    given = program.input(name)
    if given.grows:
        raise MatrixError(f"{name} changes by rows", hint="Call change_rows.")
    made = as_matrix(left, f"left factor of {name}"), as_matrix(right, f"right factor of {name}")
    rank = made[0].shape[1]
    check_shape(made[0], (given.shape.rows.value(sizes), rank), f"left factor of {name}")
    check_shape(made[1], (given.shape.cols.value(sizes), rank), f"right factor of {name}")
    if given.kind is InputKind.SYMMETRIC:
        check_symmetric(*made, name)
    return made


def bind_factors(trigger: Trigger, factors: Mapping[str, Factors], sizes: Sizes) -> BoundChange:
    """The trigger with these factors."""
    if not isinstance(trigger.event, MatricesChanged):
        raise MatrixError("factors cannot change rows", hint="Call change_rows.")
    given: dict[str, Array] = {}
    ranks: dict[str, int] = {}
    for change in trigger.event.changes:
        left, right = factors[change.input.name]
        given |= {change.left.name: left, change.right.name: right}
        ranks[str(change.rank)] = left.shape[1]
    return BoundChange(trigger, given, {**sizes, **ranks}, sum(ranks.values()))


def bag_of(program: Program, name: str) -> str:
    """The bag whose rows an input holds."""
    bag = program.input(name).shape.rows.symbol
    if bag is None or bag not in program.bags:
        raise MatrixError(
            f"the rows of {name} do not come and go",
            hint="Declare the input with rows, or change it with update.",
        )
    return bag


def bind_rows(
    trigger: Trigger, rows: Mapping[str, ArrayLike], weights: ArrayLike | None, sizes: Sizes
) -> BoundChange:
    """The trigger with these rows; without weights each row counts once."""
    event = trigger.event
    if not isinstance(event, RowsChanged):
        raise MatrixError("rows cannot change a matrix by factors", hint="Call update.")
    wanted = [each.name for each, _ in event.rows]
    if set(rows) != set(wanted):
        raise MatrixError(
            f"a change of {event.bag} needs rows of {', '.join(wanted)}, not of {', '.join(rows)}",
            hint="All inputs that share the rows change together.",
        )
    values = {name: np.atleast_2d(np.asarray(each, np.float64)) for name, each in rows.items()}
    count = len(values[wanted[0]])
    column = np.ones((count, 1)) if weights is None else as_matrix(weights, "weights")
    check_shape(column, (count, 1), "weights")
    given = {event.weights[1].name: column}
    for each, changed in event.rows:
        value = as_matrix(values[each.name], f"rows of {each.name}")
        check_shape(value, (count, each.shape.cols.value(sizes)), f"rows of {each.name}")
        given[changed.name] = value
    bound = {**sizes, str(event.count): count}
    return BoundChange(trigger, given, bound, count, float(column.sum()))


def row_replacement(old: Array, rows: Mapping[int, ArrayLike], name: str) -> Factors:
    """The factors that give rows new values."""
    if not rows or not all(0 <= row < len(old) for row in rows):
        raise MatrixError(
            f"{name} has the rows 0 to {len(old) - 1}, not {', '.join(map(str, rows)) or 'none'}"
        )
    left = np.zeros((old.shape[0], len(rows)))
    right = np.empty((old.shape[1], len(rows)))
    for place, (row, values) in enumerate(rows.items()):
        new = as_matrix(values, f"row {row} of {name}")
        check_shape(new, (old.shape[1], 1), f"row {row} of {name}")
        left[row, place] = 1.0
        right[:, place] = new[:, 0] - old[row]
    return left, right
