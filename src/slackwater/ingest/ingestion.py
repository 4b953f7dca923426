"""Takes a batch of changes into a source: whole, or not at all.

The batch is held against what the source holds by one look-up: an upsert takes out the rows it
replaces, a delete must find its row, and a key must stay unique. Rows in memory need no Spark job
for it (`ingest_quick`) unless something is wrong with them; what is said here in Spark's terms
is for all others. What was written becomes part of the source by the commit alone.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, Row

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import OnMissing, SourceDefinition
from slackwater.catalog.home import Home
from slackwater.catalog.stored_files import StoredFiles
from slackwater.errors import DataError
from slackwater.executors.collated import any_collated
from slackwater.executors.places import Place
from slackwater.executors.program_runner import ProgramRunner
from slackwater.executors.spark.checkpoints import Checkpoints
from slackwater.executors.written import NotHere
from slackwater.faults import reach
from slackwater.ingest.quick_ingestion import Taken, needs_look_up, take_quickly
from slackwater.sources.batches import Batch, BatchOp, read_batch
from slackwater.sources.checks import check_batch, frame_of_marked_rows
from slackwater.spark.failures import SPARK_FAILURES, execution_error
from slackwater.state.first_rows import FirstRows
from slackwater.state.frames import Stored, Target, gather, look_up_nested, write_segments
from slackwater.state.metadata.records import (
    BatchRecord,
    NewSegment,
    PositionRecord,
    Transaction,
)
from slackwater.state.segments import SegmentFile
from slackwater.state.writer import FIRST_ROWS
from slackwater.types import ddl
from slackwater.types.storage import encode_sql

Marks = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""The position that a connector is to remember with a batch; a function is asked for it once
the rows are read and written, and by raising an error refuses the batch."""

_SHOWN = 5
_ROWS_PER_FILE = 500_000
_BYTES_PER_ROW = 100
_KNOWN_BYTES = 1 << 50
"""Beyond it Spark does not know the size of a frame: it then takes it for the largest number."""
_MOST_BITS = 10
"""Estimates of joins can be far too large, and each file costs a task."""


@dataclass(frozen=True, slots=True)
class IngestResult:
    """A batch that is now part of its source."""

    source: str
    offset: int
    commit: int
    inserted: int
    deleted: int


class Ingestion:
    """One batch on its way into one source."""

    def __init__(self, home: Home, runner: ProgramRunner, source: SourceDefinition):
        """Nothing is read yet."""
        self._home = home
        self._runner = runner
        self._session = runner.session
        self._source = source
        self._catalog: Catalog = home.catalog()
        self._stem = f"{self._catalog.state.commit + 1:08d}-{uuid.uuid4().hex[:8]}"
        self._checkpoints = Checkpoints()

    def ingest(
        self, rows: object, op: str | None, weight: str | None, marks: Marks
    ) -> IngestResult:
        """Check, write and commit; `marks` are remembered with the batch."""
        spec = self._source.spec
        collated = any_collated(self._source.types)
        self._session = self._runner.run_sessions.session_for(known_rows(rows), collated=collated)
        batch = read_batch(self._session, spec, rows, op, weight)
        reach("ingest.before")
        try:
            taken = self._taken_quickly(batch) or self._taken(batch)
            remembered = marks() if callable(marks) else marks
        except SPARK_FAILURES as problem:
            self._home.discard(self._stem)
            raise execution_error(problem) from problem
        except BaseException:
            self._home.discard(self._stem)
            raise
        finally:
            batch.release()
            self._checkpoints.release()
        reach("ingest.written")
        return self._commit(taken, remembered)

    def _taken_quickly(self, batch: Batch) -> Taken | None:
        """The batch in files, written here; None if it is for Spark, or to be looked at by it."""
        if batch.rows_hint is None or not self._runner.choice.takes_batch(batch.rows_hint):
            return None
        place = Place(self._home.folder, self._stem, StoredFiles(self._catalog))
        taken = take_quickly(batch, self._source, self._runner.local, place)
        return None if isinstance(taken, NotHere) else taken

    def _taken(self, batch: Batch) -> Taken:
        """The batch in files, written by Spark."""
        first = self._written_first(batch)
        if first is not None:
            return first
        check_batch(batch, self._source.spec)
        report = self._written(batch)
        (counts,) = (row for row in report if row.directory == "counts")
        return Taken(self._accepted(report), counts.rows or 0, counts.bytes or 0)

    def _written_first(self, batch: Batch) -> Taken | None:
        """The first rows of a source, checked while they are written.

        None if something is wrong with them, which is then found out the longer way.
        """
        only_adds = batch.op in (BatchOp.INSERT, BatchOp.UPSERT)
        if self._stored().files or not only_adds or not batch.is_lossless:
            return None
        target = replace(self._target(batch), first=FirstRows(bool(self._source.key)))
        frame = frame_of_marked_rows(batch, self._source.spec)
        report = write_segments(self._hashed(frame), self._stored(), target).collect()
        told = [row for row in report if row.directory == FIRST_ROWS]
        if any(row.negative for row in told):
            self._home.discard(self._stem)
            # A task that is still being stopped must not write over files of the next job.
            self._stem += "b"
            return None
        files = self._accepted([row for row in report if row.directory != FIRST_ROWS])
        return Taken(files, sum(row.rows for row in told), 0)

    def _stored(self) -> Stored:
        arrangement = self._source.arrangement
        files = self._catalog.files(arrangement.id)
        return Stored(self._home.folder, arrangement.types, files)

    def _written(self, batch: Batch) -> list[Row]:
        """What the writer and the checks report."""
        changes = self._changes(batch)
        target = self._target(batch)
        checked = needs_look_up(batch, self._source)
        if checked:
            gathered = gather(changes, self._stored(), partitions=self._partitions())
            changes = self._checkpoints.once(gathered)
            faults = [self._missing(changes), self._repeated(changes)]
            net = "greatest(_new, 0) - _old"
            changes = changes.selectExpr("_h", *self._columns(), f"{net} AS _w").where("_w <> 0")
        else:
            faults = []
        changes = self._checkpoints.once(changes)
        parts = [write_segments(changes, self._stored(), target), _counted(changes), *faults]
        return reduce(DataFrame.unionAll, [part for part in parts if part is not None]).collect()

    def _target(self, batch: Batch) -> Target:
        directory = f"state/{self._source.arrangement.id}"
        if self._runner.room is not None:
            return Target(directory, self._stem, room=self._runner.room)
        return Target(directory, self._stem, _partition_bits(batch, self._partitions()))

    def _columns(self) -> tuple[str, ...]:
        return self._source.arrangement.columns

    def _partitions(self) -> int:
        return int(self._session.conf.get("spark.sql.shuffle.partitions") or 2)

    def _changes(self, batch: Batch) -> DataFrame:
        """The batch as `_h`, k0, ..., `_w`; an upsert with the rows it takes out."""
        if batch.op is BatchOp.DELETE_KEYS:
            return self._replaced(self._keys_only(batch), keep_unmatched=True)
        changes = self._hashed(batch.frame)
        if batch.op is not BatchOp.UPSERT:
            return changes
        # What is replaced must be what comes, also of a frame that differs each time.
        changes = self._checkpoints.once(changes)
        return changes.unionAll(self._replaced(changes, keep_unmatched=False))

    def _hashed(self, frame: DataFrame) -> DataFrame:
        names = [*self._columns(), "_w"]
        positional = frame.select(*(f"`{name.replace('`', '``')}`" for name in frame.columns))
        positional = positional.toDF(*names)
        encoded = [
            f"{encode_sql(dtype, name)} AS {name}"
            for name, dtype in zip(self._columns(), self._source.types, strict=True)
        ]
        hashed = f"{self._source.arrangement.hash_text} AS _h"
        return positional.selectExpr(hashed, *encoded, "_w")

    def _keys_only(self, batch: Batch) -> DataFrame:
        """Keys to delete, as rows whose other columns are NULL."""
        places = self._source.key_positions
        frame = batch.frame.toDF(*(f"p{n}" for n in range(len(places))), "_w")
        given = {place: f"p{n}" for n, place in enumerate(places)}
        columns = [
            f"{given.get(n, f'CAST(NULL AS {ddl(dtype)})')} AS k{n}"
            for n, dtype in enumerate(self._source.types)
        ]
        return self._hashed(frame.selectExpr(*columns, "_w"))

    def _replaced(self, changes: DataFrame, *, keep_unmatched: bool) -> DataFrame:
        """The stored rows with the keys of the given ones, with weight -1."""
        same = " AND ".join(f"m.s{n} <=> k{n}" for n in self._source.key_positions)
        found = look_up_nested(
            changes.selectExpr("_h", "_h AS _hash", *self._columns()), self._stored()
        )
        matches = f"filter(_matches, m -> {same}) AS _matches"
        found = found.selectExpr("_hash AS _h", *self._columns(), matches)
        exploded = found.selectExpr("*", "explode_outer(_matches) AS m")
        gone = [
            f"CASE WHEN m IS NULL THEN {name} ELSE m.s{n} END AS {name}"
            for n, name in enumerate(self._columns())
        ]
        rows = exploded if keep_unmatched else exploded.where("m IS NOT NULL")
        return rows.selectExpr("_h", *gone, "CAST(-1 AS BIGINT) AS _w")

    def _missing(self, gathered: DataFrame) -> DataFrame | None:
        """Deletes of rows that are not there, as report rows."""
        if self._source.on_missing == OnMissing.IGNORE.value:
            return None
        wrong = gathered.where("_new < 0").limit(_SHOWN)
        return _reported(wrong, self._columns(), "missing")

    def _repeated(self, gathered: DataFrame) -> DataFrame | None:
        """Keys with more than one row after the batch, as report rows."""
        if not self._source.key:
            return None
        keys = [f"k{n}" for n in self._source.key_positions]
        present = gathered.where("_new > 0").groupBy(*keys)
        wrong = present.agg({"_new": "sum"}).where("`sum(_new)` > 1").limit(_SHOWN)
        return _reported(wrong, tuple(keys), "repeated")

    def _accepted(self, report: list[Row]) -> tuple[SegmentFile, ...]:
        """The written files; if a row is at fault the batch is refused."""
        files = []
        for row in report:
            values = row.asDict()
            if values.pop("directory").startswith("state/"):
                files.append(SegmentFile(**values))
        for kind, refuse in (("missing", _missing_error), ("repeated", _repeated_error)):
            rows = [json.loads(row.path) for row in report if row.directory == kind]
            if rows:
                raise refuse(self._source, rows)
        return tuple(files)

    def _commit(self, taken: Taken, marks: Mapping[str, str]) -> IngestResult:
        name = self._source.name
        offset = self._catalog.logs.end(name) + 1
        arrangement = self._catalog.contents(name)
        transaction = Transaction(
            "ingest",
            add_segments=tuple(NewSegment(arrangement, file, 0, offset) for file in taken.files),
            batches=(
                BatchRecord(
                    name,
                    offset,
                    inserted=taken.inserted,
                    deleted=taken.deleted,
                    bytes=sum(file.bytes for file in taken.files),
                ),
            ),
            lossy=(name,) if taken.deleted else (),
            positions=tuple(PositionRecord(name, item, value) for item, value in marks.items()),
        )
        commit = self._home.commit(transaction, after=self._catalog.state.commit)
        return IngestResult(name, offset, commit.version, taken.inserted, taken.deleted)


def known_rows(rows: object) -> int | None:
    """How many rows a batch has, where that can be told without computing it."""
    if isinstance(rows, pa.Table):
        return int(rows.num_rows)
    return len(rows) if isinstance(rows, pd.DataFrame) else None


def _partition_bits(batch: Batch, tasks: int) -> int:
    """How finely a batch is split into files; small batches are one file."""
    rows = batch.rows_hint
    if rows is None:
        size = sys.maxsize if batch.expected_bytes is None else batch.expected_bytes()
        if size > _KNOWN_BYTES:
            return (tasks - 1).bit_length()
        rows = size // _BYTES_PER_ROW
    return min((rows // _ROWS_PER_FILE).bit_length(), _MOST_BITS)


def _counted(changes: DataFrame) -> DataFrame:
    inserted = "sum(CASE WHEN _w > 0 THEN _w END) AS rows"
    deleted = "-sum(CASE WHEN _w < 0 THEN _w END) AS bytes"
    return _padded(
        changes.selectExpr(inserted, deleted), "counts", "CAST(NULL AS STRING)", "rows", "bytes"
    )


def _reported(wrong: DataFrame, columns: tuple[str, ...], kind: str) -> DataFrame:
    """Offending rows as JSON in the form of a writer's report, so that one job brings both."""
    row = f"to_json(struct({', '.join(columns)}), map('ignoreNullFields', 'false'))"
    return _padded(wrong, kind, row, "CAST(0 AS BIGINT)", "CAST(0 AS BIGINT)")


def _padded(frame: DataFrame, kind: str, path: str, rows: str, size: str) -> DataFrame:
    return frame.selectExpr(
        f"{path} AS path",
        f"{rows} AS rows",
        f"{size} AS bytes",
        "CAST(0 AS BIGINT) AS first_hash",
        "CAST(0 AS BIGINT) AS last_hash",
        "FALSE AS negative",
        "FALSE AS heavy",
        f"'{kind}' AS directory",
    )


def _missing_error(source: SourceDefinition, rows: list[dict[str, object]]) -> DataError:
    return DataError(
        "the batch deletes rows that the source does not hold:\n" + _table(source, rows),
        where=f"source {source.name}",
        hint="Nothing was ingested. Correct the batch, or create the source with "
        'on_missing="ignore".',
    )


def _repeated_error(source: SourceDefinition, rows: list[dict[str, object]]) -> DataError:
    return DataError(
        "after the batch a key would belong to several rows:\n" + _table(source, rows),
        where=f"source {source.name}, key {', '.join(source.key)}",
        hint='Nothing was ingested. Delete the old rows in the same batch, or use op="upsert".',
    )


def _table(source: SourceDefinition, rows: list[dict[str, object]]) -> str:
    names = source.columns
    lines = []
    for row in rows:
        shown = [f"{names[int(key[1:])]}={value!r}" for key, value in row.items()]
        lines.append("  " + ", ".join(shown))
    return "\n".join(lines)
