"""Columns as Spark describes them, and as we do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from pyspark.sql.types import StructType as SparkColumns

from slackwater.types import DataType, StructType, ddl, parse_spark_type


def own_columns(columns: SparkColumns) -> StructType:
    """Columns of Spark's in our types."""
    return cast("StructType", parse_spark_type(json.loads(columns.json())))


def spark_columns(columns: Mapping[str, DataType]) -> SparkColumns:
    """Columns of ours in Spark's types; anything in them may be NULL."""
    if not columns:
        return SparkColumns([])
    text = ", ".join(f"`{name.replace('`', '``')}` {ddl(dtype)}" for name, dtype in columns.items())
    return cast("SparkColumns", SparkColumns.fromDDL(text))
