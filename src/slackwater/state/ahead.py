"""Works on the next items while the results of earlier ones are used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """The result of the work on each item, in their order, that of several being under way.

    >>> list(in_order(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads <= 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        begun: deque[Future[Result]] = deque()
        for item in items:
            begun.append(pool.submit(work, item))
            if len(begun) > threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
