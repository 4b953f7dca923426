"""State as Spark DataFrames: what plans call; schemas, partitions and workers stay in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from slackwater.state.columns import HASH, WEIGHT, arrow_columns
from slackwater.state.counters import Ledger
from slackwater.state.first_rows import FirstRows
from slackwater.state.gather import NEW, OLD, AddUp, Gather
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES, LookUp, LookUpNested
from slackwater.state.matching import Arrangement
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import HASH_COLUMN, ReadSegments, even_ranges
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment
from slackwater.types import DataType
from slackwater.types.storage import storage_ddl, storage_type

ROWS_PER_TASK = 1_000_000

MANIFEST_SCHEMA = StructType(
    [
        StructField("path", StringType()),
        StructField("rows", LongType()),
        StructField("bytes", LongType()),
        StructField("first_hash", LongType()),
        StructField("last_hash", LongType()),
        StructField("negative", BooleanType()),
        StructField("heavy", BooleanType()),
        StructField("directory", StringType()),
    ]
)


COPIES = (
    "explode(sequence(CAST(1 AS BIGINT), IF(_w > 0, _w, raise_error('The stored state of this view "
    "or source is damaged: a row counts less than once. Drop it and create it again.'))))"
)
"""Rows with net weights, each as often as it counts; Spark would count down to a smaller number."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An arrangement as a plan names it: its files below `home`, and its rows' types.

    Values are stored as `storage_type` says. `ledger` takes in what Python workers read of it,
    and how long they work on it.
    """

    home: str | Path
    types: tuple[DataType, ...]
    files: Sequence[SegmentFile] = ()
    ledger: Ledger | None = None

    def arrangement(self) -> Arrangement:
        """The same for a worker."""
        return Arrangement(str(self.home), tuple(self.files), self.layout)

    @property
    def layout(self) -> pa.Schema:
        """The stored columns k0, k1, ... in Arrow."""
        return arrow_columns(map(storage_type, self.types))

    def columns(self, prefix: str) -> list[StructField]:
        """The stored columns under positional names; any may be NULL."""
        fields = _storage_schema(self.types)
        return [StructField(f"{prefix}{i}", each.dataType) for i, each in enumerate(fields)]


def look_up(frame: DataFrame, stored: Stored, *, net: bool) -> DataFrame:
    """The rows of `frame`, which has `_h`, joined with the stored rows of the same hash.

    The result has the frame's other columns, then s0, s1, ... and `_sw`. With `net`, equal
    stored rows are added up first; without, a row may come several times, also with a minus.
    """
    output = [*_others(frame), *stored.columns("s"), _long(MATCH_WEIGHT)]
    worker = LookUp(stored.arrangement(), net, stored.ledger)
    return frame.mapInArrow(worker, StructType(output))


def look_up_nested(frame: DataFrame, stored: Stored) -> DataFrame:
    """Each row of `frame`, which has `_h`, with the array `_matches` of its stored rows."""
    match = StructType([*stored.columns("s"), _long(MATCH_WEIGHT)])
    output = [*_others(frame), StructField(MATCHES, ArrayType(match))]
    worker = LookUpNested(stored.arrangement(), stored.ledger)
    return frame.mapInArrow(worker, StructType(output))


def gather(frame: DataFrame, stored: Stored, *, partitions: int) -> DataFrame:
    """All stored and arriving rows of the hashes in `frame`: `_h`, k0, ..., `_old`, `_new`.

    `frame` has `_h`, k0, ... and `_w`; a row of weight 0 only marks its hash.
    """
    output = [_long(HASH), *stored.columns("k"), _long(OLD), _long(NEW)]
    worker = Gather(stored.arrangement(), stored.ledger)
    ordered = frame.repartition(partitions, HASH).sortWithinPartitions(HASH)
    return ordered.mapInArrow(worker, StructType(output))


def join_stored(frame: DataFrame, stored: Stored) -> DataFrame:
    """The result of `look_up`, by a join of Spark's with all stored rows."""
    found = _read(frame.sparkSession, stored, net=True, hashed=True)
    numbered = [f"{each.name} AS s{n}" for n, each in enumerate(stored.columns("k"))]
    state = found.selectExpr(HASH, *numbered, f"{WEIGHT} AS {MATCH_WEIGHT}")
    return frame.join(state, HASH).drop(HASH)


def gather_scanned(frame: DataFrame, stored: Stored, *, partitions: int) -> DataFrame:
    """The result of `gather`, by a join of Spark's with all stored rows; reads `frame` twice."""
    columns = [each.name for each in stored.columns("k")]
    state = _read(frame.sparkSession, stored, net=True, hashed=True)
    touched = state.join(frame.select(HASH).distinct(), HASH, "left_semi")
    before = touched.selectExpr(HASH, *columns, f"{WEIGHT} AS {OLD}", f"{WEIGHT} AS {NEW}")
    arriving = frame.where(f"{WEIGHT} <> 0")
    after = arriving.selectExpr(HASH, *columns, f"CAST(0 AS BIGINT) AS {OLD}", f"{WEIGHT} AS {NEW}")
    ordered = before.unionAll(after).repartition(partitions, HASH).sortWithinPartitions(HASH)
    output = [_long(HASH), *stored.columns("k"), _long(OLD), _long(NEW)]
    worker = AddUp(stored.arrangement().columns, stored.ledger)
    return ordered.mapInArrow(worker, StructType(output))


@dataclass(frozen=True, slots=True)
class Target:
    """The names of new segments: `<home>/<directory>/<stem>-<number>.arrow`.

    One file for each value of the top `partition_bits` of `_h` that occurs; without any, one file
    by one task, which has `room` to sort the rows. With `consolidate` equal rows are added up and
    zeros dropped. `first` looks at the rows on their way, and what it saw is among the manifest
    rows.
    """

    directory: str
    stem: str
    partition_bits: int = 0
    consolidate: bool = True
    first: FirstRows | None = None
    room: Room | None = None


def write_segments(frame: DataFrame, stored: Stored, target: Target) -> DataFrame:
    """Manifest rows; reading them writes the rows of `frame` (`_h`, k0, ..., `_w`) as segments."""
    ordered = target.partition_bits > 0
    worker = WriteSegment(
        str(stored.home),
        target.directory,
        target.stem,
        stored.layout,
        ordered,
        target.consolidate,
        stored.ledger,
        target.first,
        target.room,
    )
    parts = _by_top_bits(frame, target.partition_bits) if ordered else frame.coalesce(1)
    return parts.mapInArrow(worker, MANIFEST_SCHEMA)


def _by_top_bits(frame: DataFrame, bits: int) -> DataFrame:
    """Partitioned by the top bits of `_h`, in its signed order, and sorted inside."""
    top = functions.shiftright(functions.col(HASH), 64 - bits).cast("int")
    number = top + functions.lit(1 << (bits - 1))
    return frame.repartitionById(1 << bits, number).sortWithinPartitions(HASH)


def snapshot(
    spark: SparkSession, stored: Stored, needed: frozenset[str] | None = None
) -> DataFrame:
    """The arrangement's rows, added up: k0, ..., `_w`. Each task reads one range of hashes.

    Of columns that are not `needed` nothing is read; they are NULL.
    """
    columns = stored.columns("k")
    numbers = tuple(n for n, each in enumerate(columns) if needed is None or each.name in needed)
    if len(numbers) == len(columns):
        return _read(spark, stored, net=True)
    read = _read(spark, stored, net=True, columns=numbers)
    here = {columns[n].name for n in numbers}
    values = [
        functions.col(each.name)
        if each.name in here
        else functions.lit(None).cast(each.dataType).alias(each.name)
        for each in columns
    ]
    return read.select(*values, WEIGHT)


def read_changes(spark: SparkSession, stored: Stored) -> DataFrame:
    """The rows of just these files as they were written: k0, ..., `_w`."""
    return _read(spark, stored, net=False)


def _read(
    spark: SparkSession,
    stored: Stored,
    *,
    net: bool,
    hashed: bool = False,
    columns: tuple[int, ...] | None = None,
) -> DataFrame:
    tasks = max(1, -(-sum(file.rows for file in stored.files) // ROWS_PER_TASK))
    numbers = tuple(range(len(stored.types))) if columns is None else columns
    named = stored.columns("k")
    output = [*(named[n] for n in numbers), _long(WEIGHT)]
    if hashed:
        output.insert(0, _long(HASH))
        numbers = (HASH_COLUMN, *numbers)
    worker = ReadSegments(stored.arrangement(), even_ranges(tasks), net, stored.ledger, numbers)
    return spark.range(0, tasks, 1, tasks).mapInArrow(worker, StructType(output))


@lru_cache(maxsize=1024)
def _storage_schema(types: tuple[DataType, ...]) -> StructType:
    """The stored columns k0, k1, ... as Spark types."""
    if not types:
        return StructType([])
    text = ", ".join(f"k{n} {storage_ddl(dtype)}" for n, dtype in enumerate(types))
    return cast("StructType", StructType.fromDDL(text))


def _others(frame: DataFrame) -> list[StructField]:
    return [field for field in frame.schema if field.name != HASH]


def _long(name: str) -> StructField:
    return StructField(name, LongType())
