"""The metadata store in SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..contracts.metadata_store import (
    CommitContract,
    ConcurrencyContract,
    LayoutContract,
    TimeContract,
)


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/home/metadata.db"


class TestCommit(CommitContract):
    pass


class TestTime(TimeContract):
    pass


class TestConcurrency(ConcurrencyContract):
    pass


class TestLayout(LayoutContract):
    pass
