"""Locks, crashes and collection of homes with metadata in SQLite."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from slackwater.errors import SetupError

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


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"commits": -1}, "-1 is not a number of commits"),
        ({"history": -5}, "-5 is not a number of commits"),
        ({"age": timedelta(seconds=-1)}, "commits cannot stay for"),
        ({"age": timedelta.max}, "commits cannot stay for"),
    ],
)
def test_a_retention_that_cannot_be(given: dict[str, Any], what: str) -> None:
    with pytest.raises(SetupError, match=what) as refused:
        sw.Retention(**given)
    assert str(refused.value.where) == f"retention, {next(iter(given))}"
    assert refused.value.hint
