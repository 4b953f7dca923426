"""Whole sessions and projects whose metadata is in PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.cli.main import main
from slackwater.state.metadata.errors import HomeLockedError

SCHEMA = "id BIGINT, customer STRING, amount BIGINT"
QUERY = "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer"


def orders(*rows: tuple[int, str, int]) -> pa.Table:
    names = ("id", "customer", "amount")
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def answer(view: sw.View, commit: int | None = None) -> set[tuple[str, int]]:
    return {(row.customer, row.total) for row in view.read(commit).collect()}


def test_a_session_from_start_to_end(
    spark: SparkSession, tmp_path: Path, postgres_address: str
) -> None:
    home = tmp_path / "home"
    with sw.open(home, spark, metadata=postgres_address) as session:
        session.create_source("orders", SCHEMA, key=["id"])
        session.ingest("orders", orders((1, "ada", 10), (2, "bob", 20)), marks={"day": "1"})
        view = session.create_view("revenue", QUERY)
        filled = session.refresh().commit
        assert answer(view) == {("ada", 10), ("bob", 20)}
        session.ingest("orders", orders((2, "bob", 25), (3, "cy", 5)), op="upsert")
        assert [each.action for each in session.refresh().views] == ["incremental"]
        newest = {("ada", 10), ("bob", 25), ("cy", 5)}
        assert answer(view) == newest
        changes = view.changes(since=filled, zset=True).collect()
        assert {(row.customer, row.total, row._w) for row in changes} == {
            ("bob", 20, -1),
            ("bob", 25, 1),
            ("cy", 5, 1),
        }
        assert session.compact().merged > 0
        with pytest.raises(HomeLockedError, match=r"being written by pid \d+ on"):
            sw.open(home, spark, metadata=postgres_address)
        with sw.open(home, spark, metadata=postgres_address, read_only=True) as reader:
            assert answer(reader.view("revenue")) == newest
    assert not (home / "slackwater.db").exists()

    with sw.open(home, spark, metadata=postgres_address) as session:
        view = session.view("revenue")
        assert answer(view) == newest
        assert answer(view, filled) == {("ada", 10), ("bob", 20)}
        assert session.marks("orders") == {"day": "1"}
        session.ingest("orders", orders((1, "ada", 10)), op="delete")
        session.refresh()
        assert answer(view) == newest - {("ada", 10)}
        assert session.verify("revenue").equal
        assert len(session.history("revenue")) == 3


def run(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(each) for each in argv])
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().out


def test_a_project_finds_its_database_in_the_environment(
    spark: SparkSession,
    tmp_path: Path,
    postgres_address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No address stands in the project's files."""
    monkeypatch.setenv("SLACKWATER_METADATA", postgres_address)
    shop = tmp_path / "shop"
    project = ("--project", shop)
    assert run(capsys, "init", shop)[0] == 0
    assert run(capsys, "read", "best_countries", *project)[0] == 1
    assert run(capsys, "refresh", *project)[0] == 0
    storage = shop / ".slackwater"
    assert not (storage / "slackwater.db").exists()
    with sw.open(storage, spark, metadata=postgres_address):
        code, told = run(capsys, "status", *project, "--json")
        assert (code, [each["behind"] for each in json.loads(told)["views"]]) == (0, [False] * 2)
        assert run(capsys, "history", *project)[0] == 0
        assert run(capsys, "verify", *project)[0] == 0
        code, told = run(capsys, "read", "best_countries", *project, "--json")
        assert (code, len(json.loads(told)["rows"])) == (0, 1)
        assert run(capsys, "refresh", *project)[0] == 1
