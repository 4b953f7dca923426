"""Locks, crashes and collection of homes with metadata in SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..contracts.metadata_home import CollectContract, CrashContract, LockContract


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/home/metadata.db"


class TestLock(LockContract):
    pass


class TestCrash(CrashContract):
    pass


class TestCollect(CollectContract):
    pass
