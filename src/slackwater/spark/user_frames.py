"""Takes the rows of a user's DataFrame over into a session of ours.

The frame is planned in the session it was made in, whose settings decide what it means. What is
asked of its rows is planned in ours, as if they came from a file: Spark cannot see through the
cut, so that no setting of the user's session reaches our statements, and none of ours the frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from slackwater.errors import DataError
from slackwater.frontend.sql.sessions import clone_session, rebind
from slackwater.spark.frame_plans import checkpointed_rdd
from slackwater.spark.spark_types import spark_columns
from slackwater.types import DataType

_ONLY_PLANNING = (
    "spark.sql.adaptive.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.codegen.",
    "spark.sql.constraintPropagation.enabled",
    "spark.sql.execution.arrow.maxBytesPerBatch",
    "spark.sql.execution.arrow.maxRecordsPerBatch",
    "spark.sql.optimizer.",
    "spark.sql.shuffle.partitions",
    "spark.sql.variable.substitute",
)
"""Beginnings of the settings that no task reads for the sake of a value."""


@dataclass(frozen=True, slots=True)
class UserRows:
    """The rows of a user's DataFrame as a frame of a session of ours."""

    frame: DataFrame
    kept: Any = None
    """The stored rows, if they had to be computed apart."""

    def release(self) -> None:
        """Forget stored rows."""
        if self.kept is not None:
            self.kept.unpersist(False)


def take_over(frame: DataFrame, names: Sequence[str], session: SparkSession) -> UserRows:
    """The rows of a frame, under other names, as rows of the session.

    Tasks read settings too: how dates are parsed, which of two equal keys a map keeps. All tasks
    of a job see one session's. A frame whose session is set otherwise than ours is therefore
    computed by a job of its own.
    """
    user = frame.sparkSession
    schema = StructType(
        [
            StructField(name, field.dataType, field.nullable, field.metadata)
            for name, field in zip(names, frame.schema, strict=True)
        ]
    )
    # Never the user's own plan, which would give the shuffles of an earlier batch once more.
    if not _set_otherwise(user, session):
        return UserRows(_rows_of(rebind(frame, user), schema, session))
    stored = rebind(frame, _without_constraints(user)).localCheckpoint(eager=True)
    return UserRows(_rows_of(stored, schema, session), checkpointed_rdd(stored))


def frame_of_table(
    session: SparkSession, table: pa.Table, columns: Mapping[str, DataType], where: str
) -> DataFrame:
    """An Arrow table as a DataFrame with these columns.

    They are nullable whatever Arrow says, for Spark would believe it and answer a check for NULL
    without looking.
    """
    schema = spark_columns(columns)
    try:
        rows = pa.table([_as_spark_takes(each) for each in table.columns], schema.fieldNames())
        return session.createDataFrame(rows, schema)
    except (pa.ArrowException, ValueError) as problem:
        lines = str(problem).splitlines()
        raise DataError(
            f"Spark cannot take the rows over: {lines[0] if lines else type(problem).__name__}",
            where=where,
            hint="Convert the columns to types that Spark has.",
        ) from None


def _as_spark_takes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same values; Spark fails on columns of no piece, and on slices of nested values."""
    if not column.num_chunks:
        return pa.chunked_array([pa.array([], column.type)])
    if not kinds.is_nested(column.type):
        return column
    chunks = [
        each.take(pa.array(np.arange(len(each)))) if _is_slice(each) else each
        for each in column.chunks
    ]
    return pa.chunked_array(chunks, column.type)


def _is_slice(values: pa.Array) -> bool:
    """Whether values, or some inside of them, begin within what they lie in."""
    if values.offset:
        return True
    if kinds.is_map(values.type):
        return _is_slice(values.keys) or _is_slice(values.items)
    if kinds.is_struct(values.type):
        return any(_is_slice(values.field(at)) for at in range(values.type.num_fields))
    return kinds.is_nested(values.type) and _is_slice(values.values)


def _set_otherwise(user: SparkSession, ours: SparkSession) -> bool:
    """Tell if tasks could read another value in the one session than in the other."""
    theirs, mine = user.conf.getAll, ours.conf.getAll
    named = {key for key, _ in theirs.items() ^ mine.items() if not key.startswith(_ONLY_PLANNING)}
    return any(_value(user, key) != _value(ours, key) for key in named)


def _value(session: SparkSession, key: str) -> str | None:
    """The value of a setting, said or by default; None if Spark does not know it."""
    try:
        return str(session.conf.get(key)).lower()
    except PySparkException:
        return None


def _rows_of(frame: DataFrame, schema: StructType, session: SparkSession) -> DataFrame:
    java_session = session._jsparkSession
    rows = frame._jdf.queryExecution().toRdd()
    java_schema = java_session.parseDataType(schema.json())
    return DataFrame(java_session.internalCreateDataFrame(rows, java_schema, False), session)


def _without_constraints(user: SparkSession) -> SparkSession:
    """The user's session, without constraint propagation while a frame is stored.

    Spark would infer constraints of the rows, whose number may double with every column.
    """
    apart = clone_session(user)
    apart.conf.set("spark.sql.constraintPropagation.enabled", "false")
    return apart
