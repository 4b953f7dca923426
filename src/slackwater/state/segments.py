"""Segment files: opened once in a worker, memory-mapped, searched by hash without copying.

A segment is an Arrow file of record batches, all its rows in order of `_h`. Whoever reads one
names the hashes or the range it needs; the batches and rows that hold them are found by binary
search in the mapped hash column, so that the rest of the file is never touched.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from errno import EMFILE, ENFILE, ENOMEM
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.errors import DataError
from slackwater.state.disk_blocks import Blocks, Hashes, Places, rows_in_each
from slackwater.state.mapped_files import Extent, MappedFile
from slackwater.state.packs import PackedPart, file_of, part_of_pack

_CONSOLIDATED = b"slackwater.consolidated"
_FORMAT = b"slackwater.format"
_NEWEST_FORMAT = 2
"""1 held all decimals in sixteen bytes, and did not say so."""
_MAX_OPEN = 256
_MANY_IN_A_BLOCK = 16
"""So many rows of a block are on so many of its pages that all may as well be read from disk."""


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """The metadata of one immutable segment; `path` is relative to the home.

    It names a file, or a part of a pack (`state/packs.py`).
    """

    path: str
    rows: int
    bytes: int
    first_hash: int
    last_hash: int
    negative: bool
    heavy: bool


@dataclass(frozen=True)
class Segment:
    """An open file: its batches and their hash columns, both in place in the mapped file."""

    file: MappedFile | PackedPart
    batches: tuple[pa.RecordBatch, ...]
    hashes: tuple[Hashes, ...]
    consolidated: bool

    @cached_property
    def blocks(self) -> Blocks:
        """Its batches in smaller pieces."""
        return Blocks.of(self.hashes)

    def fetch_hashes(self, blocks: Places) -> None:
        """Ask the disk for the hashes of blocks, unless they should still be in memory."""
        self._fetch(self.blocks.hashes_asked.renew(blocks), columns=1)

    def fetch_rows(self, blocks: Places) -> None:
        """Ask the disk for all of some blocks, unless it should still be in memory."""
        self._fetch(self.blocks.rows_asked.renew(blocks), columns=None)

    def _fetch(self, blocks: Places, columns: int | None) -> None:
        for each in self.blocks.joined(blocks):
            batch = self.batches[each.batch]
            some = batch if columns is None else batch.select(list(range(columns)))
            self.file.fetch(Extent(some, each.start, each.stop))


@dataclass(frozen=True, slots=True)
class Hits:
    """The places of keys in one batch: key `keys[i]` at the rows `starts[i]:stops[i]`."""

    batch: pa.RecordBatch
    consolidated: bool
    keys: Places
    starts: Places
    stops: Places

    @property
    def counts(self) -> Places:
        """The number of rows of each key."""
        return self.stops - self.starts

    @property
    def rows(self) -> int:
        """The number of rows found."""
        return int(self.counts.sum())

    def between(self, first: int, last: int) -> Hits:
        """The hits of the keys numbered `first` up to, not including, `last`."""
        low, high = self.keys.searchsorted((first, last))
        if low == 0 and high == len(self.keys):
            return self
        keys, starts, stops = (each[low:high] for each in (self.keys, self.starts, self.stops))
        return Hits(self.batch, self.consolidated, keys, starts, stops)

    def take(self) -> pa.RecordBatch:
        """The rows found, in the order of their hashes, as the file holds them."""
        return self.batch.take(pa.array(expand(self.starts, self.stops)))


class _OpenSegments:
    """The files this worker has mapped, least recently used first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[str, tuple[tuple[int, ...], Segment]] = OrderedDict()

    def get(self, path: str) -> Segment:
        """The open file; one that was written anew under the same name is opened again."""
        with self._lock:
            version = _version(path)
            known = self._open.pop(path, None)
            if known is None or known[0] != version:
                known = version, map_segment(Path(path))
            self._open[path] = known
            while len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
            return known[1]

    def forget(self, paths: Iterable[Path]) -> None:
        """Close deleted files, which take room on the disk as long as they are mapped."""
        gone = {str(path) for path in paths}
        with self._lock:
            for path in [each for each in self._open if file_of(each) in gone]:
                del self._open[path]


_SEGMENTS = _OpenSegments()


def _version(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(file_of(path))  # noqa: PTH116 - a Path costs more than the call
    except FileNotFoundError as problem:
        raise DataError(
            "a file of the state is missing",
            where=path,
            hint="Restore the home directory from a copy.",
        ) from problem
    return status.st_ino, status.st_mtime_ns, status.st_size


def open_segment(root: str, file: SegmentFile) -> Segment:
    """The file below `root`, mapped into memory."""
    return _SEGMENTS.get(f"{root}/{file.path}")


def forget_segments(paths: Iterable[Path]) -> None:
    """Close files that have been deleted, once none of their rows is in use."""
    _SEGMENTS.forget(paths)


def open_between(root: str, files: Iterable[SegmentFile], low: int, high: int) -> list[Segment]:
    """The files that may hold hashes from `low` to `high`, both included."""
    return [
        open_segment(root, file)
        for file in files
        if file.rows and file.first_hash <= high and file.last_hash >= low
    ]


def map_segment(path: Path, *, whole: bool = False) -> Segment:
    """The file, mapped into memory until the last use of the result is gone.

    A part of a pack is small and is read. `whole` says that all of it is going to be read.
    """
    try:
        part = part_of_pack(str(path))
        file = MappedFile(path, whole=whole) if part is None else PackedPart(part)
        reader = file.reader()
        read = [reader.get_batch(index) for index in range(reader.num_record_batches)]
    except (pa.ArrowInvalid, OSError, ValueError) as problem:
        scarce = isinstance(problem, OSError) and problem.errno in (EMFILE, ENFILE, ENOMEM)
        raise DataError(
            f"a file of the state cannot be read: {problem}",
            where=str(path),
            hint="Refresh more often, and allow the process more files and memory (ulimit -n)."
            if scarce
            else "Restore the home directory from a copy.",
        ) from problem
    batches = tuple(batch.replace_schema_metadata(None) for batch in read if batch.num_rows)
    hashes = tuple(hash_column(batch) for batch in batches)
    metadata = reader.schema.metadata or {}
    _check_format(int(metadata.get(_FORMAT, b"1")), path)
    return Segment(file, batches, hashes, _CONSOLIDATED in metadata)


def file_metadata(*, consolidated: bool) -> dict[bytes, bytes]:
    """The metadata that a new file holds of itself."""
    of_format = {_FORMAT: str(_NEWEST_FORMAT).encode()}
    return {**of_format, _CONSOLIDATED: b"1"} if consolidated else of_format


def _check_format(found: int, path: Path) -> None:
    """Rows of different formats do not fit together, so those of another are not read at all."""
    if found == _NEWEST_FORMAT:
        return
    hint = (
        "Upgrade Slackwater: the home was last written by a newer version."
        if found > _NEWEST_FORMAT
        else "Read the home with the version that wrote it, or make a new home from the same data."
    )
    raise DataError(
        f"a file of the state has format {found}; this Slackwater reads format {_NEWEST_FORMAT}",
        where=str(path),
        hint=hint,
    )


def hash_column(batch: pa.RecordBatch) -> Hashes:
    """The batch's first column, `_h`, in place."""
    hashes: Hashes = batch.column(0).to_numpy(zero_copy_only=True)
    return hashes


def distinct(hashes: Hashes) -> Hashes:
    """Each of some ascending hashes once.

    >>> distinct(np.array([-4, 7, 7, 9])).tolist()
    [-4, 7, 9]
    """
    return hashes[first_of_each(hashes)]


def first_of_each(hashes: Hashes) -> npt.NDArray[np.bool_]:
    """True for each of some ascending hashes that differs from the one before."""
    first = np.ones(len(hashes), dtype=bool)
    np.not_equal(hashes[1:], hashes[:-1], out=first[1:])
    return first


def find(segment: Segment, keys: Hashes) -> Iterator[Hits]:
    """Find the ascending, distinct `keys`, batch by batch."""
    if len(segment.hashes) == 1 and len(segment.hashes[0]) <= _MANY_IN_A_BLOCK:
        yield from _find_among_few(segment, keys)
        return
    blocks = segment.blocks
    lows = np.searchsorted(keys, blocks.firsts, "left")
    highs = np.searchsorted(keys, blocks.lasts, "right")
    touched = np.flatnonzero(highs > lows)
    # A search that finds nothing in memory would wait for the disk at every step.
    segment.fetch_hashes(touched)
    for index in distinct(blocks.batches[touched]).tolist():
        own = blocks.of_batch(index)
        low, high = lows[own.start], highs[own.stop - 1]
        found, starts, stops = _find_in_batch(segment.hashes[index], keys[low:high])
        if len(found):
            edges = np.append(blocks.starts[own], blocks.stops[own.stop - 1])
            many = rows_in_each(edges, starts, stops) >= _MANY_IN_A_BLOCK
            segment.fetch_rows(own.start + np.flatnonzero(many))
            batch = segment.batches[index]
            yield Hits(batch, segment.consolidated, found + low, starts, stops)


def _find_among_few(segment: Segment, keys: Hashes) -> Iterator[Hits]:
    """The same in a file of a few rows, which a page or two hold."""
    found, starts, stops = _find_in_batch(segment.hashes[0], keys)
    if len(found):
        yield Hits(segment.batches[0], segment.consolidated, found, starts, stops)


def _find_in_batch(hashes: Hashes, keys: Hashes) -> tuple[Places, Places, Places]:
    """Keys found, and their rows. The shorter side is looked up in the longer."""
    if len(keys) <= len(hashes):
        starts = hashes.searchsorted(keys)
        found = np.flatnonzero(hashes.take(starts, mode="clip") == keys)
        return found, starts[found], hashes.searchsorted(keys[found], "right")
    places = np.minimum(np.searchsorted(keys, hashes, "left"), len(keys) - 1)
    rows = np.flatnonzero(keys[places] == hashes)
    found, heads, counts = np.unique(places[rows], return_index=True, return_counts=True)
    return found, rows[heads], rows[heads] + counts


def cut(segment: Segment, low: int, high: int) -> list[Extent]:
    """The rows with hashes from `low` to `high`, both included, block by block."""
    extents = []
    for each in segment.blocks.between(low, high):
        start, stop = _edges(segment.hashes[each.batch][each.start : each.stop], low, high)
        if stop > start:
            batch = segment.batches[each.batch]
            extents.append(Extent(batch, each.start + start, each.start + stop))
    return extents


def _edges(hashes: Hashes, low: int, high: int) -> tuple[int, int]:
    start = 0 if hashes[0] >= low else int(np.searchsorted(hashes, low, "left"))
    stop = len(hashes) if hashes[-1] <= high else int(np.searchsorted(hashes, high, "right"))
    return start, stop


def expand(starts: Places, stops: Places) -> Places:
    """All numbers of several ranges, one range after the other.

    >>> expand(np.array([3, 10]), np.array([5, 12])).tolist()
    [3, 4, 10, 11]
    """
    counts = stops - starts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


def mean_row_bytes(files: Sequence[SegmentFile]) -> int:
    """The bytes that a row takes in the file with the largest rows."""
    return max((file.bytes // file.rows for file in files if file.rows), default=0)
