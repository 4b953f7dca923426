"""Changes to TPC-H that are read from its files: lawful, disjoint, of the size asked for."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.errors import DataError
from slackwater.workloads.bags import apply_changes
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch
from slackwater.workloads.tpch_changes import TpchChanges


@pytest.fixture(scope="module")
def folder() -> Path:
    return ensure_tpch(0.01)


def test_changes_keep_every_key_and_come_in_the_size_asked_for(folder: Path) -> None:
    tables, changes = read_tpch(folder), TpchChanges(folder)
    rows = sum(table.num_rows for table in tables.values())
    for _ in range(3):
        batch = changes.take(0.04)
        changed = sum(change.num_rows for change in batch.values())
        # An update is two rows of a change.
        assert 0.04 < changed / rows < 0.07
        for name, change in batch.items():
            tables[name] = apply_changes(tables[name], change)
            _require_unique(tables[name], TPCH_KEYS[name].primary)
        assert _missing_orders(tables) == 0


def test_half_of_the_changed_orders_are_new(folder: Path) -> None:
    orders = TpchChanges(folder).take(0.2)["orders"]
    weights = orders.column("_w").to_pylist()
    new = sum(key >= 10**12 for key in orders.column("o_orderkey").to_pylist())
    assert sum(weight < 0 for weight in weights) == pytest.approx(new, rel=0.2)
    assert weights.count(1) == pytest.approx(1.5 * new, rel=0.2)


def test_the_rows_run_out(folder: Path) -> None:
    changes = TpchChanges(folder)
    changes.take(0.6)
    with pytest.raises(DataError, match="all rows have been changed"):
        changes.take(0.6)


def _require_unique(table: pa.Table, key: tuple[str, ...]) -> None:
    assert table.group_by(list(key)).aggregate([]).num_rows == table.num_rows


def _missing_orders(tables: dict[str, pa.Table]) -> int:
    """Lines without an order."""
    lines = tables["lineitem"].select(["l_orderkey"])
    found = lines.join(tables["orders"], "l_orderkey", "o_orderkey", join_type="left anti")
    return int(found.num_rows)
