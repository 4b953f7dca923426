"""Files mapped into memory, of which the disk is asked only for what is needed.

Left to itself, the kernel reads megabytes around each page that is touched, which of a file with
many columns is all of it. Here it reads the touched page alone, and what is known to be needed
is asked for beforehand.
"""

from __future__ import annotations

import mmap
import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Protocol

import pyarrow as pa

_NEAR = 64 * 1024
"""A gap of so many bytes is read rather than left out."""
_ASKED_AT_ONCE = 128 * 1024
"""The kernel reads no more for one call than its read-ahead, which is rarely set to less."""
_RIGHT_AWAY = 16 * 1024 * 1024
"""Less than this is asked for before anything is read."""
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
_MOST = MEMORY // 4
"""More than this might be gone again before it is used."""


@dataclass(slots=True)
class Demand:
    """Bytes this process has asked its files for; they push out what was read before."""

    bytes: int = 0


DEMAND = Demand()


@dataclass(frozen=True, slots=True)
class Extent:
    """The rows from `start` to `stop` of a batch of a file, or of some of its columns."""

    batch: pa.RecordBatch
    start: int
    stop: int

    @property
    def rows(self) -> pa.RecordBatch:
        """These rows, in place."""
        return self.batch.slice(self.start, self.stop - self.start)

    def select(self, columns: list[int]) -> Extent:
        """The same rows with some of the columns."""
        return Extent(self.batch.select(columns), self.start, self.stop)

    def places(self) -> Iterator[tuple[int, int]]:
        """The addresses between which the rows lie in each buffer, as if all were of one size."""
        rows = self.batch.num_rows
        for array in self.batch.columns:
            for buffer in array.buffers():
                if buffer is not None and buffer.size:
                    first = buffer.size * self.start // rows
                    last = -(-buffer.size * self.stop // rows)
                    yield buffer.address + first, buffer.address + last


def allow_many_files() -> None:
    """Let this process map as many files as the system permits: batches may be thousands.

    Where that is refused, fewer have to do; an error that they do not says so (`map_segment`).
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class MappedFile:
    """A file in memory, as long as some of its rows are in use."""

    def __init__(self, path: Path, *, whole: bool = False):
        """Map it; `whole` says that all of it is read, from its beginning to its end."""
        with path.open("rb") as file:
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._buffer = pa.py_buffer(self._mapped)
        if not whole:
            self._mapped.madvise(mmap.MADV_RANDOM)

    def reader(self) -> pa.RecordBatchFileReader:
        """Its record batches, in place."""
        return pa.ipc.open_file(pa.BufferReader(self._buffer))

    def fetch(self, extent: Extent) -> None:
        """Ask for some rows of the file; does not wait until they are there."""
        for start, stop in self._spans(extent):
            for piece in range(start, stop, _ASKED_AT_ONCE):
                size = min(_ASKED_AT_ONCE, stop - piece)
                self._mapped.madvise(mmap.MADV_WILLNEED, piece, size)
            DEMAND.bytes += stop - start

    def read_around(self) -> None:
        """From now on leave it to the kernel what to read beside what is touched."""
        self._mapped.madvise(mmap.MADV_NORMAL)

    def _spans(self, extent: Extent) -> Iterator[tuple[int, int]]:
        """The spans of rows in the file, from the beginnings of pages; near ones are one span."""
        begin = self._buffer.address
        places = sorted((start - begin, stop - begin) for start, stop in extent.places())
        if not places:
            return
        first, last = places[0]
        for start, stop in places[1:]:
            if start > last + _NEAR:
                yield first - first % mmap.PAGESIZE, last
                first = start
            last = max(last, stop)
        yield first - first % mmap.PAGESIZE, last


class Fetched(Protocol):
    """The memory or file that holds rows."""

    def fetch(self, extent: Extent, /) -> None:
        """Ask for some rows of it."""

    def read_around(self) -> None:
        """Leave it to the kernel what to read."""


def read_ahead(wanted: Sequence[tuple[Fetched, Extent]]) -> None:
    """Ask for rows of files that are going to be read in this order."""
    size = sum(extent.rows.nbytes for _, extent in wanted)
    if size > _MOST:
        DEMAND.bytes += size
        for file, _ in wanted:
            file.read_around()
    elif size < _RIGHT_AWAY:
        _fetch_all(wanted)
    else:
        # The first rows can be used while the last are asked for.
        Thread(target=_fetch_all, args=(wanted,), daemon=True).start()


def _fetch_all(wanted: Sequence[tuple[Fetched, Extent]]) -> None:
    for file, extent in wanted:
        file.fetch(extent)
