"""Finding tables in a folder, and what is said when that fails."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.catalog import TableDefinition
from slackwater.errors import CatalogError, DataError
from slackwater.sources.parquet_folder import find_tables
from slackwater.types import INTEGER, Field, StructType


def write(path: Path, **columns: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def test_files_and_folders_are_tables(tmp_path: Path) -> None:
    write(tmp_path / "one.parquet", a=[1, 2, 3])
    write(tmp_path / "two" / "part-0.parquet", a=[1])
    write(tmp_path / "two" / "part-1.parquet", a=[2])
    write(tmp_path / "three.parquet" / "part-0.parquet", a=[1])
    (tmp_path / "notes.txt").write_text("not a table")
    (tmp_path / "empty").mkdir()
    (tmp_path / "_SUCCESS").touch()
    found = {entry.name: entry.size.rows for entry in find_tables(tmp_path)}
    assert found == {"one": 3, "two": 2, "three": 1}


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read") as caught:
        find_tables(tmp_path / "nowhere")
    assert "nowhere" in caught.value.render()


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    write(file, a=[1])
    with pytest.raises(DataError, match="cannot be read"):
        find_tables(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    try:
        with pytest.raises(DataError, match="cannot be read"):
            find_tables(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no Parquet tables"):
        find_tables(tmp_path)


def test_a_file_that_is_not_parquet(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_text("hello")
    with pytest.raises(DataError, match="not a readable Parquet file") as caught:
        find_tables(tmp_path)
    assert "t.parquet" in str(caught.value.where)


def test_a_file_with_another_schema(tmp_path: Path) -> None:
    write(tmp_path / "t" / "part-0.parquet", a=[1], b=["x"])
    write(tmp_path / "t" / "part-1.parquet", a=["1"], c=[1.0])
    with pytest.raises(DataError, match="another schema") as caught:
        find_tables(tmp_path)
    text = caught.value.render()
    assert "column a is string instead of int64" in text
    assert "column b is missing" in text
    assert "column c is not in the table" in text
    assert "part-1.parquet" in text


def test_columns_that_differ_only_in_case_are_refused() -> None:
    schema = StructType((Field("a", INTEGER), Field("A", INTEGER)))
    with pytest.raises(CatalogError, match="several columns named a"):
        TableDefinition("t", schema, "{}")
