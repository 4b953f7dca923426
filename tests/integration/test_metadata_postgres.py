"""Metadata in PostgreSQL keeps to the same contracts as in SQLite."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, make_url, text

from slackwater.state.metadata.errors import HomeLockedError, MetadataError
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.store import MetadataStore

from ..contracts.metadata_home import CollectContract, CrashContract, LockContract
from ..contracts.metadata_layout import LayoutContract
from ..contracts.metadata_store import (
    CommitContract,
    ConcurrencyContract,
    TimeContract,
)
from ..contracts.metadata_values import commit, create_source, ingest


@pytest.fixture
def address(postgres_address: str) -> str:
    return postgres_address


class TestCommit(CommitContract):
    pass


class TestTime(TimeContract):
    pass


class TestConcurrency(ConcurrencyContract):
    pass


class TestLayout(LayoutContract):
    database = "postgresql"

    def load(self, address: str, script: str) -> None:
        url = make_url(address).set(drivername="postgresql")
        with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
            connection.execute(script.encode())


class TestLock(LockContract):
    pass


class TestCrash(CrashContract):
    pass


class TestCollect(CollectContract):
    pass


def test_the_lock_is_seen_where_the_file_is_not(address: str, tmp_path: Path) -> None:
    """As if the home were mounted on two machines whose file locks are apart."""
    with MetadataStore.open(address) as store, HomeLock.acquire(tmp_path / "one", store):
        other = tmp_path / "two"
        other.mkdir()
        (other / "identity").write_text((tmp_path / "one" / "identity").read_text())
        with (
            MetadataStore.open(address) as second,
            pytest.raises(HomeLockedError, match=r"pid \d+ on "),
        ):
            HomeLock.acquire(other, second)


def test_a_broken_connection_undoes_the_commit(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MetadataStore.open(address) as store:
        commit(store, create_source())
        killer = create_engine(address, isolation_level="AUTOCOMMIT")

        def cut(_point: str) -> None:
            with killer.connect() as connection:
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE state = 'idle in transaction' AND datname = current_database()"
                    )
                )

        with monkeypatch.context() as patch:
            patch.setattr(
                "slackwater.state.metadata.store.reach",
                lambda point: cut(point) if point == "commit.inside" else None,
            )
            with pytest.raises(MetadataError, match="database failed"):
                commit(store, ingest(1))
        assert store.state().commit == 1
        assert commit(store, ingest(1)).version == 2
        killer.dispose()


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    address = f"postgresql://user:secret@/nowhere?host={tmp_path}"
    with pytest.raises(MetadataError) as caught:
        MetadataStore.open(address)
    assert "secret" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)
