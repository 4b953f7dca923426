"""The frames of a run on the driver, within a bound on memory."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pyarrow as pa

from slackwater.plan.program import Step
from slackwater.runtime.local.types import NotLocalError

MACHINE_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Frames:
    """The frames of a run, each as long as a step still reads it, within a bound.

    State that is read in place takes no room.
    """

    def __init__(self, readers: dict[str, int], most_bytes: int):
        """Nothing is held yet."""
        self._tables: dict[str, pa.Table] = {}
        self._sizes: dict[str, int] = {}
        self._readers = readers
        self._room = most_bytes

    def collected(self, batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """All batches, unless there is no room for them."""
        found, before = [], pa.total_allocated_bytes()
        for batch in batches:
            found.append(batch)
            self._require(pa.total_allocated_bytes() - before)
        return found

    def put(self, name: str, table: pa.Table, size: int) -> None:
        """Hold a frame of about that many bytes for its readers."""
        # Memory that others gave back meanwhile must not count as room of its own.
        taken = max(size, 0)
        self._require(taken)
        self._room -= taken
        self._sizes[name] = taken
        self._tables[name] = table

    def __getitem__(self, name: str) -> pa.Table:
        """A frame that is held."""
        return self._tables[name]

    def release(self, step: Step) -> None:
        """Let go of what no step reads after this one."""
        for name in step.reads:
            self._readers[name] -= 1
            if not self._readers[name]:
                self._room += self._sizes.pop(name, 0)
                self._tables.pop(name, None)

    def left(self) -> dict[str, pa.Table]:
        """What no step has read."""
        return self._tables

    def _require(self, size: int) -> None:
        if size > self._room:
            raise NotLocalError("frames larger than should be in memory here")
