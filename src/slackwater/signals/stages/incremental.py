"""Incremental stage: the result of a window from that of the window before it.

Such a stage is told what left the window and what came. It starts anew every so many windows,
counted on the common grid and not from the first one seen: so errors stay bounded, results do not
depend on how events were divided into runs, and all the windows of a long signal that lie as far
behind a start are updated in one call.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column, Ints, Mask
from slackwater.signals.formulas import Number, function_name
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of


@dataclass(frozen=True, slots=True)
class IncrementalStage(Stage):
    """A stage with an update; it must be the first of its window."""

    every: int

    def __post_init__(self) -> None:
        """A stage that never starts anew has no bound on its errors."""
        if self.every < 1:
            raise SignalError(f"a start every {self.every} windows", hint="Give 1 or more.")

    @abstractmethod
    def update(self, previous: Column, rows: Column, old: Column, new: Column) -> Column:
        """The results of windows after `old` left and `new` came, given the results before."""


@dataclass(frozen=True, slots=True)
class CustomIncremental(IncrementalStage):
    """A user's stage: one function that computes results and one that updates them.

    Both get matrices with one row a window and give matrices of `size` columns.
    """

    recompute: Callable[[Column], Any]
    change: Callable[[Column, Column, Column, Column], Any]
    size: int
    kind: Number = Number.REAL

    def output(self, field: Field) -> Field:
        """Arrays of the declared length and kind."""
        length_of(field, self.describe())
        return Field(field.name, self.kind, self.size)

    def compute(self, rows: Column) -> Column:
        """The function's answer."""
        return self._checked(self.recompute(rows), len(rows))

    def update(self, previous: Column, rows: Column, old: Column, new: Column) -> Column:
        """The other function's answer."""
        return self._checked(self.change(previous, rows, old, new), len(rows))

    def _checked(self, answer: Any, count: int) -> Column:
        dtype = np.complex128 if self.kind is Number.COMPLEX else np.float64
        found = np.asarray(answer, dtype=dtype)
        if found.shape != (count, self.size):
            raise SignalError(
                f"{self.describe()} gave an array of shape {found.shape}, not {(count, self.size)}"
            )
        return found

    def describe(self) -> str:
        """For a page."""
        return f"{function_name(self.recompute)}, anew every {self.every}"


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Which windows of a chunk start anew, and the earlier results that others are updated from."""

    fresh: Mask
    seeded: Mask
    """Windows whose predecessor is not in the chunk; their `seeds` are its results."""
    seeds: Column

    def depth(self) -> Ints:
        """How many updates each window lies behind a start or a seed."""
        place = np.arange(len(self.fresh), dtype=np.int64)
        anchor = np.maximum.accumulate(np.where(self.fresh | self.seeded, place, 0))
        return place - anchor + self.seeded[anchor]


def run_chain(
    stage: IncrementalStage, rows: Column, old: Column, new: Column, chain: Chain
) -> Column:
    """The results of a chunk of windows: one call for starts, one for each distance from them."""
    depth = chain.depth()
    first = stage.compute(rows[chain.fresh])
    found = np.empty((len(rows), *first.shape[1:]), dtype=first.dtype)
    found[chain.fresh] = first
    seeds = np.zeros_like(found)
    seeds[chain.seeded] = chain.seeds
    for distance in range(1, int(depth.max(initial=0)) + 1):
        at = np.flatnonzero(depth == distance)
        before = np.where(chain.seeded[at][:, None], seeds[at], found[at - 1])
        found[at] = stage.update(before, rows[at], old[at], new[at])
    return found
