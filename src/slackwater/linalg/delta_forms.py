"""Forms of deltas: as factors, as whole matrices, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from slackwater.linalg.dims import Dim, Sizes
from slackwater.linalg.matrix_program import Statement


class Form(Enum):
    """Forms in which the change of a matrix is represented."""

    FACTORED = "factored"
    """As a product of thin factors."""
    COMPRESSED = "compressed"
    """The same, with no more columns than its numbers need."""
    TALL = "tall"
    """As one matrix of the full shape, which has few columns."""
    WIDE = "wide"
    """As one matrix of the full shape, which has few rows."""
    ANEW = "evaluated anew"
    """Not at all: the matrix is evaluated again."""


Policy = Callable[[Statement, Dim], Form]
"""Chooses a form, given a statement and the rank its factors would have."""


def always_factored(_statement: Statement, _rank: Dim) -> Form:
    """The policy of the purely incremental strategy."""
    return Form.FACTORED


@dataclass(frozen=True, slots=True)
class Options:
    """The choice of forms for a program."""

    policy: Policy = always_factored
    anew: frozenset[str] = frozenset()
    """Statements to evaluate again, whatever the policy says."""


def collapse_wide(sizes: Sizes) -> Policy:
    """The policy of the hybrid strategy: multiply out factors as wide as the matrix itself."""

    def choose(statement: Statement, rank: Dim) -> Form:
        rows, cols = statement.value.shape.value(sizes)
        if rank.value(sizes) < min(rows, cols):
            return Form.FACTORED
        return Form.WIDE if rows < cols else Form.TALL

    return choose
