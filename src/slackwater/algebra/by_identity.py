"""Remembers what was found out about plans, which are frozen and often the same object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from slackwater.algebra.rel import Rel

Found = TypeVar("Found")
_REMEMBERED = 50_000


def remembered(function: Callable[[Rel], Found]) -> Callable[[Rel], Found]:
    """The function, which looks at every plan only once.

    Plans are told apart by identity: comparing two costs as much as looking at one. What is
    remembered keeps its plan, and so the plan's number.
    """
    known: dict[int, tuple[Rel, Found]] = {}

    @wraps(function)
    def once(rel: Rel) -> Found:
        found = known.get(id(rel))
        if found is None:
            if len(known) >= _REMEMBERED:
                known.clear()
            found = known[id(rel)] = rel, function(rel)
        return found[1]

    return once
