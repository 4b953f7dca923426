"""Writes segment files: sorted by hash, whole or not at all, under names known beforehand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.faults import reach
from slackwater.state.arrow_file import ArrowFile
from slackwater.state.columns import (
    WEIGHT,
    bounded_file_rows,
    bounded_rows,
    compact_stored,
    conform_batch,
    regroup,
)
from slackwater.state.consolidation import consolidate
from slackwater.state.counters import Ledger, ReadCounters
from slackwater.state.first_rows import FirstRows
from slackwater.state.gather import complete_hashes
from slackwater.state.packs import SMALL_SEGMENT, Packs
from slackwater.state.publish import Publisher, publish
from slackwater.state.segments import SegmentFile, file_metadata, hash_column
from slackwater.state.sorting import sorted_pieces
from slackwater.state.spill import Room
from slackwater.state.worker import Batches, metered, task_numbers

FIRST_ROWS = "first rows"
"""In place of a directory: a row of the manifest that counts rows; `negative` if suspicious."""
MANIFEST = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("rows", pa.int64()),
        pa.field("bytes", pa.int64()),
        pa.field("first_hash", pa.int64()),
        pa.field("last_hash", pa.int64()),
        pa.field("negative", pa.bool_()),
        pa.field("heavy", pa.bool_()),
        pa.field("directory", pa.string()),
    ]
)


@dataclass(slots=True)
class SegmentWriter:
    """A file being written; used as a context manager, after which `result` describes it.

    Rows go to a file whose name no other attempt uses; it gets its final name when all is on
    disk. A second attempt at the same task thus replaces a complete file by an equal one.
    """

    root: str
    path: str
    schema: pa.Schema
    consolidated: bool
    attempt: int
    publisher: Publisher | None = None
    """With one, the file gets its name in its own time."""
    counters: ReadCounters = field(default_factory=ReadCounters)
    """Counts the time that writing takes."""
    result: SegmentFile | None = None
    _rows: int = 0
    _first: int = 0
    _last: int = 0
    _negative: bool = False
    _heavy: bool = False
    _sink: ArrowFile | None = field(default=None, repr=False)
    _final: Path = field(default_factory=Path, repr=False)
    _temporary: Path = field(default_factory=Path, repr=False)

    def write(self, batch: pa.RecordBatch) -> None:
        """Append rows, which continue the order of hashes."""
        if not batch.num_rows:
            return
        hashes, weights = hash_column(batch), pc.min_max(batch.column(WEIGHT)).as_py()
        if not self._rows:
            self._first = int(hashes[0])
        self._last = int(hashes[-1])
        self._rows += batch.num_rows
        self._negative |= weights["min"] < 0
        self._heavy |= weights["max"] > 1
        with self.counters.while_writing():
            if self._sink is None:
                self._sink = self._open()
            self._sink.write(batch)
        reach("segment.writing")

    def __enter__(self) -> SegmentWriter:
        """Nothing is opened before the first row."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the file its name, or take it away if the block failed."""
        if self._sink is None:
            return
        with self.counters.while_writing():
            try:
                self._sink.close()
            except BaseException:
                self._temporary.unlink(missing_ok=True)
                raise
            if kind is None:
                self._publish()
            else:
                self._temporary.unlink(missing_ok=True)

    def _open(self) -> ArrowFile:
        final = self._final = Path(self.root) / self.path
        self._temporary = final.with_name(f".{final.name}.{self.attempt}.{os.getpid()}.tmp")
        metadata = file_metadata(consolidated=self.consolidated)
        schema = self.schema.with_metadata(metadata)
        try:
            return ArrowFile(self._temporary, schema)
        except FileNotFoundError:
            final.parent.mkdir(parents=True, exist_ok=True)
            return ArrowFile(self._temporary, schema)

    def _publish(self) -> None:
        size = self._temporary.stat().st_size
        begin = publish if self.publisher is None else self.publisher.publish
        begin(self._temporary, self._final)
        self.result = SegmentFile(
            self.path, self._rows, size, self._first, self._last, self._negative, self._heavy
        )


@dataclass(frozen=True, slots=True)
class WriteSegment:
    """Writes each partition's rows as one segment and yields a manifest row about it.

    Input: `_h`, the row's columns and `_w`; ascending by `_h` if `ordered`, else in any order.
    With `consolidate`, equal rows are added up and zeros dropped. A partition without rows leaves
    no file.
    """

    root: str
    directory: str
    stem: str
    columns: pa.Schema
    ordered: bool
    consolidate: bool
    ledger: Ledger | None = None
    first: FirstRows | None = None
    """Looks at the rows where they are the first of a source."""
    room: Room | None = None
    """For rows that have to be sorted here; without it they are sorted in memory."""
    publisher: Publisher | None = None
    """Gives files their names while others are written."""
    packs: Packs | None = None
    """Takes segments of a few rows, where there are many such."""

    def __call__(self, batches: Batches) -> Batches:
        """Write the file, then say so."""
        return metered(self._written, batches, self.ledger)

    def write(self, batches: Batches) -> SegmentFile | None:
        """Write the file where its rows are, on the driver; None if there are no rows."""
        return self._write(batches, ReadCounters(), None)

    def _written(self, batches: Batches, counters: ReadCounters) -> Batches:
        first = None if self.first is None else replace(self.first)
        file = self._write(batches, counters, first)
        if file is not None:
            yield manifest([file], self.directory)
        if first is not None:
            told = SegmentFile("", first.came, 0, 0, 0, negative=first.suspicious, heavy=False)
            yield manifest([told], FIRST_ROWS)

    def _write(
        self, batches: Batches, counters: ReadCounters, first: FirstRows | None
    ) -> SegmentFile | None:
        schema = compact_stored(self.columns)
        partition, attempt = task_numbers()
        path = f"{self.directory}/{self.stem}-{partition}.arrow"
        conformed = (conform_batch(batch, schema) for batch in batches)
        prepared = self._prepared(conformed, schema)
        if first is not None:
            prepared = map(first.see, prepared)
        rows = regroup(prepared, bounded_file_rows)
        few = list(islice(rows, 1))
        if self.packs is not None and few and few[0].nbytes <= SMALL_SEGMENT:
            few += islice(rows, 1)
            if len(few) == 1:
                return self._packed(few[0], schema, self.packs)
        with SegmentWriter(
            self.root, path, schema, self.consolidate, attempt, self.publisher, counters
        ) as writer:
            for batch in chain(few, rows):
                writer.write(batch)
        return writer.result

    def _packed(self, batch: pa.RecordBatch, schema: pa.Schema, packs: Packs) -> SegmentFile:
        metadata = file_metadata(consolidated=self.consolidate)
        path, size = packs.add(batch, schema.with_metadata(metadata))
        hashes, weights = hash_column(batch), batch.column(WEIGHT).to_numpy()
        return SegmentFile(
            path,
            batch.num_rows,
            size,
            int(hashes[0]),
            int(hashes[-1]),
            negative=bool(weights.min() < 0),
            heavy=bool(weights.max() > 1),
        )

    def _prepared(self, batches: Batches, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        if not self.ordered:
            for piece in sorted_pieces(batches, self.room):
                yield consolidate(piece, (WEIGHT,)) if self.consolidate else piece
        elif self.consolidate:
            for batch in complete_hashes(batches, schema, bounded_rows()):
                yield consolidate(batch, (WEIGHT,))
        else:
            yield from batches


def manifest(files: Iterable[SegmentFile], directory: str) -> pa.RecordBatch:
    """What was written, as rows for the driver."""
    rows = [{**asdict(file), "directory": directory} for file in files]
    return pa.RecordBatch.from_pylist(rows, schema=MANIFEST)
