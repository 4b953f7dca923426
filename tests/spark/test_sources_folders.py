"""The files of a watched folder as batches: read with the declared types, or shown as malformed."""

from __future__ import annotations

import datetime as dt
import gzip
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import DataError
from slackwater.sources.batches import BatchOp, read_batch
from slackwater.sources.checks import check_batch
from slackwater.sources.file_columns import FileFormat
from slackwater.sources.folder_reader import malformed_lines, read_files
from slackwater.sources.folders import FileBatch, WatchedFolder, file_batches, new_files
from slackwater.spark.spark_types import own_columns

COLUMNS = "id BIGINT NOT NULL, name STRING, amount DECIMAL(10,2), day DATE"
DAY = dt.date(2026, 5, 1)


def spec(ddl: str = COLUMNS) -> SourceSpec:
    return SourceSpec("orders", own_columns(StructType.fromDDL(ddl)))


def batches(folder: WatchedFolder) -> tuple[FileBatch, ...]:
    return file_batches(folder, new_files(folder, {}))


def rows(
    spark: SparkSession, source: SourceSpec, folder: WatchedFolder
) -> list[tuple[object, ...]]:
    """The rows of all new files with their weights, file after file."""
    found: list[tuple[object, ...]] = []
    for each in batches(folder):
        batch = read_batch(spark, source, read_files(spark, source, folder, each), folder.op)
        check_batch(batch, source)
        found += [tuple(row) for row in batch.frame.collect()]
    return found


def test_csv_is_read_by_the_names_of_its_header(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a*{b}.csv").write_text("id,name,amount,day\n1,Ada,2.50,2026-05-01\n2,,,\n")
    (tmp_path / "b.csv").write_text('Day,_w,ID,amount,name\n2026-05-01,-1,3,1,"x, y"\n')
    (tmp_path / "c.csv").write_text("")
    (tmp_path / "d.csv").write_text("id,name,amount,day\n")
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(b"id,name,amount,day\n5,Ed,,\n"))
    assert rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.CSV)) == [
        (1, "Ada", Decimal("2.50"), DAY, 1),
        (2, None, None, None, 1),
        (3, "x, y", Decimal("1.00"), DAY, -1),
        (5, "Ed", None, None, 1),
    ]


def test_json_is_read_by_name(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"amount": 2.50, "id": 1}\n{"id": 2, "day": "2026-05-01"}\n')
    (tmp_path / "b.jsonl").write_text('{"ID": 3, "_change_type": "delete", "_commit_version": 9}\n')
    assert rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.JSON)) == [
        (1, None, Decimal("2.50"), None, 1),
        (2, None, None, DAY, 1),
        (3, None, None, None, -1),
    ]


def test_an_object_of_nulls_is_a_row(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's own writer leaves out what is NULL, and so writes a row of NULLs as `{}`."""
    (tmp_path / "a.json").write_text('{}\n{"id": 1, "name": "x"}\n')
    (tmp_path / "b.json").write_text("\n")
    (tmp_path / "c.json").write_text("{}\n")
    nullable = spec("id BIGINT, name STRING")
    assert rows(spark, nullable, WatchedFolder(tmp_path, FileFormat.JSON)) == [
        (None, None, 1),
        (1, "x", 1),
        (None, None, 1),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 2, "nme": {}}', "unknown nme"),
        ('{"id": 2, "NAME": "x"}\n{"id": 3, "name": "y"}', "unknown NAME"),
        ('[{"id": 2, "nme": 3}]', "a line is a list, not an object"),
    ],
)
def test_what_a_later_object_has_besides_is_refused(
    spark: SparkSession, tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n' + line + "\n")
    with pytest.raises(DataError, match=message):
        rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.JSON))


def test_an_object_with_a_name_twice_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n{"id": 2, "id": 3}\n')
    with pytest.raises(Exception, match=r"FAILED_READ_FILE|MALFORMED"):
        rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.JSON))


@pytest.mark.parametrize("mark", ['"_change_type": "delete"', '"_w": -1'])
def test_a_deletion_never_passes_for_an_insert(
    spark: SparkSession, tmp_path: Path, mark: str
) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n{"id": 2, ' + mark + "}\n")
    folder = WatchedFolder(tmp_path, FileFormat.JSON)
    [batch] = batches(folder)
    with pytest.raises(Exception, match="which the first line of its file lacks"):
        read_files(spark, spec(), folder, batch).collect()


def test_parquet_keeps_its_types_and_is_converted(spark: SparkSession, tmp_path: Path) -> None:
    narrow = {
        "id": pa.array([1], pa.int32()),
        "name": ["a"],
        "amount": [Decimal("1.5")],
        "day": [DAY],
    }
    pq.write_table(pa.table(narrow), tmp_path / "a.parquet")
    pq.write_table(pa.table({**narrow, "id": pa.array([2], pa.int64())}), tmp_path / "b.parquet")
    assert rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.PARQUET)) == [
        (1, "a", Decimal("1.50"), DAY, 1),
        (2, "a", Decimal("1.50"), DAY, 1),
    ]


def test_readers_have_options(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;name;amount;day\n1;-;3;01.05.2026\n")
    options = {"sep": ";", "nullValue": "-", "dateFormat": "dd.MM.yyyy"}
    folder = WatchedFolder(tmp_path, FileFormat.CSV, options=options)
    assert rows(spark, spec(), folder) == [(1, None, Decimal("3.00"), DAY, 1)]


def test_nothing_may_be_quoted(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,name,amount,day\n1,"x,3,\n')
    folder = WatchedFolder(tmp_path, FileFormat.CSV, options={"quote": ""})
    assert rows(spark, spec(), folder) == [(1, '"x', Decimal("3.00"), None, 1)]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", "id\n7\n"), ("a.json", '{"id": 7}\n'), ("b.json", '{"ID": 7}\n')],
)
def test_deletes_may_name_keys_alone(
    spark: SparkSession, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    keyed = SourceSpec("orders", spec().schema, key=("id",))
    folder = WatchedFolder(tmp_path, FileFormat(name.split(".")[1]), op="delete")
    [batch] = batches(folder)
    read = read_batch(spark, keyed, read_files(spark, keyed, folder, batch), "delete")
    assert read.op is BatchOp.DELETE_KEYS
    assert [tuple(row) for row in read.frame.collect()] == [(7, -1)]


def test_deletes_by_rows_name_more_than_the_key(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 7}\n{"id": 8, "name": "x"}\n')
    keyed = SourceSpec("orders", spec().schema, key=("id",))
    folder = WatchedFolder(tmp_path, FileFormat.JSON, op="delete")
    assert rows(spark, keyed, folder) == [(7, None, None, None, -1), (8, "x", None, None, -1)]


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a {1}.csv", "id,name,amount,day\n1,a,1,\nx1,b,2,\n3,c\n", ["a {1}.csv  x1,b,2,"]),
        ("a.json", '{"id": 1}\n{"id": "x"}\n{"id": 3, \n', ['a.json  {"id": "x"}', '{"id": 3,']),
    ],
)
def test_malformed_lines_are_shown(
    spark: SparkSession, tmp_path: Path, name: str, content: str, shown: list[str]
) -> None:
    (tmp_path / name).write_text(content)
    folder = WatchedFolder(tmp_path, FileFormat(name.split(".")[1]))
    [batch] = batches(folder)
    with pytest.raises(Exception, match=r"FAILED_READ_FILE|MALFORMED"):
        read_files(spark, spec(), folder, batch).collect()
    error = malformed_lines(spark, spec(), folder, batch)
    assert error is not None
    assert all(each in error.what for each in shown)
    assert error.where == str(tmp_path)
    assert "id:bigint" in str(error.hint)


def test_lines_in_order_are_not_blamed(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name,amount,day\n1,a,1,\n")
    folder = WatchedFolder(tmp_path, FileFormat.CSV)
    assert malformed_lines(spark, spec(), folder, batches(folder)[0]) is None


def test_what_a_format_cannot_hold_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    folder = WatchedFolder(tmp_path, FileFormat.CSV)
    with pytest.raises(DataError, match="Spark cannot read the files") as refused:
        read_files(spark, spec("a ARRAY<INT>"), folder, batches(folder)[0])
    assert "CSV files can hold" in str(refused.value.hint)


def test_unknown_columns_of_a_file_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,nme,amount,day\n1,a,1,\n")
    with pytest.raises(DataError, match="missing name; unknown nme"):
        rows(spark, spec(), WatchedFolder(tmp_path, FileFormat.CSV))


def test_files_in_hidden_folders_are_still_being_written(tmp_path: Path) -> None:
    for name in ("_temporary/0/a.csv", ".staging/b.csv", "_day=1/c.csv", "sub/d.csv", "_e.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("id\n1\n")
    folder = WatchedFolder(tmp_path, FileFormat.CSV, pattern="**/*.csv")
    assert [file.name for file in new_files(folder, {})] == ["_day=1/c.csv", "sub/d.csv"]
