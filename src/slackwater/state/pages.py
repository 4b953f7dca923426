"""Files mapped into memory, of which the disk is asked only for what is needed.

Left to itself, the kernel reads megabytes around each page that is touched, which of a file with
many columns is all of it. Here it reads the touched page alone, and what is known to be needed
is asked for beforehand.
"""

from __future__ import annotations

import mmap
import os
import resource
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pyarrow as pa

_NEAR = 64 * 1024
"""A gap of so many bytes is read rather than left out."""
_AT_ONCE = 16 * 1024 * 1024
"""Less than this is asked for right away."""
_MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
_MOST = _MEMORY // 4
"""More than this might be gone again before it is used."""
_STAYS_SECONDS = 60.0
_STAYS_BYTES = _MEMORY // 16


@dataclass(slots=True)
class Demand:
    """How much this process has asked its files for, which pushes out what was read before."""

    bytes: int = 0

    def now(self) -> Moment:
        """This moment, for a later look at what may have been pushed out since."""
        return Moment(time.monotonic(), self.bytes)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time, and what had been asked for until then."""

    seconds: float
    bytes: int

    def still_holds(self, now: Moment) -> bool:
        """Whether what was read at this moment is taken to be in memory now."""
        quick = now.seconds - self.seconds < _STAYS_SECONDS
        return quick and now.bytes - self.bytes < _STAYS_BYTES


DEMAND = Demand()


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

    def fetch(self, arrays: Iterable[pa.Array]) -> None:
        """Ask for all that some arrays of the file hold; does not wait until it is there."""
        for start, stop in self._spans(arrays):
            self._mapped.madvise(mmap.MADV_WILLNEED, start, stop - start)
            DEMAND.bytes += stop - start

    def read_around(self) -> None:
        """From now on leave it to the kernel what to read beside what is touched."""
        self._mapped.madvise(mmap.MADV_NORMAL)

    def _spans(self, arrays: Iterable[pa.Array]) -> Iterator[tuple[int, int]]:
        """Where the arrays are in the file, from the beginnings of pages; what is near is one."""
        begin = self._buffer.address
        places = sorted(
            (buffer.address - begin, buffer.address - begin + buffer.size)
            for array in arrays
            for buffer in array.buffers()
            if buffer is not None and buffer.size
        )
        if not places:
            return
        first, last = places[0]
        for start, stop in places[1:]:
            if start > last + _NEAR:
                yield first - first % mmap.PAGESIZE, last
                first = start
            last = max(last, stop)
        yield first - first % mmap.PAGESIZE, last


def read_ahead(wanted: list[tuple[MappedFile, pa.RecordBatch]]) -> None:
    """Ask for rows of files that are going to be read in this order."""
    size = sum(rows.nbytes for _, rows in wanted)
    if size > _MOST:
        DEMAND.bytes += size
        for file, _ in wanted:
            file.read_around()
    elif size < _AT_ONCE:
        _fetch_all(wanted)
    else:
        # The first rows can be used while the last are asked for.
        Thread(target=_fetch_all, args=(wanted,), daemon=True).start()


def _fetch_all(wanted: list[tuple[MappedFile, pa.RecordBatch]]) -> None:
    for file, rows in wanted:
        file.fetch(rows.columns)
