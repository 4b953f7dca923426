"""The frames of a run on the driver, within a bound on memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import pyarrow as pa

from slackwater.plan.program import Step
from slackwater.state.spill import Held, Room

MACHINE_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
_SMALL_FRAME = 16 * 1024 * 1024
"""Not worth a file, whatever else is in memory."""


class Frames:
    """The frames of a run, each as long as a step still reads it.

    Those that do not fit into `room` together are in files. State that is read in place takes
    no room.
    """

    def __init__(self, readers: dict[str, int], room: Room):
        """Nothing is held yet."""
        self._tables: dict[str, pa.Table] = {}
        self._sizes: dict[str, int] = {}
        self._readers = readers
        self.counts: dict[str, int] = {}
        """Rows of every frame there has been."""
        self._folder = room.folder
        self._left = room.most_bytes

    def hold(
        self, name: str, batches: Iterable[pa.RecordBatch], schema: pa.Schema, *, shares: bool
    ) -> None:
        """Hold the rows of all batches for their readers.

        With `shares` they may be rows that are in memory or in files already.
        """
        held = Held(Room(self._folder, max(self._left, _SMALL_FRAME)))
        before = pa.total_allocated_bytes()
        for batch in batches:
            after = pa.total_allocated_bytes()
            # Memory that others gave back meanwhile must not count as room of its own.
            held.add(batch, max(0, after - before) if shares else batch.nbytes)
            before = after
        self.put(name, pa.Table.from_batches(held.batches(), schema), held.size)

    def put(self, name: str, table: pa.Table, size: int) -> None:
        """Hold a frame of about that many bytes for its readers."""
        self._left -= size
        self._sizes[name] = size
        self._tables[name] = table
        self.counts[name] = table.num_rows

    def counted(self, name: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches of a frame that is not held, once their rows are counted."""
        self.counts[name] = 0
        for batch in batches:
            self.counts[name] += batch.num_rows
            yield batch

    def __getitem__(self, name: str) -> pa.Table:
        """A frame that is held."""
        return self._tables[name]

    def is_empty(self, name: str) -> bool:
        """Whether a frame is known to have no rows."""
        return name in self._tables and not self._tables[name].num_rows

    def release(self, step: Step) -> None:
        """Let go of what no step reads after this one."""
        for name in step.reads:
            self._readers[name] -= 1
            if not self._readers[name]:
                self._left += self._sizes.pop(name, 0)
                self._tables.pop(name, None)
