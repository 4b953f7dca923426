"""Puts groupings of the same rows side by side, so that each is kept its own way."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Aggregate, Join, JoinKey, JoinKind, Project
from slackwater.algebra.rel import Rel


def side_by_side(parts: Sequence[Aggregate], columns: tuple[Column, ...]) -> Rel:
    """The columns of several groupings by the same keys.

    A group exists in all parts or in none, so each row meets exactly one of every other part.
    """
    joined: Rel = parts[0]
    for part in parts[1:]:
        pairs = zip(parts[0].keys, part.keys, strict=True)
        keys = tuple(JoinKey(a.column.ref(), b.column.ref(), null_safe=True) for a, b in pairs)
        joined = Join(JoinKind.INNER if keys else JoinKind.CROSS, joined, part, keys)
    if joined.columns == columns:
        return joined
    return Project(joined, tuple(map(pass_through, columns)))
