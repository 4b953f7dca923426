"""Connects a source with a watched folder: the first instance of `Connector`."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.source_spec import WEIGHT, SourceSpec
from slackwater.errors import DataError
from slackwater.sources.change_feed import CHANGE_TYPE, IGNORED_COLUMNS
from slackwater.sources.connector import Discovery, Position
from slackwater.sources.folder_reader import malformed_lines, read_files
from slackwater.sources.folders import (
    FileBatch,
    WatchedFolder,
    file_batches,
    new_files,
    require_unchanged,
)
from slackwater.spark.failures import SPARK_FAILURES

_SHOWN_FILES = 3


@dataclass(frozen=True, slots=True)
class FolderConnector:
    """Takes each file of a folder in once; a position has the identity of each file by its name."""

    folder: WatchedFolder

    @property
    def op(self) -> str | None:
        """What the rows of the files are."""
        return self.folder.op

    def schema(self, spark: SparkSession) -> StructType | None:
        """The columns of the first file, without those that say what becomes of a row."""
        files = new_files(self.folder, {})
        if not files:
            return None
        reader = spark.read.option("__globPaths__", "false")
        found = reader.parquet(str(files[0].path.absolute())).schema
        marks = {WEIGHT}
        if CHANGE_TYPE in found.fieldNames():
            marks |= {CHANGE_TYPE, *IGNORED_COLUMNS}
        return StructType([field for field in found.fields if field.name not in marks])

    def discover(self, after: Position) -> Discovery[FileBatch]:
        """The files whose names the position lacks."""
        files = new_files(self.folder, after)
        names = tuple(file.name for file in files)
        return Discovery(names, partial(file_batches, self.folder, files))

    def read(self, spark: SparkSession, spec: SourceSpec, batch: FileBatch) -> DataFrame:
        """The rows of the files; a malformed one fails the job."""
        return read_files(spark, spec, self.folder, batch)

    def confirm(self, batch: FileBatch) -> Position:
        """What tells the files again, if each is still what was read."""
        require_unchanged(self.folder, batch)
        return {file.name: file.identity for file in batch.files}

    def diagnose(
        self, spark: SparkSession, spec: SourceSpec, batch: FileBatch, problem: Exception
    ) -> Exception:
        """The lines or the file at fault, or the batch's files where the rows are."""
        require_unchanged(self.folder, batch)
        if isinstance(problem, DataError):
            return DataError(problem.what, where=self._place(spec, batch), hint=problem.hint)
        found = None
        # Of a file that is damaged Spark cannot show the lines either.
        with suppress(*SPARK_FAILURES):
            found = malformed_lines(spark, spec, self.folder, batch)
        return found or self._damaged(problem) or problem

    def _place(self, spec: SourceSpec, batch: FileBatch) -> str:
        files = ", ".join(batch.names[:_SHOWN_FILES])
        more = ", ..." if len(batch.names) > _SHOWN_FILES else ""
        return f"source {spec.name}, files {files}{more} in {self.folder.path}"

    def _damaged(self, problem: Exception) -> DataError | None:
        """The error that names a file of which only the beginning could be read, if it was that."""
        named = _FAILED_FILE.search(str(problem))
        if named is None:
            return None
        return DataError(
            f"the file is not readable {self.folder.file_format.upper()}",
            where=unquote(named[1]).removeprefix("file://"),
            hint="Remove the file from the folder or write it again.",
        )


_FAILED_FILE = re.compile(r"\[FAILED_READ_FILE\S*\] Encountered error while reading file (\S+)\.")
