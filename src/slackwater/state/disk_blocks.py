"""The batches of a file in blocks: rows that the disk is asked for together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.state.columns import bounded_rows
from slackwater.state.mapped_files import DEMAND, MEMORY

Hashes = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
_STAYS_SECONDS = 60.0
_STAYS_BYTES = MEMORY // 16


class Asked:
    """The times at which the disk was last asked for each of some blocks."""

    def __init__(self, blocks: int):
        """It has not been asked for any."""
        self._seconds = np.full(blocks, -np.inf)
        self._bytes = np.zeros(blocks, dtype=np.int64)

    def renew(self, blocks: Places) -> Places:
        """Those of the numbered blocks that may not be in memory; they are asked for now."""
        seconds, size = time.monotonic(), DEMAND.bytes
        long_ago = seconds - self._seconds[blocks] >= _STAYS_SECONDS
        gone = blocks[long_ago | (size - self._bytes[blocks] >= _STAYS_BYTES)]
        self._seconds[gone], self._bytes[gone] = seconds, size
        return gone


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows of one batch."""

    batch: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """Block i is the rows `starts[i]` to `stops[i]` of a batch, with the hashes between its ends.

    The blocks of batch b are those numbered from `edges[b]` up to, not including, `edges[b + 1]`.
    """

    edges: Places
    batches: Places
    starts: Places
    stops: Places
    firsts: Hashes
    lasts: Hashes
    hashes_asked: Asked
    rows_asked: Asked

    @staticmethod
    def of(hashes: Sequence[Hashes]) -> Blocks:
        """The blocks of batches with these hashes, none of which is empty."""
        step = bounded_rows()
        counts = [-(-len(batch) // step) for batch in hashes]
        pieces = [
            (batch, start, min(start + step, len(batch)))
            for batch in hashes
            for start in range(0, len(batch), step)
        ]
        return Blocks(
            np.cumsum([0, *counts]),
            np.repeat(np.arange(len(hashes)), counts),
            np.array([start for _, start, _ in pieces], dtype=np.intp),
            np.array([stop for _, _, stop in pieces], dtype=np.intp),
            np.array([batch[start] for batch, start, _ in pieces], dtype=np.int64),
            np.array([batch[stop - 1] for batch, _, stop in pieces], dtype=np.int64),
            Asked(len(pieces)),
            Asked(len(pieces)),
        )

    def of_batch(self, batch: int) -> slice:
        """The numbers of a batch's blocks."""
        return slice(int(self.edges[batch]), int(self.edges[batch + 1]))

    def between(self, low: int, high: int) -> Iterator[Stretch]:
        """The blocks that may have hashes from `low` to `high`, both included."""
        first = int(np.searchsorted(self.lasts, low, "left"))
        last = int(np.searchsorted(self.firsts, high, "right"))
        for block in range(first, last):
            yield self._stretch(block, block)

    def joined(self, blocks: Places) -> Iterator[Stretch]:
        """Some blocks, in ascending order; those that follow one another in a batch are one."""
        if not len(blocks):
            return
        follows = (np.diff(blocks) == 1) & (np.diff(self.batches[blocks]) == 0)
        for run in np.split(blocks, np.flatnonzero(~follows) + 1):
            yield self._stretch(run[0], run[-1])

    def _stretch(self, first: int, last: int) -> Stretch:
        return Stretch(int(self.batches[first]), int(self.starts[first]), int(self.stops[last]))


def rows_in_each(edges: Places, starts: Places, stops: Places) -> Places:
    """The number of rows of some ascending ranges between each edge and the next.

    >>> rows_in_each(np.array([0, 4, 8]), np.array([1, 3]), np.array([2, 7])).tolist()
    [2, 3]
    """
    before = np.concatenate(([0], np.cumsum(stops - starts)))
    passed = np.searchsorted(stops, edges, "right")
    begun = np.append(starts, edges[-1])[passed]
    counted: Places = before[passed] + np.maximum(edges - begun, 0)
    return np.diff(counted)
