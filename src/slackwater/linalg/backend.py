"""The duties of a back end: hold large matrices, and work on them with thin factors.

Factors of deltas are thin and always here, in this process; only the kept matrices live in the
back end. Whoever partitions them by rows has to send a factor out and collect a factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from slackwater.linalg.arrays import Array
from slackwater.linalg.dims import Sizes
from slackwater.linalg.matrix_nodes import Expr


@dataclass(frozen=True, slots=True)
class Scope:
    """The factors that expressions may read besides kept matrices, and the sizes in numbers."""

    factors: Mapping[str, Array]
    sizes: Sizes


class Backend(Protocol):
    """Holds matrices by name."""

    def store(self, name: str, value: Array) -> None:
        """Keep a matrix, in place of an earlier one of that name."""

    def fetch(self, name: str) -> Array:
        """A kept matrix, which the caller does not change."""

    def height(self, name: str) -> int:
        """The number of rows of a kept matrix."""

    def drop(self, name: str) -> None:
        """Forget a matrix."""

    def compute(self, expr: Expr, scope: Scope) -> Array:
        """The value of an expression whose result is thin."""

    def assign(self, name: str, expr: Expr, scope: Scope) -> None:
        """Keep the value of an expression over kept matrices."""

    def add(self, name: str, left: Array, right: Array | None) -> None:
        """Add `left * right'` to a kept matrix, or `left` itself if there is no `right`."""

    def append(self, name: str, rows: Array) -> None:
        """Add rows at the end of a kept matrix."""

    def transaction(self) -> AbstractContextManager[None]:
        """A block after whose failure all kept matrices are as they were before it."""

    def take_flops(self) -> int:
        """The floating-point operations since this was last asked."""
