"""Opening a folder's tables with Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from slackwater.sources.parquet_folder import open_folder


def test_odd_folder_names_and_relative_paths(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a[1]{x}*"
    folder.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), folder / "t.parquet")
    monkeypatch.chdir(folder)
    table = open_folder(spark, Path())["t"]
    assert sorted(row.a for row in table.frame.collect()) == [1, 2]
    assert table.definition.statistics.rows == 2
    assert [field.name for field in table.definition.schema.fields] == ["a"]
