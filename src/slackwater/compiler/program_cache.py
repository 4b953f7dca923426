"""Programs of earlier runs, for runs in which nothing but offsets has changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from slackwater.plan.program import Program

_MOST = 64


class ProgramCache:
    """Keeps the programs that were asked for last.

    >>> cache = ProgramCache()
    >>> first = cache.program("key", lambda: Program(()))
    >>> cache.program("key", lambda: Program(())) is first
    True
    """

    def __init__(self, most: int = _MOST):
        """Keep so many at most."""
        self._most = most
        self._known: OrderedDict[Hashable, Program] = OrderedDict()

    def program(self, key: Hashable, make: Callable[[], Program]) -> Program:
        """The program of that key; made if it is not known."""
        if key not in self._known:
            self._known[key] = make()
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]
