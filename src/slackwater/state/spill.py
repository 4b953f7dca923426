"""Holds more rows than fit in memory: the rest is spilled to temporary files."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from slackwater.state.arrow_file import ArrowFile


@dataclass(frozen=True, slots=True)
class Room:
    """The bytes of rows that may be in memory, the folder for those beyond, and free cores."""

    folder: Path
    most_bytes: int
    cores: int = 1


class Held:
    """Record batches in the order in which they came; all of one schema."""

    def __init__(self, room: Room | None = None):
        """Without `room` all of them stay in memory."""
        self._room = room
        self._moved: list[pa.RecordBatch] = []
        self._recent: list[pa.RecordBatch] = []
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self._size

    def add(self, batch: pa.RecordBatch, size: int) -> None:
        """Hold a batch that takes so many bytes of memory."""
        self._recent.append(batch)
        self._size += size
        if self._room is not None and self._size > self._room.most_bytes:
            self._moved += _moved(self._recent, self._room.folder)
            self._recent, self._size = [], 0

    def batches(self) -> list[pa.RecordBatch]:
        """All of them."""
        return [*self._moved, *self._recent]


def _moved(batches: list[pa.RecordBatch], folder: Path) -> list[pa.RecordBatch]:
    """The same rows in place in a file, which is gone when the last of them is."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="rows-", suffix=".arrow") as file:
        with closing(ArrowFile(file.name, batches[0].schema)) as sink:
            for batch in batches:
                sink.write(batch)
        reader = pa.ipc.open_file(pa.memory_map(file.name))
        return [reader.get_batch(index) for index in range(reader.num_record_batches)]
