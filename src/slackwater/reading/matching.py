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
from dataclasses import dataclass

Vector = tuple[float, ...]


def is_close(left: Vector, right: Vector, tolerances: Vector) -> bool:
    """Whether each component differs by at most its tolerance, relative to the larger one."""
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


@dataclass(frozen=True, slots=True)
class _Axis:
    """Vectors in the order of one component, along which close ones are looked for."""

    vectors: Sequence[Vector]
    tolerances: Vector
    component: int
    order: Sequence[int]
    values: Sequence[float]
    """The component of each vector, in that order."""

    @staticmethod
    def of(vectors: Sequence[Vector], tolerances: Vector) -> _Axis:
        """Sort them by the component that tells most of them apart."""
        component = _telling_component(vectors)
        order = _sorted(vectors, component)
        values = [vectors[index][component] for index in order]
        return _Axis(vectors, tolerances, component, order, values)

    def reach(self, value: float) -> tuple[float, float]:
        """Generous bounds, along the axis, on vectors close to one with this value."""
        far = 2 * self.tolerances[self.component] * abs(value)
        return value - far, value + far

    def close_to(self, vector: Vector, known: Container[int]) -> Iterator[int]:
        """Those close to a vector and not yet `known`."""
        least, most = self.reach(vector[self.component])
        for index in self.order[bisect_left(self.values, least) : bisect_right(self.values, most)]:
            if index not in known and is_close(vector, self.vectors[index], self.tolerances):
                yield index


class _Matching:
    """A growing set of pairs between two lists of vectors; placing one may move others."""

    def __init__(self, left: Sequence[Vector], right: Sequence[Vector], tolerances: Vector):
        self._left = left
        self._right = _Axis.of(right, tolerances)
        self._right_of: dict[int, int] = {}
        self._left_of: dict[int, int] = {}

    def is_free(self, right: int) -> bool:
        """Whether a vector of the right side has no partner yet."""
        return right not in self._left_of

    def pair_neighbours(self) -> None:
        """Walk both sides in sorted order and pair what is close: nearly all, and cheaply."""
        axis, vectors = self._right.component, self._right.vectors
        rights = deque(self._right.order)
        for left in _sorted(self._left, axis):
            least, _ = self._right.reach(self._left[left][axis])
            while rights and vectors[rights[0]][axis] < least:
                rights.popleft()
            if rights and is_close(self._left[left], vectors[rights[0]], self._right.tolerances):
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
            for right in self._right.close_to(self._left[left], reached_from):
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


def _sorted(vectors: Sequence[Vector], component: int) -> list[int]:
    return sorted(
        range(len(vectors)), key=lambda index: (vectors[index][component], vectors[index])
    )


def _telling_component(vectors: Sequence[Vector]) -> int:
    """The component with the most distinct values: sorting by it leaves least to compare."""
    return max(range(len(vectors[0])), key=lambda axis: len({v[axis] for v in vectors}))
