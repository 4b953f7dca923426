"""The layout of metadata in SQLite, and how its database is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from slackwater.errors import SetupError
from slackwater.state.metadata.database import open_engine, reading
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.store import MetadataStore

from ..contracts.metadata_layout import LayoutContract


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/metadata.db"


class TestLayout(LayoutContract):
    database = "sqlite"

    def load(self, address: str, script: str) -> None:
        connection = sqlite3.connect(make_url(address).database or "")
        connection.executescript(script)
        connection.close()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 30_000)],
)
def test_commits_are_durable_and_checked(address: str, pragma: str, value: object) -> None:
    with MetadataStore.open(address) as store, reading(store.engine) as connection:
        assert connection.scalar(text(f"PRAGMA {pragma}")) == value


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = tmp_path / "100% odd?name#here;" / "metadata.db"
    with MetadataStore.open(path) as store:
        assert store.state().commit == 0
    assert path.exists()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    path.write_text("this is not a database, only a text that is long enough to be looked at" * 99)
    with pytest.raises(MetadataError, match=r"not a database(.|\n)*metadata\.db"):
        MetadataStore.open(path)


@pytest.mark.parametrize(
    "address", ["mysql://user:secret@host/db", "metadata.db", "sqlite://", "sqlite:///:memory:"]
)
def test_addresses_we_cannot_use_are_refused(address: str) -> None:
    with pytest.raises(SetupError) as caught:
        open_engine(address)
    assert caught.value.hint is not None
    assert "sqlite:///" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(SetupError, match=r"slackwater\[postgres\]"):
        open_engine("postgresql://localhost/home")
