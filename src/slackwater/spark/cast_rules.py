"""Spark's own rules for writing values of one type into a column of another."""

from __future__ import annotations

from typing import Any

from pyspark.errors import ParseException
from pyspark.sql import SparkSession

from slackwater.types import DataType, ddl, same_type


def may_assign(session: SparkSession, given: DataType, declared: DataType) -> bool:
    """Whether Spark would write the given type into a column of the declared one (ANSI)."""
    types = _java_types(session, given, declared)
    return types is not None and bool(_rules(session).canANSIStoreAssign(*types))


def is_upcast(session: SparkSession, given: DataType, declared: DataType) -> bool:
    """Whether every given value has a place in the declared type."""
    if same_type(given, declared):
        return True
    types = _java_types(session, given, declared)
    return types is not None and bool(_rules(session).canUpCast(*types))


def _rules(session: SparkSession) -> Any:
    jvm: Any = session._jvm
    return jvm.org.apache.spark.sql.catalyst.expressions.Cast


def _java_types(session: SparkSession, *types: DataType) -> list[Any] | None:
    """The types in Java with NULL allowed inside; None if one has no text, as users' own have."""
    jvm: Any = session._jvm
    try:
        return [jvm.org.apache.spark.sql.types.DataType.fromDDL(ddl(each)) for each in types]
    except ParseException:
        return None
