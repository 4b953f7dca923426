"""Runs programs on the driver, as far as their meaning is known here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import Columns, NotLocalError
from slackwater.compiler.spark_sql import print_spark
from slackwater.events import Tell, tell_nobody
from slackwater.executors.driver.engine import CORES, LocalEngine
from slackwater.executors.driver.frames import MACHINE_BYTES
from slackwater.executors.driver.prepare import own_suffix
from slackwater.executors.driver.prepared_programs import PreparedPrograms
from slackwater.executors.driver.program_run import Common, LocalResult, LocalRun, Tools
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.executors.driver.zones import read_zone
from slackwater.executors.written import NotHere
from slackwater.plan.program import Program
from slackwater.plan.statements import Statement
from slackwater.state.spill import Room

_ENGINE_MEMORY = MACHINE_BYTES // 6
MOST_BYTES = MACHINE_BYTES // 12
"""Frames that are larger than this together wait in files, and so do rows that are sorted."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table for a statement, with its types in Spark."""

    columns: Columns
    table: pa.Table


def _in_one_line(problem: NotLocalError) -> str:
    return problem.what.splitlines()[0]


def _printed(statement: Statement) -> DuckdbStatement:
    return print_duckdb(statement, suffix=own_suffix())


class DriverExecutor:
    """Runs what it can of programs, and single statements."""

    def __init__(self, session: SparkSession, tell: Tell = tell_nobody) -> None:
        """The engine starts with the first program; the session is for what it cannot do.

        `tell` hears of each step.
        """
        self._tell = tell
        self._session = session
        self._spark = SparkStatements(session)
        self._engine: LocalEngine | None = None
        self._scratch = TemporaryDirectory(prefix="slackwater-")
        self.programs = PreparedPrograms()
        self._print = lru_cache(maxsize=256)(_printed)

    @property
    def sessions(self) -> tuple[SparkSession, ...]:
        """The sessions in which Spark runs single statements."""
        return self._spark.sessions

    @property
    def room(self) -> Room:
        """Where rows wait that are more than should be in memory."""
        return Room(Path(self._scratch.name), MOST_BYTES, CORES)

    def run(self, program: Program, common: Common) -> LocalResult | NotHere:
        """Take all steps, unless the meaning of one is known to Spark alone.

        Files may still be on their way to the disk: the publisher of the result knows. Small ones
        are still in the packs of what the run's parts have in common.
        """
        prepared = self.programs.prepared(program, common.place.files)
        if isinstance(prepared, NotLocalError):
            return NotHere(_in_one_line(prepared))
        run = LocalRun(prepared, Tools(self._started(), self._spark, self.room), common)
        try:
            return run.execute(self._tell)
        except NotLocalError as problem:
            return NotHere(_in_one_line(problem))

    def compute(self, statement: Statement, given: Mapping[str, Given]) -> pa.Table:
        """The result of one statement over tables, from Spark if only Spark knows its meaning."""
        columns = {name: each.columns for name, each in given.items()}
        tables = {name: each.table for name, each in given.items()}
        try:
            printed = self._print(statement)
        except NotLocalError:
            return self._spark.execute(print_spark(statement), tables, columns)
        return self._started().execute(printed, tables)

    def _started(self) -> LocalEngine:
        if self._engine is None:
            zone = partial(read_zone, self._session)
            self._engine = LocalEngine(f"{_ENGINE_MEMORY}B", self.room.folder, zone=zone)
        return self._engine

    def close(self) -> None:
        """Release the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self._scratch.cleanup()
