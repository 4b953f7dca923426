"""An arrangement by itself: building it, looking keys up in it, and its size on disk.

Beside it the same look-up as a join: with a cached DataFrame and with Parquet files, both of
which read everything.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench.machine import Clock, Machine, describe_machine
from slackwater.bench.targets import Target as BenchTarget
from slackwater.compiler.duckdb.functions import SEED
from slackwater.executors.driver.hashing import hash_longs
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.frames import Stored, Target, look_up, write_segments
from slackwater.state.look_up import LookUp
from slackwater.state.segments import SegmentFile
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT

_TYPES = (BIGINT, BIGINT)
_ROWS_PER_KEY = 10
_ROWS_PER_FILE = 1_000_000
_ROWS_PER_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class ArrangementPlan:
    """Arrangements of how many rows, and how many keys are looked up."""

    rows: tuple[int, ...] = (6_000_000, 60_000_000)
    keys: int = 60_000
    repeat: int = 5


@dataclass(frozen=True, slots=True)
class ArrangementFigures:
    """Seconds, all of them medians."""

    rows: int
    build: float
    build_in_spark: float
    bytes_per_row: float
    look_up: float
    look_up_in_spark: float
    join_cached: float
    join_parquet: float

    @property
    def rows_per_second(self) -> float:
        """Rows built in a second."""
        return self.rows / self.build


@dataclass(frozen=True, slots=True)
class ArrangementReport:
    """All figures of one measurement."""

    plan: ArrangementPlan
    figures: tuple[ArrangementFigures, ...]
    machine: Machine

    @property
    def targets(self) -> tuple[BenchTarget, ...]:
        """Targets for building each size on the driver."""
        return tuple(
            BenchTarget(
                f"rows a second built, of {each.rows:,}",
                _ROWS_PER_SECOND,
                each.rows_per_second,
                at_least=True,
            )
            for each in self.figures
        )


def measure_arrangements(
    spark: SparkSession, scratch: Path, plan: ArrangementPlan, say: Callable[[str], None]
) -> ArrangementReport:
    """Build, look up and join at every size."""
    load_before = os.getloadavg()
    figures = []
    for rows in plan.rows:
        say(f"{rows:,} rows")
        figures.append(_Bench(spark, scratch / str(rows), rows, plan).measure())
    return ArrangementReport(plan, tuple(figures), describe_machine(spark, load_before))


class _Bench:
    """One arrangement of keys that have ten rows each, in random order."""

    def __init__(self, spark: SparkSession, folder: Path, rows: int, plan: ArrangementPlan):
        self._spark = spark
        self._folder = folder
        self._rows = rows
        self._plan = plan
        self._clock = Clock(spark)
        random = np.random.default_rng(rows)
        self._keys = random.permutation(rows) // _ROWS_PER_KEY
        self._wanted = random.choice(rows // _ROWS_PER_KEY, min(plan.keys, rows // 20), False)

    def measure(self) -> ArrangementFigures:
        """All figures."""
        build, files = self._build()
        stored = Stored(self._folder, _TYPES, files)
        frame = self._frame()
        parquet = str(self._folder / "parquet")
        frame.write.parquet(parquet)
        probe = self._probe()
        probes = self._spark.createDataFrame(pa.Table.from_batches([probe])).cache()
        worker = LookUp(stored.arrangement(), net=False)
        native = self._spark.read.parquet(parquet)
        scanned = self._typical(_joined(probes, native).count)
        native.cache().count()
        figures = ArrangementFigures(
            rows=self._rows,
            build=build,
            build_in_spark=self._build_in_spark(frame),
            bytes_per_row=sum(file.bytes for file in files) / self._rows,
            look_up=self._typical(lambda: sum(b.num_rows for b in worker(iter([probe])))),
            look_up_in_spark=self._typical(look_up(probes, stored, net=False).count),
            join_cached=self._typical(_joined(probes, native).count),
            join_parquet=scanned,
        )
        native.unpersist()
        probes.unpersist()
        return figures

    def _build(self) -> tuple[float, tuple[SegmentFile, ...]]:
        """Seconds to build on the driver, and the files."""
        table = pa.table({"k0": self._keys, "k1": self._keys})
        files: tuple[SegmentFile, ...] = ()

        def build() -> None:
            nonlocal files
            files = self._write(table)

        seconds = self._typical(build)
        return seconds, files

    def _write(self, table: pa.Table) -> tuple[SegmentFile, ...]:
        schema = Stored(self._folder, _TYPES).layout
        hashes = [_hashes(batch.column(0)) for batch in table.to_batches(65_536)]
        weights = pa.array(np.ones(self._rows, dtype=np.int64))
        rows = table.add_column(0, HASH, pa.chunked_array(hashes)).append_column(WEIGHT, weights)
        writer = WriteSegment(
            str(self._folder), "state", "driver", schema, ordered=False, consolidate=False
        )
        manifest = [row for b in writer(iter(rows.to_batches())) for row in b.to_pylist()]
        return tuple(_file(row) for row in manifest)

    def _frame(self) -> DataFrame:
        """The same number of rows as Spark makes them."""
        count = self._rows // _ROWS_PER_KEY
        numbers = self._spark.range(0, self._rows, 1, 8)
        return numbers.selectExpr(f"(id * 7919) % {count} AS k0", "id AS k1")

    def _build_in_spark(self, frame: DataFrame) -> float:
        bits = (self._rows // _ROWS_PER_FILE).bit_length()
        target = Target("state", "spark", bits, consolidate=False)
        rows = frame.selectExpr("xxhash64(k0) AS _h", "k0", "k1", "CAST(1 AS BIGINT) AS _w")
        stored = Stored(self._folder, _TYPES)
        return self._typical(lambda: write_segments(rows, stored, target).collect())

    def _probe(self) -> pa.RecordBatch:
        keys = pa.array(self._wanted.astype(np.int64))
        return pa.RecordBatch.from_arrays([_hashes(keys), keys], names=[HASH, "key"])

    def _typical(self, work: Callable[[], object]) -> float:
        work()
        seconds = []
        for _ in range(self._plan.repeat):
            with self._clock.measure() as cost:
                work()
            seconds.append(cost.seconds)
        return median(seconds)


def _joined(probes: DataFrame, rows: DataFrame) -> DataFrame:
    return rows.join(probes.hint("broadcast"), rows["k0"] == probes["key"])


def _hashes(keys: pa.Array) -> pa.Array:
    return hash_longs(pa.array(np.full(len(keys), SEED, dtype=np.int64)), keys)


def _file(row: dict[str, Any]) -> SegmentFile:
    del row["directory"]
    return SegmentFile(**row)
