"""SQL text over a table t: planned by the front end, then answered by the driver."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType as SparkStruct

from slackwater.catalog import TableDefinition
from slackwater.compiler.duckdb.statements import DuckdbStatement
from slackwater.compiler.duckdb.types import Columns, NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.frontend.sql.planner import Planner
from slackwater.plan.statements import Statement
from slackwater.types import StructType, ddl, parse_spark_type, same_type

Row = tuple[object, ...]
FEW_VALUES = (
    pytest.param(0, id="by DuckDB"),
    pytest.param(10**9, id="in Python where that is possible"),
)
"""How many values an engine takes for few: none, or all that tests have."""


def planner_over(spark: SparkSession, columns: Columns) -> Planner:
    """A planner that knows a table t of these columns."""
    text = ", ".join(f"{name} {ddl(dtype)}" for name, dtype in columns.items())
    schema = SparkStruct.fromDDL(text).json()
    return Planner(spark, [TableDefinition("t", _struct(schema), schema)])


def plan_text(planner: Planner, sql: str) -> Statement:
    """The text as a typed statement, whose columns have the names and types of Spark's answer."""
    query = planner.plan_sql(sql)
    statement = Statement(query.rel, query.names)
    expected = _struct(query.spark_schema).fields
    assert [field.name for field in statement.fields] == [field.name for field in expected]
    for ours, theirs in zip(statement.fields, expected, strict=True):
        assert same_type(ours.dtype, theirs.dtype), (sql, ours, theirs)
    return statement


def _struct(schema: str) -> StructType:
    dtype = parse_spark_type(json.loads(schema))
    assert isinstance(dtype, StructType)
    return dtype


def answers_by_key(
    engine: LocalEngine, statement: DuckdbStatement, table: pa.Table, key: str, keys: Iterable[int]
) -> dict[int, list[Row]]:
    """The driver's rows for as many keys as it has an answer for, by key."""
    wanted = _beside_alike(statement, rows_with(table, key, keys), key)
    return _answers(engine, statement, table, key, wanted)


def _answers(
    engine: LocalEngine, statement: DuckdbStatement, table: pa.Table, key: str, keys: list[int]
) -> dict[int, list[Row]]:
    try:
        found = engine.execute(statement, {"t": rows_with(table, key, keys)})
    except NotLocalError:
        if len(keys) == 1:
            return {}
        half = len(keys) // 2
        both = [_answers(engine, statement, table, key, k) for k in (keys[:half], keys[half:])]
        return {**both[0], **both[1]}
    by_key: dict[int, list[Row]] = {each: [] for each in keys}
    for each, row in zip(found[key].to_pylist(), plain_rows(found), strict=True):
        by_key[each].append(row)
    return by_key


def _beside_alike(statement: DuckdbStatement, table: pa.Table, key: str) -> list[int]:
    """Keys beside those with like values: where one has no answer, the next may have none."""
    read = [
        (field.name, "ascending")
        for field in table.schema
        if field.name in statement.reads.get("t", ()) and not pa.types.is_nested(field.type)
    ]
    others = [order for order in read if order[0] != key]
    rows = table.sort_by(others) if others else table
    return list(dict.fromkeys(rows[key].to_pylist()))


def rows_with(table: pa.Table, key: str, keys: Iterable[int]) -> pa.Table:
    """The rows of a table that have one of the keys."""
    return table.filter(pc.is_in(table[key], pa.array([*keys], table[key].type)))


def plain_rows(table: pa.Table) -> list[Row]:
    """Rows of values that can be compared."""
    return list(zip(*map(plain_values, table.columns), strict=True))


def plain_values(column: pa.ChunkedArray) -> list[object]:
    """Values that can be compared; Python has no dates before the year 1."""
    if pa.types.is_date(column.type):
        return list(column.cast(pa.int32()).to_pylist())
    if pa.types.is_timestamp(column.type):
        return list(column.cast(pa.int64()).to_pylist())
    if pa.types.is_string(column.type):
        return [value for chunk in column.chunks for value in _bytes(chunk)]
    if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
        return [None if row.values is None else _bytes(row.values) for row in column]
    return list(map(repr, column.to_pylist()))


def _bytes(texts: pa.Array) -> list[object]:
    """Texts that need not be valid."""
    return list(texts.view(pa.binary()).to_pylist())
