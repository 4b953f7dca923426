from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.errors import SetupError
from slackwater.workloads.table_keys import TableKeys
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, ensure_tpch_doubles, read_tpch
from slackwater.workloads.tpch_changes import TpchChanges


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensure_tpch(0.001, tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, pa.Table]:
    return read_tpch(folder)


@pytest.fixture
def without_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment without the generator; the folder is first on its PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", str(programs))
    return programs


def fake_program(folder: Path, script: str) -> None:
    program = folder / "tpchgen-cli"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_there_is_one_file_a_table(folder: Path) -> None:
    assert folder.name == "sf0.001"
    assert {path.name for path in folder.iterdir()} == {f"{name}.parquet" for name in TPCH_KEYS}


def test_sizes_follow_the_scale_factor(tables: dict[str, pa.Table]) -> None:
    assert tables["orders"].num_rows == 1500
    assert tables["nation"].num_rows == 25


def test_types_are_plain(tables: dict[str, pa.Table]) -> None:
    types = {field.name: field.type for table in tables.values() for field in table.schema}
    money = ("l_extendedprice", "l_discount", "o_totalprice", "ps_supplycost", "c_acctbal")
    assert {types[name] for name in money} == {pa.decimal128(15, 2)}
    assert types["l_shipdate"] == types["o_orderdate"] == pa.date32()
    assert {types[name] for name in types if name.endswith("key")} == {pa.int64()}
    assert types["l_comment"] == pa.string()
    assert all(field.nullable for table in tables.values() for field in table.schema)


@pytest.mark.parametrize("name", TPCH_KEYS)
def test_keys_hold(name: str, tables: dict[str, pa.Table]) -> None:
    def key_values(table: str, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
        return list(zip(*(tables[table].column(c).to_pylist() for c in columns), strict=True))

    keys: TableKeys = TPCH_KEYS[name]
    own = key_values(name, keys.primary)
    assert len(own) == len(set(own))
    for foreign in keys.foreign:
        parents = key_values(foreign.parent, TPCH_KEYS[foreign.parent].primary)
        assert set(key_values(name, foreign.columns)) <= set(parents)


def test_cached_data_needs_no_program(folder: Path, without_program: Path) -> None:
    assert not list(without_program.iterdir())
    assert ensure_tpch(0.001, folder.parent.parent) == folder


@pytest.mark.usefixtures("without_program")
def test_a_missing_program_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"not installed[^$]*workloads"):
        ensure_tpch(1, tmp_path)
    assert not list((tmp_path / "tpch").iterdir())


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo disk full >&2; exit 1", "disk full"), ("exit 3", "exit code 3"), ("", "wrote no")],
)
def test_a_failing_program_is_explained(
    script: str, reason: str, without_program: Path, tmp_path: Path
) -> None:
    fake_program(without_program, script)
    with pytest.raises(SetupError, match=reason):
        ensure_tpch(1, tmp_path)
    assert not list((tmp_path / "tpch").iterdir())


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf")])
def test_an_impossible_scale_factor_is_refused(scale: float, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="scale factor"):
        ensure_tpch(scale, tmp_path)


def test_decimals_may_be_doubles(folder: Path, tables: dict[str, pa.Table]) -> None:
    converted = ensure_tpch_doubles(0.001, folder.parents[1])
    assert converted.name == "sf0.001-doubles"
    for name, table in read_tpch(converted).items():
        types = {field.name: field.type for field in table.schema}
        for field in tables[name].schema:
            expected = pa.float64() if pa.types.is_decimal(field.type) else field.type
            assert types[field.name] == expected
        assert table.num_rows == tables[name].num_rows
    change = TpchChanges(converted).take(0.05)["lineitem"]
    assert change.schema.field("l_extendedprice").type == pa.float64()
