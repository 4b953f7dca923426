"""Pairs vectors of floats that are close to each other, as many as can be paired.

Closeness within a tolerance is not transitive, so sorting both sides and comparing them rank
by rank is not enough: noise in one component reorders the others. Vectors equal to the last
bit are paired first, then neighbours in sorted order; the few that remain are matched along
augmenting paths.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Container, Iterator, Sequence

Vector = tuple[float, ...]


def is_close(left: Vector, right: Vector, tolerances: Vector) -> bool:
    """Tell if each component differs by at most its tolerance, relative to the larger one."""
    return all(
        math.isclose(mine, theirs, rel_tol=tolerance, abs_tol=0.0)
        for mine, theirs, tolerance in zip(left, right, tolerances, strict=True)
    )


def unmatched(
    left: Sequence[Vector], right: Sequence[Vector], tolerances: Vector
) -> tuple[list[int], list[int]]:
    """The indices of either side that stay without a partner on the other.

    >>> unmatched([(1.0,), (2.0,)], [(2.0 + 1e-12,), (3.0,)], (1e-9,))
    ([0], [1])
    """
    common = Counter(left) & Counter(right)
    mine, theirs = _beyond(common, left), _beyond(common, right)
    if not mine or not theirs:
        return mine, theirs
    matching = _Matching([left[i] for i in mine], [right[i] for i in theirs], tolerances)
    matching.pair_neighbours()
    alone = [index for position, index in enumerate(mine) if not matching.place(position)]
    return alone, [index for position, index in enumerate(theirs) if matching.is_free(position)]


def _beyond(common: Counter[Vector], vectors: Sequence[Vector]) -> list[int]:
    """The indices of `vectors` that remain after `common` has been taken away."""
    budget = Counter(common)
    kept = []
    for index, vector in enumerate(vectors):
        if budget[vector] > 0:
            budget[vector] -= 1
        else:
            kept.append(index)
    return kept


class _Matching:
    """A growing set of pairs between two lists of vectors; placing one may move others."""

    def __init__(self, left: Sequence[Vector], right: Sequence[Vector], tolerances: Vector):
        self._left = left
        self._right = right
        self._tolerances = tolerances
        self._axis = _telling_axis(right)
        self._order = self._sorted(right)
        self._values = [right[index][self._axis] for index in self._order]
        self._right_of: dict[int, int] = {}
        self._left_of: dict[int, int] = {}

    def is_free(self, right: int) -> bool:
        """Tell if a vector of the right side has no partner yet."""
        return right not in self._left_of

    def pair_neighbours(self) -> None:
        """Walk both sides in sorted order and pair what is close: nearly all, and cheaply."""
        rights = deque(self._order)
        for left in self._sorted(self._left):
            value = self._left[left][self._axis]
            reach = self._reach(value)
            while rights and self._right[rights[0]][self._axis] < value - reach:
                rights.popleft()
            if rights and is_close(self._left[left], self._right[rights[0]], self._tolerances):
                right = rights.popleft()
                self._left_of[right], self._right_of[left] = left, right

    def place(self, start: int) -> bool:
        """Find a partner for a vector of the left side, moving earlier pairs if need be."""
        if start in self._right_of:
            return True
        reached_from: dict[int, int] = {}
        queue = deque([start])
        while queue:
            left = queue.popleft()
            for right in self._candidates(left, reached_from):
                reached_from[right] = left
                if self.is_free(right):
                    self._exchange(right, reached_from)
                    return True
                queue.append(self._left_of[right])
        return False

    def _exchange(self, free: int, reached_from: dict[int, int]) -> None:
        """Walk back from a free vector, giving each left one on the way the right one found."""
        right: int | None = free
        while right is not None:
            left = reached_from[right]
            released = self._right_of.get(left)
            self._left_of[right], self._right_of[left] = left, right
            right = released

    def _candidates(self, left: int, known: Container[int]) -> Iterator[int]:
        """The right vectors close to a left one and not yet `known`, looked for on the axis."""
        vector = self._left[left]
        value = vector[self._axis]
        reach = self._reach(value)
        first = bisect_left(self._values, value - reach)
        last = bisect_right(self._values, value + reach)
        for right in self._order[first:last]:
            if right not in known and is_close(vector, self._right[right], self._tolerances):
                yield right

    def _reach(self, value: float) -> float:
        """A generous bound on the distance along the axis to a close vector."""
        return 2 * self._tolerances[self._axis] * abs(value)

    def _sorted(self, vectors: Sequence[Vector]) -> list[int]:
        return sorted(
            range(len(vectors)), key=lambda index: (vectors[index][self._axis], vectors[index])
        )


def _telling_axis(vectors: Sequence[Vector]) -> int:
    """The component with the most distinct values: sorting by it leaves least to compare."""
    return max(range(len(vectors[0])), key=lambda axis: len({v[axis] for v in vectors}))
