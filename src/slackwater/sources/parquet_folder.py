"""A folder of Parquet files as a set of tables: `t.parquet`, or a folder `t` of Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.catalog import Statistics, TableDefinition
from slackwater.errors import DataError
from slackwater.types import StructType, parse_spark_type

_SUFFIX = ".parquet"


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A table found in a folder, before Spark has looked at it."""

    name: str
    path: Path
    size: Statistics


@dataclass(frozen=True, slots=True)
class FolderTable:
    """One table of a folder: what it is and how to read it."""

    definition: TableDefinition
    frame: DataFrame


def find_tables(folder: Path) -> tuple[FolderEntry, ...]:
    """The tables in a folder, found without Spark, so that a wrong folder is told at once.

    Raises `DataError` for a folder that cannot be read or holds no table, for a file that is
    not Parquet, and for a table whose files differ in schema.
    """
    entries = tuple(_find_table(name, path) for name, path in _table_paths(folder))
    if not entries:
        raise DataError(
            "the folder holds no Parquet tables",
            where=str(folder),
            hint="A table is a file NAME.parquet or a folder NAME of Parquet files.",
        )
    return entries


def open_tables(spark: SparkSession, entries: Iterable[FolderEntry]) -> dict[str, FolderTable]:
    """Tables found in a folder, by name, ready to be read."""
    return {entry.name: _open_table(spark, entry) for entry in entries}


def open_folder(spark: SparkSession, folder: Path) -> dict[str, FolderTable]:
    """The tables in a folder, by name, ready to be read; raises what `find_tables` does."""
    return open_tables(spark, find_tables(folder))


def _table_paths(folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as problem:
        raise DataError(
            f"the folder cannot be read: {problem.strerror}",
            where=str(folder),
            hint="Check that the folder exists and that you may read it.",
        ) from None
    for entry in entries:
        name = entry.name.removesuffix(_SUFFIX)
        if entry.name.startswith((".", "_")):
            continue
        if (entry.is_file() and entry.suffix == _SUFFIX) or (entry.is_dir() and _files(entry)):
            yield name, entry


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(
        each
        for each in path.rglob(f"*{_SUFFIX}")
        if each.is_file() and not each.name.startswith((".", "_"))
    )


def _find_table(name: str, path: Path) -> FolderEntry:
    files = _files(path)
    footers = [(file, _footer(file)) for file in files]
    _check_same_schema(footers)
    size = Statistics(
        rows=sum(footer.metadata.num_rows for _, footer in footers),
        bytes=sum(file.stat().st_size for file in files),
    )
    return FolderEntry(name, path, size)


def _open_table(spark: SparkSession, entry: FolderEntry) -> FolderTable:
    # Spark's own working directory is where its JVM started, and to it `*` is a pattern.
    reader = spark.read.option("__globPaths__", "false")
    try:
        frame = reader.parquet(str(entry.path.absolute()))
    except PySparkException as problem:
        raise DataError(
            f"Spark cannot read table {entry.name} ({problem.getCondition()})",
            where=str(entry.path),
            hint="Check that Spark may read the files and supports their column types.",
        ) from None
    text = frame.schema.json()
    schema = parse_spark_type(json.loads(text))
    if not isinstance(schema, StructType):
        raise DataError(f"table {entry.name} has no columns", where=str(entry.path))
    return FolderTable(TableDefinition(entry.name, schema, text, entry.size), frame)


def _footer(file: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as problem:
        raise DataError(
            f"not a readable Parquet file: {str(problem).splitlines()[0]}",
            where=str(file),
            hint="Remove the file from the table's folder or write it again.",
        ) from None


def _check_same_schema(footers: list[tuple[Path, pq.ParquetFile]]) -> None:
    """All files of a table must have the columns of the first."""
    first_file, first = footers[0]
    wanted = {field.name: field.type for field in first.schema_arrow}
    for file, footer in footers[1:]:
        found = {field.name: field.type for field in footer.schema_arrow}
        if found != wanted:
            raise DataError(
                f"the file has another schema than {first_file.name}: "
                f"{'; '.join(_differences(wanted, found))}",
                where=str(file),
                hint="Write the file again with the table's schema, or move it to another table.",
            )


def _differences(wanted: dict[str, pa.DataType], found: dict[str, pa.DataType]) -> Iterator[str]:
    for name, dtype in wanted.items():
        if name not in found:
            yield f"column {name} is missing"
        elif found[name] != dtype:
            yield f"column {name} is {found[name]} instead of {dtype}"
    yield from (f"column {name} is not in the table" for name in found if name not in wanted)
