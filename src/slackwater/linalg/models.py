"""Iterative models: in which steps a recurrence of k iterations is computed (table 6.1).

Every model is a chain of jumps. A jump from iteration f to iteration i = f + j needs the j-th
power of the matrix and the sum of its first j powers; the models differ in the jumps alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from slackwater.errors import MatrixError


@dataclass(frozen=True, slots=True)
class Linear:
    """One iteration at a time: 1, 2, 3, ..."""

    def __str__(self) -> str:
        """As in the text form."""
        return "linear"


@dataclass(frozen=True, slots=True)
class Exponential:
    """Each jump doubles the iteration: 1, 2, 4, ...; an odd one is reached by a single step."""

    def __str__(self) -> str:
        """As in the text form."""
        return "exponential"


@dataclass(frozen=True, slots=True)
class Skip:
    """Doubles up to iteration `size`, then jumps by `size`; a rest is made up of single steps."""

    size: int

    def __post_init__(self) -> None:
        """Refuse a jump that does not move."""
        if self.size < 1:
            raise MatrixError(f"skip({self.size}) never arrives", hint="Skip at least 1.")

    def __str__(self) -> str:
        """As in the text form."""
        return f"skip({self.size})"


Model = Linear | Exponential | Skip


@dataclass(frozen=True, slots=True)
class Jump:
    """Iteration `target` is computed from the one `size` earlier."""

    target: int
    size: int

    @property
    def origin(self) -> int:
        """The iteration it starts from."""
        return self.target - self.size


def jumps(count: int, model: Model) -> tuple[Jump, ...]:
    """The jumps from iteration 1 to `count`, in order.

    >>> [jump.target for jump in jumps(16, Exponential())]
    [2, 4, 8, 16]
    >>> [jump.target for jump in jumps(14, Skip(4))]
    [2, 4, 8, 12, 13, 14]
    """
    found = []
    while count > 1:
        jump = Jump(count, _jump_size(count, model))
        found.append(jump)
        count = jump.origin
    return tuple(reversed(found))


def _jump_size(target: int, model: Model) -> int:
    match model:
        case Linear():
            return 1
        case Exponential():
            return target // 2 if target % 2 == 0 else 1
        case Skip(size):
            if target <= size:
                return _jump_size(target, Exponential())
            return size if target % size == 0 else 1
        case _:
            assert_never(model)
