"""What goes from the tasks of one block to those of the next: Arrow batches as bytes.

A shuffle of Spark's moves rows of five columns, each a piece of some frame for one partition. So
Spark converts no single row of ours, and all frames share one shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.state.columns import join_batches
from slackwater.state.snapshot import even_ranges

TARGET = "target"
COLUMNS = "target INT, source INT, frame STRING, seq INT, data BINARY"
"""The columns of an exchange, for Spark."""
_SCHEMA = pa.schema(
    [
        pa.field(TARGET, pa.int32()),
        pa.field("source", pa.int32()),
        pa.field("frame", pa.string()),
        pa.field("seq", pa.int32()),
        pa.field("data", pa.binary()),
    ]
)
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a piece, unless a single row has more, and about those of a transfer to Java."""
_DIVIDED_BYTES = 4 * MOST_BYTES
"""Rows that are divided among partitions at once: they are copied."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a frame for one partition."""

    target: int
    source: int
    """The partition that it comes from."""
    frame: str
    """The name under which it arrives, with the number of the block that reads it."""
    seq: int
    """Counts the pieces of a frame from one source."""
    data: bytes


def pack(pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
    """Pieces as batches for Spark, none of them very large."""
    waiting: list[Piece] = []
    size = 0
    for piece in pieces:
        if waiting and size + len(piece.data) > MOST_BYTES:
            yield _packed(waiting)
            waiting, size = [], 0
        waiting.append(piece)
        size += len(piece.data)
    if waiting:
        yield _packed(waiting)


def _packed(pieces: list[Piece]) -> pa.RecordBatch:
    columns = [
        pa.array([piece.target for piece in pieces], pa.int32()),
        pa.array([piece.source for piece in pieces], pa.int32()),
        pa.array([piece.frame for piece in pieces], pa.string()),
        pa.array([piece.seq for piece in pieces], pa.int32()),
        pa.array([piece.data for piece in pieces], pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)


def unpack(batches: Iterable[pa.RecordBatch]) -> list[Piece]:
    """The pieces in batches from Spark, in an order that is the same each time."""
    found = [
        Piece(*values)
        for batch in batches
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]
    return sorted(found, key=lambda piece: (piece.frame, piece.source, piece.seq))


class Encoder:
    """Encodes the frames of one task."""

    def __init__(self, source: int, partitions: int):
        """Nothing is sent yet."""
        self._source = source
        self._partitions = partitions
        self._edges = np.array([low for low, _ in even_ranges(partitions)[1:]], dtype=np.int64)
        self._sent: dict[str, int] = {}
        self.bytes = 0
        """All that was encoded so far."""

    def to_one(self, frame: str, rows: Iterable[pa.RecordBatch], target: int) -> Iterator[Piece]:
        """All rows to one partition."""
        for batch in rows:
            yield from self._pieces(frame, batch, target)

    def to_all(self, frame: str, rows: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
        """All rows to every partition."""
        for piece in self.to_one(frame, rows, 0):
            yield piece
            for target in range(1, self._partitions):
                yield Piece(target, piece.source, frame, piece.seq, piece.data)
                self.bytes += len(piece.data)

    def divided(
        self, frame: str, rows: Iterable[pa.RecordBatch], by: str, *, keep: bool
    ) -> Iterator[Piece]:
        """Each row to the partition whose range holds the hash in the column `by`."""
        for batch in _portions(rows):
            hashes = batch.column(by).to_numpy(zero_copy_only=True)
            kept = batch if keep else batch.drop_columns([by])
            for target, part in self._parts(kept, hashes):
                yield from self._pieces(frame, part, target)

    def _parts(
        self, rows: pa.RecordBatch, hashes: npt.NDArray[np.int64]
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        if self._partitions == 1:
            yield 0, rows
            return
        targets = np.searchsorted(self._edges, hashes, side="right")
        order = np.argsort(targets, kind="stable")
        dealt = rows.take(pa.array(order))
        stops = np.cumsum(np.bincount(targets, minlength=self._partitions)).tolist()
        starts = chain((0,), stops)
        for target, (start, stop) in enumerate(zip(starts, stops, strict=False)):
            if stop > start:
                yield target, dealt.slice(start, stop - start)

    def _pieces(self, frame: str, rows: pa.RecordBatch, target: int) -> Iterator[Piece]:
        if not rows.num_rows:
            return
        step = max(1, min(rows.num_rows, rows.num_rows * MOST_BYTES // max(1, rows.nbytes)))
        for start in range(0, rows.num_rows, step):
            seq = self._sent[frame] = self._sent.get(frame, -1) + 1
            data = rows.slice(start, step).serialize().to_pybytes()
            self.bytes += len(data)
            yield Piece(target, self._source, frame, seq, data)


def _portions(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches of about one size, some megabytes of each column together."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in rows:
        if not batch.num_rows:
            continue
        step = max(1, batch.num_rows * _DIVIDED_BYTES // max(1, batch.nbytes))
        for start in range(0, batch.num_rows, step):
            part = batch.slice(start, step)
            waiting.append(part)
            size += part.nbytes
            if size >= _DIVIDED_BYTES:
                yield join_batches(waiting)
                waiting, size = [], 0
    if waiting:
        yield join_batches(waiting)


def decode(piece: Piece, schema: pa.Schema) -> pa.RecordBatch:
    """The rows of a piece."""
    return pa.ipc.read_record_batch(pa.py_buffer(piece.data), schema)
