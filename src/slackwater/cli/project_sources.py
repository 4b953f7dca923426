"""Takes the new files of a project's watched folders into their sources."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql.types import StructType

from slackwater.api import Session
from slackwater.catalog.source_spec import WEIGHT
from slackwater.cli.output import Say
from slackwater.engine.home import Home
from slackwater.errors import CatalogError, DataError, ExecutionError
from slackwater.project.records import Project, SourceDeclaration
from slackwater.sources.change_feed import CHANGE_TYPE, IGNORED_COLUMNS
from slackwater.sources.file_columns import FileFormat
from slackwater.sources.folder_reader import malformed_lines, read_files
from slackwater.sources.folders import (
    FileBatch,
    WatchedFolder,
    file_batches,
    new_files,
    require_unchanged,
)


@dataclass(frozen=True, slots=True)
class Ingested:
    """What was taken into a source: which files, and what their rows changed."""

    source: str
    files: tuple[str, ...]
    inserted: int
    deleted: int


def ingest_new_files(session: Session, project: Project, say: Say) -> tuple[Ingested, ...]:
    """Take in what the watched folders hold and the sources have not seen, file by file.

    A file is remembered by the commit that takes its rows in, so that it counts once even if
    the program is killed at any moment.
    """
    ingested = (_ingest_source(session, source, say) for source in project.sources)
    return tuple(each for each in ingested if each is not None)


def declared_schema(session: Session, source: SourceDeclaration) -> StructType:
    """The columns a source declares; those of its first file where it declares none."""
    if source.schema is None:
        return _schema_of_files(session, source)
    try:
        return cast("StructType", StructType.fromDDL(source.schema))
    except PySparkException as problem:
        reason = problem.getMessage() or ""
        raise CatalogError(
            f"the schema of source {source.name} is not DDL: {reason.strip().splitlines()[0]}",
            where=source.place,
            hint="Write it as `id BIGINT NOT NULL, name STRING`.",
        ) from None


def _schema_of_files(session: Session, source: SourceDeclaration) -> StructType:
    folder = watched_folder(source)
    files = () if folder is None else new_files(folder, {})
    if not files:
        raise CatalogError(
            f"source {source.name} declares no schema, and there is no file to take it from",
            where=source.place,
            hint="Declare a schema, or put a Parquet file into the folder.",
        )
    reader = session.spark.read.option("__globPaths__", "false")
    found = reader.parquet(str(files[0].path.absolute())).schema
    marks = {WEIGHT}
    if CHANGE_TYPE in found.fieldNames():
        marks |= {CHANGE_TYPE, *IGNORED_COLUMNS}
    return StructType([field for field in found.fields if field.name not in marks])


def waiting_files(home: Home, project: Project) -> dict[str, int]:
    """How many files the next refresh would take in, by source.

    A source is left out whose folder cannot be read, or holds a file that has changed: the
    refresh says why.
    """
    found = {}
    for source in project.sources:
        folder = watched_folder(source)
        if folder is None:
            continue
        with suppress(DataError):
            found[source.name] = len(new_files(folder, home.store.positions(source.name)))
    return found


def watched_folder(source: SourceDeclaration) -> WatchedFolder | None:
    """Where a source's files appear; None if it has no folder."""
    if source.path is None or source.file_format is None:
        return None
    return WatchedFolder(
        source.path, FileFormat(source.file_format), source.op, source.pattern, source.options
    )


def _ingest_source(session: Session, source: SourceDeclaration, say: Say) -> Ingested | None:
    folder = watched_folder(source)
    if folder is None:
        return None
    files = new_files(folder, session.marks(source.name))
    inserted = deleted = 0
    for batch in file_batches(folder, files):
        say(f"ingesting {batch.files[-1].name} into {source.name}")
        result = _ingest(session, source.name, folder, batch)
        inserted += result[0]
        deleted += result[1]
    names = tuple(file.name for file in files)
    return Ingested(source.name, names, inserted, deleted) if names else None


def _ingest(
    session: Session, name: str, folder: WatchedFolder, batch: FileBatch
) -> tuple[int, int]:
    spec = session.source(name).definition.spec

    def marks() -> dict[str, str]:
        """What tells the files again, if it is still what was read."""
        require_unchanged(folder, batch)
        return {file.name: file.identity for file in batch.files}

    try:
        rows = read_files(session.spark, spec, folder, batch)
        result = session.ingest(name, rows, folder.op, marks=marks)
    except (ExecutionError, PySparkException, Py4JJavaError) as problem:
        require_unchanged(folder, batch)
        found = None
        # Of a file that is damaged Spark cannot show the lines either.
        with suppress(PySparkException, Py4JJavaError):
            found = malformed_lines(session.spark, spec, folder, batch)
        raise found or _damaged(problem, folder) or problem from None
    except DataError as problem:
        require_unchanged(folder, batch)
        files = ", ".join(file.name for file in batch.files[:3])
        more = ", ..." if len(batch.files) > 3 else ""
        where = f"source {name}, files {files}{more} in {folder.path}"
        raise DataError(problem.what, where=where, hint=problem.hint) from None
    return result.inserted, result.deleted


def _damaged(problem: Exception, folder: WatchedFolder) -> DataError | None:
    """The error that tells of a file whose beginning alone could be read, if that was it."""
    named = _FAILED_FILE.search(str(problem))
    if named is None:
        return None
    return DataError(
        f"the file is not readable {folder.file_format.upper()}",
        where=unquote(named[1]).removeprefix("file://"),
        hint="Remove the file from the folder or write it again.",
    )


_FAILED_FILE = re.compile(r"\[FAILED_READ_FILE\S*\] Encountered error while reading file (\S+)\.")
