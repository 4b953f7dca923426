"""Measures what pieces of work cost on this installation: the prices that plans are chosen by."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.algebra.operators import Aggregate, Scan
from slackwater.bench.machine import Machine, describe_machine
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.spark_sql import print_spark
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.program_runner import ProgramRunner
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import Literal
from slackwater.plan.frames import Fresh
from slackwater.plan.prices import Prices, Rates, write_prices
from slackwater.plan.statements import Statement
from slackwater.state.columns import HASH, WEIGHT, arrow_columns
from slackwater.state.disk_blocks import Hashes
from slackwater.state.frames import Stored, Target, look_up, snapshot, write_segments
from slackwater.state.look_up import LookUp
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.worker import spare_the_collector
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT

_TYPES = (BIGINT, BIGINT)
_PER_KEY = 10
_CHAINED = 8
_BUSY = 20
"""Spark needs so many times as many rows before they cost more than its job."""


def _groups(groups: int = 1000) -> Statement:
    """A typical statement: sums of so many groups."""
    fresh = Fresh()
    columns = (fresh.column("k0"), fresh.column("k1"))
    keys = fresh.outputs((call("%", columns[0].ref(), Literal(str(groups), BIGINT)),))
    sums = fresh.outputs((aggregate("sum", columns[1].ref()),))
    return Statement(Aggregate(Scan("given", columns), keys, sums), ("k0", "k1"))


@dataclass(frozen=True, slots=True)
class CalibrationPlan:
    """Rows of the tables that are measured with, and how often."""

    rows: int = 1_000_000
    repeat: int = 5


@dataclass(frozen=True, slots=True)
class Calibration:
    """The prices, and the machine they were measured on."""

    plan: CalibrationPlan
    prices: Prices
    machine: Machine

    def keep(self, path: Path) -> None:
        """Write the prices to the file by which plans are chosen from now on."""
        write_prices(path, self.prices)


def measure_prices(
    spark: SparkSession, scratch: Path, plan: CalibrationPlan, say: Callable[[str], None]
) -> Calibration:
    """Measure all prices in a scratch folder."""
    load_before = os.getloadavg()
    say("writing state to measure with")
    state = _State.make(scratch, plan.rows)
    say("measuring work on the driver")
    driver = _OnDriver(scratch, state, plan).rates()
    say("measuring work in Spark")
    runner = ProgramRunner(spark)
    try:
        measured = _InSpark(runner.session, state, plan)
        in_spark, stage = measured.rates(), measured.stage()
    finally:
        runner.local.close()
    cores = spark.sparkContext.defaultParallelism
    prices = Prices(driver, in_spark, cores, stage=stage)
    return Calibration(plan, prices, describe_machine(spark, load_before))


@dataclass(frozen=True, slots=True)
class _Timer:
    repeat: int

    def typical(self, work: Callable[[], object]) -> float:
        """The median of several runs after a first that does not count."""
        work()
        seconds = []
        for _ in range(self.repeat):
            started = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - started)
        return median(seconds)


@dataclass(frozen=True, slots=True)
class _State:
    """The same hashes stored with one row each and with several, and some of them to look up."""

    single: Stored
    several: Stored
    wanted: pa.RecordBatch

    @property
    def keys(self) -> int:
        """The number of keys to look up."""
        return int(self.wanted.num_rows)

    @staticmethod
    def make(scratch: Path, rows: int) -> _State:
        """Write it."""
        hashes = np.random.default_rng(rows).integers(-(2**63), 2**63 - 1, rows)
        shared = np.repeat(hashes[: rows // _PER_KEY], _PER_KEY)
        wanted = pa.array(hashes[: rows // _PER_KEY])
        return _State(
            _store(scratch, "single", hashes),
            _store(scratch, "several", shared),
            pa.RecordBatch.from_arrays([wanted, wanted], names=[HASH, "key"]),
        )


def _store(scratch: Path, name: str, hashes: Hashes) -> Stored:
    worker = WriteSegment(
        str(scratch), "state", name, arrow_columns(_TYPES), ordered=False, consolidate=False
    )
    manifest = [row for batch in worker(_stored_rows(hashes)) for row in batch.to_pylist()]
    for row in manifest:
        del row["directory"]
    return Stored(scratch, _TYPES, tuple(SegmentFile(**row) for row in manifest))


def _stored_rows(hashes: Hashes) -> Iterator[pa.RecordBatch]:
    """Rows with these hashes, as they are written."""
    values, ones = pa.array(hashes), pa.array(np.ones(len(hashes), dtype=np.int64))
    names = [HASH, "k0", "k1", WEIGHT]
    yield pa.RecordBatch.from_arrays([values, values, ones, ones], names=names)


class _OnDriver:
    """Work in this process."""

    def __init__(self, scratch: Path, state: _State, plan: CalibrationPlan):
        self._scratch = scratch
        self._state = state
        self._rows = plan.rows
        self._timer = _Timer(plan.repeat)

    def rates(self) -> Rates:
        """All of them; what a run costs before its first step is the same everywhere."""
        step, rows = self._statements()
        state, typical = self._state, self._timer.typical
        file = typical(lambda: _found(state.single, state.wanted.slice(0, 1)))
        few = typical(lambda: _found(state.single, state.wanted))
        many = typical(lambda: _found(state.several, state.wanted))
        key, match = _split(few, many, file, state.keys)
        reading = typical(lambda: _read(state.single))
        hashes = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, self._rows)
        writing = typical(lambda: _store(self._scratch, "written", hashes))
        return Rates(
            start=0.0,
            step=step,
            row=_per(rows, step, self._rows),
            byte=reading / _size(state.single),
            file=file,
            key=key,
            match=match,
            write=writing / self._rows,
        )

    def _statements(self) -> tuple[float, float]:
        """Seconds of a statement over one row and over many."""
        statement = print_duckdb(_groups())
        values = pa.array(np.arange(self._rows))
        table = pa.table({"k0": values, "k1": values})
        engine = LocalEngine()
        try:
            one, many = ({"given": part} for part in (table.slice(0, 1), table))
            return (
                self._timer.typical(lambda: engine.execute(statement, one)),
                self._timer.typical(lambda: engine.execute(statement, many)),
            )
        finally:
            engine.close()


class _InSpark:
    """The same work as Spark does it, in sessions like those of runs."""

    def __init__(self, spark: SparkSession, state: _State, plan: CalibrationPlan):
        self._spark = spark
        self._state = state
        self._rows = plan.rows
        self._timer = _Timer(plan.repeat)

    def rates(self) -> Rates:
        """All of them."""
        state = self._state
        start = self._typical(lambda: self._numbers(1))
        steps = self._typical(lambda: self._chain(_CHAINED))
        rows = self._typical(lambda: self._groups(_BUSY * self._rows))
        one, all_keys = self._probe(1), self._probe(state.keys)
        fixed = self._typical(lambda: _counted(look_up(one, state.single, net=False)))
        few = self._typical(lambda: _counted(look_up(all_keys, state.single, net=False)))
        many = self._typical(lambda: _counted(look_up(all_keys, state.several, net=False)))
        key, match = _split(few, many, fixed, state.keys)
        both = replace(state.single, files=(*state.single.files, *state.several.files))
        reading = self._typical(lambda: _counted(snapshot(self._spark, state.single)))
        return Rates(
            start=start,
            step=_per(steps, start, _CHAINED),
            row=_per(rows, self._typical(lambda: self._groups(1)), _BUSY * self._rows),
            byte=_per(reading, start, _size(state.single)),
            file=_per(self._typical(lambda: _counted(look_up(one, both, net=False))), fixed, 1),
            key=key,
            match=match,
            write=_per(self._typical(self._writer), start, self._rows),
        )

    def stage(self) -> float:
        """A stage of a job whose tasks do nothing but hand on what they get."""
        one = self._typical(lambda: self._handing_on(1))
        return _per(self._typical(lambda: self._handing_on(_CHAINED)), one, _CHAINED - 1)

    def _handing_on(self, stages: int) -> DataFrame:
        cores = self._spark.sparkContext.defaultParallelism
        frame = self._numbers(cores)
        for number in range(stages):
            if number:
                frame = frame.repartitionById(cores, frame["id"].cast("int"))
            frame = frame.mapInArrow(_hand_on, "id BIGINT")
        return frame

    def _groups(self, rows: int) -> DataFrame:
        return self._numbers(rows).selectExpr("xxhash64(id) % 1000 AS g").groupBy("g").count()

    def _probe(self, keys: int) -> DataFrame:
        """So many keys to look up, in memory."""
        table = pa.Table.from_batches([self._state.wanted.slice(0, keys)])
        frame = self._spark.createDataFrame(table).cache()
        frame.count()
        return frame

    def _typical(self, make: Callable[[], DataFrame]) -> float:
        """Seconds of a frame made anew each time: Spark keeps the shuffles of an old one."""
        return self._timer.typical(lambda: make().collect())

    def _numbers(self, count: int) -> DataFrame:
        return self._spark.range(0, count, 1, self._spark.sparkContext.defaultParallelism)

    def _chain(self, statements: int) -> DataFrame:
        """Statements of which each groups what the one before gave."""
        frame = self._numbers(100).selectExpr("id AS k0", "id AS k1")
        for number in range(statements):
            frame.createOrReplaceTempView("given")
            frame = self._spark.sql(print_spark(_groups(1000 - number)))
        self._spark.catalog.dropTempView("given")
        return frame

    def _writer(self) -> DataFrame:
        rows = self._numbers(self._rows).selectExpr(
            "xxhash64(id) AS _h", "id AS k0", "id AS k1", "CAST(1 AS BIGINT) AS _w"
        )
        target = Target("state", "spark", partition_bits=2, consolidate=False)
        return write_segments(rows, Stored(self._state.single.home, _TYPES), target)


def _hand_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    spare_the_collector()
    yield from batches


def _found(stored: Stored, probe: pa.RecordBatch) -> int:
    worker = LookUp(stored.arrangement(), net=False)
    return sum(batch.num_rows for batch in worker(iter([probe])))


def _read(stored: Stored) -> int:
    """Copy all that is stored: reading in place would cost nothing before it is used."""
    worker = ReadSegments(stored.arrangement(), even_ranges(1), net=True)
    task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
    table = pa.Table.from_batches(list(worker(iter([task]))))
    return int(table.combine_chunks().num_rows)


def _counted(frame: DataFrame) -> DataFrame:
    return frame.groupBy().count()


def _size(stored: Stored) -> int:
    return sum(file.bytes for file in stored.files)


def _per(seconds: float, fixed: float, count: int) -> float:
    """Seconds for each when the fixed part is taken off; never quite nothing."""
    return max(seconds - fixed, seconds / 100) / count


def _split(few: float, many: float, file: float, keys: int) -> tuple[float, float]:
    """The prices of a key and of a match, from look-ups with one and with several rows a key."""
    match = max(many - few, many / 100) / (keys * (_PER_KEY - 1))
    return max(_per(few, file, keys) - match, match / 100), match
