"""Puts rows in the order of their hashes, however many there are.

Rows arrive in any order and leave in pieces that fit the processor's cache. They are dealt out by
the top bits of their hash while they arrive, a run at a time, so that later each piece is copied
together from one place of every run and sorted by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.state.ahead import in_order
from slackwater.state.columns import join_batches
from slackwater.state.disk_blocks import Places
from slackwater.state.segments import hash_column
from slackwater.state.spill import Held, Room

Tops = npt.NDArray[np.uint16]
_MANY_RUNS = 1_000
_RUN_ROWS = 262_144
_RUN_BYTES = 64 * 1024 * 1024
_PIECE_ROWS = 65_536
_TOP_BITS = 16


def sort_by_hash(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows in the order of their hashes."""
    hashes = hash_column(batch)
    falls = np.count_nonzero(hashes[1:] < hashes[:-1])
    if not falls:
        return batch
    # Stable sorting merges runs that are already sorted, which is what segments are.
    kind: Literal["stable", "quicksort"] = "stable" if falls < _MANY_RUNS else "quicksort"
    return batch.take(pa.array(np.argsort(hashes, kind=kind)))


def sorted_pieces(
    batches: Iterable[pa.RecordBatch], room: Room | None = None
) -> Iterator[pa.RecordBatch]:
    """All rows in the order of their hashes, a piece at a time; no hash is in two of them."""
    runs = _runs(batches)
    few = list(islice(runs, 2))
    if not few:
        return
    if len(few) == 1 and few[0].num_rows <= _PIECE_ROWS:
        yield sort_by_hash(few[0])
        return
    cores = 1 if room is None else room.cores
    held, tops = Held(room), []
    for rows, top in in_order(_dealt, chain(few, runs), cores):
        held.add(rows, rows.nbytes)
        tops.append(top)
    yield from in_order(_sorted, _gathered(held.batches(), tops), cores)


def _runs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches of about one size."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        for part in _parts(batch):
            waiting.append(part)
            rows, size = rows + part.num_rows, size + part.nbytes
            if rows >= _RUN_ROWS or size >= _RUN_BYTES:
                yield join_batches(waiting)
                waiting, rows, size = [], 0, 0
    if waiting:
        yield join_batches(waiting)


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, _RUN_ROWS):
        yield batch.slice(start, _RUN_ROWS)


def _dealt(run: pa.RecordBatch) -> tuple[pa.RecordBatch, Tops]:
    """The rows in the order of the top bits of their hashes, and those."""
    shift = 64 - _TOP_BITS
    tops: Tops = ((hash_column(run) >> shift) + (1 << (_TOP_BITS - 1))).astype(np.uint16)
    order = np.argsort(tops, kind="stable")
    return run.take(pa.array(order)), tops[order]


def _gathered(runs: list[pa.RecordBatch], tops: list[Tops]) -> Iterator[list[pa.RecordBatch]]:
    """The rows of piece after piece, in one place of every run."""
    cuts = _cuts(tops)
    places = [np.searchsorted(each, cuts[1:-1]) for each in tops]
    edges = [(0, *place.tolist(), len(top)) for place, top in zip(places, tops, strict=True)]
    for number in range(len(cuts) - 1):
        found = [
            run.slice(edge[number], edge[number + 1] - edge[number])
            for run, edge in zip(runs, edges, strict=True)
            if edge[number + 1] > edge[number]
        ]
        if found:
            yield found


def _sorted(found: list[pa.RecordBatch]) -> pa.RecordBatch:
    joined = join_batches(found)
    return joined.take(pa.array(np.argsort(hash_column(joined))))


def _cuts(tops: list[Tops]) -> Places:
    """The beginnings of pieces: values of the top bits with about as many rows between them."""
    counts = sum(np.bincount(each, minlength=1 << _TOP_BITS) for each in tops)
    numbers = np.cumsum(counts) // _PIECE_ROWS
    starts: Places = np.flatnonzero(np.diff(numbers)) + 1
    return np.array([0, *starts.tolist(), 1 << _TOP_BITS])
