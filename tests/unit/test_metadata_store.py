"""The metadata store in SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from slackwater.state.metadata.database import reading, writing
from slackwater.state.metadata.states import read_newest_state
from slackwater.state.metadata.store import MetadataStore

from ..contracts.metadata_store import CommitContract, ConcurrencyContract, TimeContract
from ..contracts.metadata_values import commit, compact, create_source, create_view, ingest, run


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/home/metadata.db"


class TestCommit(CommitContract):
    pass


class TestTime(TimeContract):
    pass


class TestConcurrency(ConcurrencyContract):
    pass


def test_the_newest_state_costs_the_same_however_long_the_past(address: str) -> None:
    """Counted in steps of SQLite's machine: time would depend on the computer."""
    with MetadataStore.open(address) as store:
        commit(store, create_source(), create_view(), ingest(1), run(1))
        short = _steps_of_reading(store)
        with writing(store.engine) as connection:
            connection.execute(text(_LONG_PAST))
        assert _steps_of_reading(store) <= short * 1.1


_LONG_PAST = """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
    INSERT INTO segments
    SELECT 1000 + n, 1, 'state/old/' || n, 1, 1, 0, 0, FALSE, FALSE, 0, NULL, 3, 4 FROM numbers
"""


def _steps_of_reading(store: MetadataStore) -> int:
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    with reading(store.engine) as connection:
        driver = connection.connection.driver_connection
        driver.set_progress_handler(count, 1)
        read_newest_state(connection, 4, None)
        driver.set_progress_handler(None, 0)
    return steps


@pytest.mark.deep
def test_the_file_stays_small_over_a_thousand_runs(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    sizes = []
    with MetadataStore.open(path) as store:
        commit(store, create_source(), create_view())
        for offset in range(1, 1_001):
            commit(store, ingest(offset), run(offset))
            for arrangement in ("orders", "revenue"):
                commit(store, compact(store, arrangement, f"m{offset}"))
            newest = store.state().commit
            floor = store.prune(newest - 40, history=newest - 400)
            store.forget(segment.id for segment in store.garbage(floor))
            sizes.append(sum(file.stat().st_size for file in tmp_path.iterdir()))
    assert sizes[-1] <= sizes[250]
