"""Writes segment files: sorted by hash, whole or not at all, under names known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from slackwater.faults import reach
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
from slackwater.state.unnamed_files import UnnamedFile
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
class _Tally:
    """Adds up what is known of a segment from its rows, which come in the order of hashes."""

    rows: int = 0
    first: int = 0
    last: int = 0
    negative: bool = False
    heavy: bool = False

    def add(self, batch: pa.RecordBatch) -> None:
        """Look at rows, of which there is one at least."""
        hashes, weights = hash_column(batch), batch.column(WEIGHT).to_numpy()
        if not self.rows:
            self.first = int(hashes[0])
        self.last = int(hashes[-1])
        self.rows += batch.num_rows
        self.negative |= bool(weights.min() < 0)
        self.heavy |= bool(weights.max() > 1)

    def segment(self, path: str, size: int) -> SegmentFile:
        """The segment with these rows."""
        return SegmentFile(path, self.rows, size, self.first, self.last, self.negative, self.heavy)


@dataclass(frozen=True, slots=True)
class SegmentTarget:
    """The segment that is to be written."""

    root: str
    path: str
    schema: pa.Schema
    consolidated: bool
    attempt: int = 0

    def file(self) -> UnnamedFile:
        """The file that its rows go to."""
        schema = self.schema.with_metadata(file_metadata(consolidated=self.consolidated))
        return UnnamedFile(Path(self.root) / self.path, self.attempt, schema)


class SegmentWriter:
    """A file being written; used as a context manager, after which `result` describes it.

    Rows go to a file whose name no other attempt uses; it gets its final name when all is on
    disk. A second attempt at the same task thus replaces a complete file by an equal one.
    """

    def __init__(
        self,
        target: SegmentTarget,
        publisher: Publisher | None = None,
        counters: ReadCounters | None = None,
    ):
        """With a publisher the file gets its name in its own time; counters take the time."""
        self._target = target
        self._file = target.file()
        self._publish = publish if publisher is None else publisher.publish
        self._counters = ReadCounters() if counters is None else counters
        self._tally = _Tally()
        self.result: SegmentFile | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append rows, which continue the order of hashes."""
        if not batch.num_rows:
            return
        self._tally.add(batch)
        with self._counters.while_writing():
            self._file.write(batch)
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
        if not self._file.is_begun:
            return
        with self._counters.while_writing():
            self._file.close()
            if kind is None:
                size = self._file.publish(self._publish)
                self.result = self._tally.segment(self._target.path, size)
            else:
                self._file.drop()


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
        target = SegmentTarget(self.root, path, schema, self.consolidate, attempt)
        with SegmentWriter(target, self.publisher, counters) as writer:
            for batch in chain(few, rows):
                writer.write(batch)
        return writer.result

    def _packed(self, batch: pa.RecordBatch, schema: pa.Schema, packs: Packs) -> SegmentFile:
        metadata = file_metadata(consolidated=self.consolidate)
        path, size = packs.add(batch, schema.with_metadata(metadata))
        tally = _Tally()
        tally.add(batch)
        return tally.segment(path, size)

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
