"""Runs statements over a few rows without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from slackwater.compiler.duckdb.few.bindings import Row
from slackwater.compiler.duckdb.few.pipelines import FrameScan, Pipeline
from slackwater.executors.driver.row_values import read_values, write_values

FEW_VALUES = 512
"""Beyond so many values an engine is quicker, whatever it takes to hand them over."""


def are_few(tables: Iterable[pa.Table], most: int = FEW_VALUES) -> bool:
    """Whether tables have no more values than that, with those in their lists."""
    values = 0
    for table in tables:
        values += table.num_rows * (table.num_columns or 1)
        if values > most:
            return False
        for field, column in zip(table.schema, table.columns, strict=True):
            if pa.types.is_list(field.type):
                values += sum(
                    len(chunk.flatten()) * field.type.value_type.num_fields
                    for chunk in column.chunks
                )
    return values <= most


def run_pipeline(
    pipeline: Pipeline, tables: Mapping[str, pa.Table], schema: pa.Schema
) -> list[pa.RecordBatch]:
    """The rows of the result, under the schema of its columns; no batch if there are none.

    Raises ArithmeticError or ValueError where another engine has to judge.
    """
    frames = {each.key: _read(each, tables[each.frame]) for each in pipeline.scans}
    rows = pipeline.compute(frames)
    if not rows:
        return []
    arrays = [
        write_values(values, dtype)
        for values, (_, dtype) in zip(zip(*rows, strict=True), pipeline.columns, strict=True)
    ]
    return [pa.RecordBatch.from_arrays(arrays, schema=schema)]


def _read(scan: FrameScan, table: pa.Table) -> list[Row]:
    if not scan.columns:
        return [()] * table.num_rows
    columns = [read_values(table.column(name)) for name, _ in scan.columns]
    return list(zip(*columns, strict=True))
