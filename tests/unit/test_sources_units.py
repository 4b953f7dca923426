"""The parts of sources that need no Spark: declarations, names, folders, and how rows are shown."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import CatalogError, DataError
from slackwater.sources.batch_layout import BatchOp, plan_layout
from slackwater.sources.file_columns import FileFormat, file_columns
from slackwater.sources.folders import (
    WatchedFolder,
    file_batches,
    new_files,
    require_unchanged,
)
from slackwater.sources.show_rows import show_rows
from slackwater.types import (
    BIGINT,
    STRING,
    VARIANT,
    ArrayType,
    DataType,
    Field,
    MapType,
    OpaqueType,
    StructType,
)


def columns(**types: DataType) -> StructType:
    return StructType(tuple(Field(name, dtype) for name, dtype in types.items()))


TWO = columns(a=BIGINT, b=STRING)


# Declarations -------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Callable[[], SourceSpec], str]] = {
    "no name": (lambda: SourceSpec(" ", TWO), "needs a name"),
    "no columns": (lambda: SourceSpec("s", StructType(())), "has no columns"),
    "a column twice": (lambda: SourceSpec("s", columns(a=BIGINT, A=BIGINT)), "a twice"),
    "an unknown key": (lambda: SourceSpec("s", TWO, key=("c",)), "names c, which is not a column"),
    "a key twice": (lambda: SourceSpec("s", TWO, key=("a", "a")), "names a twice"),
    "a map in the key": (
        lambda: SourceSpec("s", columns(m=MapType(STRING, BIGINT)), key=("m",)),
        "key column m is MAP<STRING, BIGINT>",
    ),
    "a variant in the key": (
        lambda: SourceSpec("s", columns(v=ArrayType(VARIANT)), key=("v",)),
        "key column v is ARRAY<VARIANT>",
    ),
    "a varchar inside": (
        lambda: SourceSpec("s", columns(c=ArrayType(OpaqueType("varchar(3)")))),
        "column c is ARRAY<VARCHAR(3)>",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_declaration(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(CatalogError) as refused:
        make()
    assert message in refused.value.what
    assert refused.value.hint


def test_the_weight_never_clashes() -> None:
    assert SourceSpec("s", TWO).weight == "_w"
    assert SourceSpec("s", columns(_W=BIGINT, __w=BIGINT)).weight == "___w"


# Layouts ------------------------------------------------------------------------------------


def test_names_that_differ_in_case_alone_must_match_exactly() -> None:
    spec = SourceSpec("s", TWO)
    assert plan_layout(spec, ["B", "a"], None, None).places == (1, 0)
    with pytest.raises(DataError, match="unknown A"):
        plan_layout(spec, ["a", "A", "b"], None, None)


def test_columns_that_a_feed_brings_are_data_if_the_source_has_them() -> None:
    spec = SourceSpec("s", columns(a=BIGINT, _commit_version=BIGINT))
    layout = plan_layout(spec, ["_change_type", "_commit_version", "a"], None, None)
    assert layout.op is BatchOp.CHANGES
    assert layout.places == (2, 1)
    plain = SourceSpec("s", columns(a=BIGINT))
    assert plan_layout(plain, ["_change_type", "_commit_version", "a"], None, None).places == (2,)
    with pytest.raises(DataError, match="unknown _commit_version"):
        plan_layout(plain, ["_commit_version", "a"], None, None)


def test_a_key_of_all_columns_is_deleted_by_rows() -> None:
    spec = SourceSpec("s", TWO, key=("a", "b"))
    assert plan_layout(spec, ["a", "b"], "delete", None).op is BatchOp.DELETE


# Rows in messages ---------------------------------------------------------------------------


def test_rows_are_shown_within_bounds() -> None:
    wide = show_rows([f"column_{n}" for n in range(40)], [["x" * 500] * 40, [None] * 40])
    lines = wide.splitlines()
    assert max(map(len, lines)) <= 96
    assert lines[-1] == "(37 more columns)"
    assert "x" * 21 + "..." in lines[1]


def test_odd_values_are_shown_on_one_line() -> None:
    shown = show_rows(["a", "b"], [["two\nlines\x1b", b"\x00\xff"]])
    assert shown == "a               b\ntwo\\nlines\\x1b  00ff"


# Watched folders ----------------------------------------------------------------------------


def folder_of(path: Path, **more: object) -> WatchedFolder:
    return WatchedFolder(path, FileFormat.CSV, **more)  # type: ignore[arg-type]


def names(folder: WatchedFolder, seen: dict[str, str] | None = None) -> list[str]:
    return [file.name for file in new_files(folder, seen or {})]


def test_files_are_found_by_name_and_once(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.csv.gz", ".hidden.csv", "_tmp.csv", "d.parquet", "e.txt"):
        (tmp_path / name).write_text("id\n1\n")
    (tmp_path / "dir.csv").mkdir()
    folder = folder_of(tmp_path)
    assert names(folder) == ["a.csv", "b.csv", "c.csv.gz"]
    seen = {file.name: file.identity for file in new_files(folder, {})[:2]}
    assert names(folder, seen) == ["c.csv.gz"]
    (tmp_path / "a.csv").unlink()
    assert names(folder, seen) == ["c.csv.gz"]


def test_a_pattern_may_reach_below(tmp_path: Path) -> None:
    (tmp_path / "2026" / "05").mkdir(parents=True)
    (tmp_path / "2026" / "05" / "x.txt").write_text("id\n1\n")
    (tmp_path / "y.csv").write_text("id\n1\n")
    assert names(folder_of(tmp_path, pattern="**/*.txt")) == ["2026/05/x.txt"]


@pytest.mark.parametrize("change", ["size", "time"])
def test_a_changed_file_is_refused(tmp_path: Path, change: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id\n1\n")
    [found] = new_files(folder_of(tmp_path), {})
    if change == "size":
        file.write_text("id\n1\n2\n")
        os.utime(file, ns=(found.modified, found.modified))
    else:
        os.utime(file, ns=(found.modified, found.modified + 1))
    with pytest.raises(DataError, match=r"a.csv has changed since it was ingested") as refused:
        new_files(folder_of(tmp_path), {"a.csv": found.identity})
    assert refused.value.where == str(tmp_path)


@pytest.mark.parametrize("change", ["size", "time", "removed"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, change: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id\n1\n")
    folder = folder_of(tmp_path)
    [batch] = file_batches(folder, new_files(folder, {}))
    [found] = batch.files
    require_unchanged(folder, batch)
    if change == "removed":
        file.unlink()
    else:
        file.write_text("id\n1\n2\n" if change == "size" else "id\n1\n")
        os.utime(file, ns=(found.modified, found.modified + (change == "time")))
    with pytest.raises(DataError, match=r"a.csv was (changed|removed) while it was being read"):
        require_unchanged(folder, batch)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: No such file"):
        new_files(folder_of(tmp_path / "no"), {})
    with pytest.raises(DataError, match="cannot be read"):
        new_files(folder_of(tmp_path, pattern="/x"), {})


def test_files_of_equal_columns_go_together(tmp_path: Path) -> None:
    for name, text in {"a": "id,v\n", "b": "id,v\n1,2\n", "c": "v,id\n", "d": "id,v\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    folder = folder_of(tmp_path)
    batches = file_batches(folder, new_files(folder, {}))
    assert [[file.name for file in each.files] for each in batches] == [
        ["a.csv", "b.csv"],
        ["c.csv"],
        ["d.csv"],
    ]
    assert [each.columns for each in batches] == [("id", "v"), ("v", "id"), ("id", "v")]
    upserts = folder_of(tmp_path, op="upsert")
    assert len(file_batches(upserts, new_files(upserts, {}))) == 4


# Columns of files ---------------------------------------------------------------------------


def test_the_columns_of_each_format(tmp_path: Path) -> None:
    table = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), table)
    assert file_columns(table, FileFormat.PARQUET, {}) == (("a", "int64"), ("b", "string"))
    lines = tmp_path / "t.json"
    lines.write_text('\n{"a": 1, "b": {"c": 2}}\n{"z": 1}\n')
    assert file_columns(lines, FileFormat.JSON, {}) == (("a", ""), ("b", ""))
    sheet = tmp_path / "t.csv"
    sheet.write_text('\ufeff"a;1"; b ;"c\nd"\n1;2;3\n', encoding="utf-8")
    assert file_columns(sheet, FileFormat.CSV, {"sep": ";"}) == (
        ("a;1", ""),
        ("b", ""),
        ("c\nd", ""),
    )
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress("é,b\n".encode("latin-1")))
    assert file_columns(packed, FileFormat.CSV, {"encoding": "latin-1"})[0] == ("é", "")


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_an_empty_file_has_no_columns(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("\n")
    assert file_columns(tmp_path / name, FileFormat(name[2:]), {}) == ()


def test_an_empty_quote_means_that_nothing_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('"a,b"\n1,2\n')
    assert file_columns(tmp_path / "t.csv", FileFormat.CSV, {"quote": ""}) == (
        ('"a', ""),
        ('b"', ""),
    )


PACKED = gzip.compress(b"a,b\n" * 100, mtime=0)
BROKEN: dict[str, tuple[str, bytes, dict[str, str]]] = {
    "not Parquet": ("t.parquet", b"PAR0", {}),
    "not JSON": ("t.json", b"{'a': 1}", {}),
    "a JSON list": ("t.json", b"[1, 2]", {}),
    "not UTF-8": ("t.csv", b"\xff\xfe\xff", {}),
    "not gzip": ("t.csv.gz", b"a,b\n", {}),
    "damaged gzip": ("t.csv.gz", PACKED[:10] + b"\xff" * 20, {}),
    "half of gzip": ("t.json.gz", PACKED[:12], {}),
    "damaged Parquet": ("t.parquet", b"PAR1" + b"\xff" * 40 + b"\x20\x00\x00\x00PAR1", {}),
    "JSON without end": ("t.json", b'{"a": ' + b"[" * 200_000, {}),
    "a large field": ("t.csv", b'"' + b"x" * 200_000, {}),
    "a long quote": ("t.csv", b"a,b\n", {"quote": "''"}),
    "a long separator": ("t.csv", b"a||b\n", {"sep": "||"}),
    "an unknown encoding": ("t.csv", b"a,b\n", {"encoding": "klingon"}),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_cannot_be_read(tmp_path: Path, case: str) -> None:
    name, content, options = BROKEN[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match="the file is not readable") as refused:
        file_columns(tmp_path / name, FileFormat(name.split(".")[1]), options)
    assert refused.value.where == str(tmp_path / name)
