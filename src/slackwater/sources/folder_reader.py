"""Reads the files of a watched folder with the types their source declares."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import DataType, LongType, StringType, StructType

from slackwater.errors import DataError
from slackwater.sources.change_feed import CHANGE_TYPE
from slackwater.sources.file_columns import FileFormat
from slackwater.sources.folders import FileBatch, WatchedFolder
from slackwater.sources.show_rows import show_rows
from slackwater.sources.source_spec import WEIGHT, SourceSpec

_CORRUPT = "slackwater corrupt record"
_SHOWN_LINES = 5


def read_files(
    spark: SparkSession, spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> DataFrame:
    """The rows of the files under the names the files give; a malformed one fails the job."""
    if not batch.columns:
        return spark.createDataFrame([], spec.schema)
    names, schema = _names_and_schema(spec, folder, batch)
    late = _late_marks(spec, folder, names)
    for mark in late:
        schema = schema and schema.add(mark, _column_type(spec, mark))
    reader = _reader(spark, folder).option("mode", "FAILFAST")
    frame = _load(reader, folder, batch, schema)
    return frame if schema is None else _guarded(frame.toDF(*names, *late), names, late)


def malformed_lines(
    spark: SparkSession, spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> DataError | None:
    """The error that shows which lines are not what the source declares; None if all are.

    Spark's own failure names the file but not the line, so this is asked after a failure.
    """
    _, schema = _names_and_schema(spec, folder, batch)
    if schema is None or not batch.columns:
        return None
    reader = _reader(spark, folder).option("mode", "PERMISSIVE").option("columnPruning", "false")
    reader = reader.option("columnNameOfCorruptRecord", _CORRUPT)
    frame = _load(reader, folder, batch, schema.add(_CORRUPT, StringType()))
    corrupt = frame.where(frame[_CORRUPT].isNotNull())
    # Spark wants a query to ask for more than the corrupt line.
    lines = corrupt.select("*", "_metadata.file_name").limit(_SHOWN_LINES).collect()
    found = [(unquote(row[-1]), row[-2].strip()) for row in lines]
    if not found:
        return None
    return DataError(
        f"lines are not what source {spec.name} declares:\n{show_rows(['file', 'line'], found)}",
        where=str(folder.path),
        hint=f"The columns are {spec.schema.simpleString().removeprefix('struct')}; correct the "
        "lines, or declare other types.",
    )


def _reader(spark: SparkSession, folder: WatchedFolder) -> DataFrameReader:
    # To Spark `*` and `{` in a path are patterns, to us they are names.
    reader = spark.read.option("__globPaths__", "false").options(**folder.options)
    return reader.option("header", "true") if folder.file_format is FileFormat.CSV else reader


def _load(
    reader: DataFrameReader, folder: WatchedFolder, batch: FileBatch, schema: StructType | None
) -> DataFrame:
    paths = [str(file.path.absolute()) for file in batch.files]
    chosen = reader if schema is None else reader.schema(schema)
    try:
        return chosen.format(folder.file_format).load(paths)
    except PySparkException as problem:
        raise DataError(
            f"Spark cannot read the files ({problem.getCondition()})",
            where=", ".join(paths[:3]) + (", ..." if len(paths) > 3 else ""),
            hint=f"Check the reader's options, and that {folder.file_format.upper()} files can "
            "hold the declared types.",
        ) from None


def _late_marks(spec: SourceSpec, folder: WatchedFolder, names: Sequence[str]) -> list[str]:
    """Columns that would say what becomes of a row, if an object after the first had them."""
    if folder.file_format is not FileFormat.JSON:
        return []
    return [
        each for each in (CHANGE_TYPE, WEIGHT) if each not in names and not spec.has_column(each)
    ]


def _guarded(frame: DataFrame, names: Sequence[str], late: Sequence[str]) -> DataFrame:
    """The named columns; a row with a late one fails, as a deletion must not pass for an insert."""
    columns = [sf.col(f"`{name.replace('`', '``')}`") for name in names]
    for mark in late:
        message = sf.lit(f"a line has {mark}, which the first line of its file lacks")
        fails = sf.when(sf.col(mark).isNotNull(), sf.raise_error(message))
        columns[0] = fails.otherwise(columns[0]).alias(names[0])
    return frame.select(*columns)


def _names_and_schema(
    spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> tuple[tuple[str, ...], StructType | None]:
    """The columns of the files, and what Spark shall read: Parquet knows its own types.

    CSV is read by place, because its columns may have any names, and JSON by name, because it
    leaves out what is NULL.
    """
    names = batch.columns
    if folder.file_format is FileFormat.PARQUET:
        return names, None
    if folder.file_format is FileFormat.JSON:
        given = {name.lower() for name in names}
        names += tuple(name for name in spec.columns if name.lower() not in given)
    schema = StructType()
    for at, name in enumerate(names):
        by_place = folder.file_format is FileFormat.CSV
        schema = schema.add(f"c{at}" if by_place else name, _column_type(spec, name))
    return names, schema


def _column_type(spec: SourceSpec, name: str) -> DataType:
    """The declared type; a weight is a number and any other column a text."""
    for field in spec.schema.fields:
        if field.name.lower() == name.lower():
            return field.dataType
    return LongType() if name == WEIGHT else StringType()
