"""Reads the files of a watched folder with the types their source declares."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StringType, StructType

from slackwater.catalog.source_spec import WEIGHT, SourceSpec
from slackwater.errors import DataError
from slackwater.sources.batch_layout import BatchOp, plan_layout
from slackwater.sources.change_feed import CHANGE_TYPE
from slackwater.sources.file_columns import FileFormat
from slackwater.sources.folders import FileBatch, WatchedFolder
from slackwater.sources.show_rows import show_rows
from slackwater.spark.spark_types import spark_columns
from slackwater.types import BIGINT, STRING, DataType

_CORRUPT = "slackwater corrupt record"
_OBJECT = "object"
_SHOWN_LINES = 5


def read_files(
    spark: SparkSession, spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> DataFrame:
    """The rows of the files under the names the files give; a malformed one fails the job."""
    if not batch.columns and folder.file_format is FileFormat.CSV:
        empty = spark.createDataFrame([], _schema(spec, folder, spec.columns))
        return empty.toDF(*spec.columns)
    if folder.file_format is FileFormat.PARQUET:
        return _load(_reader(spark, folder), folder, batch, None)
    names = batch.columns
    if folder.file_format is FileFormat.JSON:
        names = _object_names(spark, spec, folder, batch)
    reader = _reader(spark, folder).option("mode", "FAILFAST")
    return _load(reader, folder, batch, _schema(spec, folder, names)).toDF(*names)


def malformed_lines(
    spark: SparkSession, spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> DataError | None:
    """The error that shows which lines are not what the source declares; None if all are.

    Spark's own failure names the file but not the line, so this is asked after a failure.
    """
    if folder.file_format is FileFormat.PARQUET:
        return None
    names = batch.columns
    if folder.file_format is FileFormat.JSON:
        names = _filled_up(spec, names)
    if not names:
        return None
    schema = _schema(spec, folder, names)
    reader = _reader(spark, folder).option("mode", "PERMISSIVE").option("columnPruning", "false")
    reader = reader.option("columnNameOfCorruptRecord", _CORRUPT)
    frame = _load(reader, folder, batch, schema.add(_CORRUPT, StringType()))
    corrupt = frame.where(frame[_CORRUPT].isNotNull())
    # Spark wants a query to ask for more than the corrupt line.
    lines = corrupt.select("*", "_metadata.file_name").limit(_SHOWN_LINES).collect()
    found = [(unquote(row[-1]), row[-2].strip()) for row in lines]
    if not found:
        return None
    declared = spark_columns({each.name: each.dtype for each in spec.schema.fields}).simpleString()
    return DataError(
        f"lines are not what source {spec.name} declares:\n{show_rows(['file', 'line'], found)}",
        where=str(folder.path),
        hint=f"The columns are {declared.removeprefix('struct')}; correct the "
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


def _object_names(
    spark: SparkSession, spec: SourceSpec, folder: WatchedFolder, batch: FileBatch
) -> tuple[str, ...]:
    """The columns to read JSON files by: what any object names, and what all leave out.

    An object leaves out what is NULL, so that the first one may name few of them: read by its
    names alone, what others have besides would be lost. Deletions that name the key alone leave
    the other columns open instead.
    """
    later = _names_of_objects(spark, folder, batch) - set(batch.columns)
    for mark in (CHANGE_TYPE, WEIGHT):
        if mark in later and not spec.has_column(mark):
            raise DataError(
                f"a line has {mark}, which the first line of its file lacks",
                where=str(folder.path),
                hint=f"Write {mark} in every line: without it a deletion would be an insert.",
            )
    names: tuple[str, ...] = (*batch.columns, *sorted(later))
    keys_alone = {name.lower() for name in names} == {name.lower() for name in spec.key}
    if folder.op != BatchOp.DELETE or not keys_alone:
        names = _filled_up(spec, names)
    # Spark refuses names that differ in case alone, with words that do not help.
    plan_layout(spec, names, folder.op, None)
    return names


def _names_of_objects(
    spark: SparkSession, folder: WatchedFolder, batch: FileBatch
) -> frozenset[str]:
    """The names that the objects of JSON files have; it takes a job of its own."""
    reader = _reader(spark, folder).option("mode", "FAILFAST")
    objects = _load(reader.option("singleVariantColumn", _OBJECT), folder, batch, None)
    members = spark.tvf.variant_explode(sf.col(_OBJECT).outer())
    found = {row[0] for row in objects.lateralJoin(members).select("key").distinct().collect()}
    if None in found:
        raise DataError(
            "a line is a list, not an object",
            where=str(folder.path),
            hint="Write one object a line.",
        )
    return frozenset(found)


def _filled_up(spec: SourceSpec, names: Sequence[str]) -> tuple[str, ...]:
    """The names, and those of the source's columns that are not among them."""
    given = {name.lower() for name in names}
    return (*names, *(name for name in spec.columns if name.lower() not in given))


def _schema(spec: SourceSpec, folder: WatchedFolder, names: Sequence[str]) -> StructType:
    """What Spark shall read: CSV by place, as its columns may have any names, JSON by name."""
    by_place = folder.file_format is FileFormat.CSV
    return spark_columns(
        {f"c{at}" if by_place else name: _column_type(spec, name) for at, name in enumerate(names)}
    )


def _column_type(spec: SourceSpec, name: str) -> DataType:
    """The declared type; a weight is a number and any other column a text."""
    for field in spec.schema.fields:
        if field.name.lower() == name.lower():
            return field.dtype
    return BIGINT if name == WEIGHT else STRING
