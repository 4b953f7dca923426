from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from slackwater.errors import DataError, SetupError
from slackwater.workloads.bags import WEIGHT, apply_changes, negate
from slackwater.workloads.event_changes import ChangeKind, EventChanges
from slackwater.workloads.event_tables import EVENT_KEYS, EVENT_SCHEMA, EventSpec, ensure_events
from slackwater.workloads.event_values import skewed

SPEC = EventSpec(4_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensure_events(SPEC, tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture(scope="module")
def events(folder: Path) -> pa.Table:
    return pq.read_table(folder / "events.parquet")


def net(change: pa.Table) -> pa.Table:
    """One row for each changed event, with the sum of its weights."""
    return change.group_by("event_id").aggregate([(WEIGHT, "sum"), (WEIGHT, "count")])


def test_the_same_specification_gives_the_same_tables(folder: Path, tmp_path: Path) -> None:
    again = ensure_events(SPEC, tmp_path)
    other = ensure_events(EventSpec(4_000, seed=2), tmp_path)
    for name in EVENT_KEYS:
        table = pq.read_table(folder / f"{name}.parquet")
        assert pq.read_table(again / f"{name}.parquet").equals(table)
        assert not pq.read_table(other / f"{name}.parquet").equals(table)


@pytest.mark.parametrize("name", EVENT_KEYS)
def test_keys_are_unique(folder: Path, name: str) -> None:
    table = pq.read_table(folder / f"{name}.parquet")
    (key,) = EVENT_KEYS[name].primary
    assert pc.count_distinct(table.column(key)).as_py() == table.num_rows


def test_columns_have_the_types_and_gaps_that_the_page_tells(events: pa.Table) -> None:
    assert events.schema == EVENT_SCHEMA
    assert events.num_rows == SPEC.rows
    for name, share in {"amount": 0.05, "score": 0.02, "ok": 0.01, "note": 0.1}.items():
        assert events.column(name).null_count / SPEC.rows == pytest.approx(share, rel=0.4)
    assert not pc.any(pc.is_nan(events.column("amount"))).as_py()
    assert pc.max(events.column("amount")).as_py() > 1e6
    assert pc.min(events.column("amount")).as_py() < 1e-3


def test_cardinalities(events: pa.Table) -> None:
    distinct = {name: pc.count_distinct(events.column(name)).as_py() for name in ("ts", "kind")}
    assert distinct == {"ts": SPEC.rows, "kind": 5}
    assert pc.max(events.column("user_id")).as_py() <= SPEC.users == SPEC.rows // 20
    assert 950 < pc.count_distinct(events.column("shop_id")).as_py() <= 1_000


def test_skew() -> None:
    drawn = skewed(np.random.default_rng(1), 100_000, 50, 1.0)
    counts = np.bincount(drawn, minlength=50)
    assert len(counts) == 50
    assert counts[0] / counts[9] == pytest.approx(10, rel=0.4)


@pytest.mark.parametrize("share", [0.0005, 0.01])
def test_inserts_are_new_events_of_the_share_asked_for(
    folder: Path, events: pa.Table, share: float
) -> None:
    change = EventChanges(folder, SPEC).take(share, ChangeKind.INSERTS)["events"]
    assert change.num_rows == SPEC.rows * share
    assert set(change.column(WEIGHT).to_pylist()) == {1}
    assert pc.min(change.column("event_id")).as_py() > pc.max(events.column("event_id")).as_py()
    after = apply_changes(events, change)
    assert pc.count_distinct(after.column("ts")).as_py() == after.num_rows


def test_half_of_a_mixed_change_is_new_and_the_rest_goes_or_is_updated(folder: Path) -> None:
    change = EventChanges(folder, SPEC).take(0.05, ChangeKind.MIXED)["events"]
    found = net(change)
    assert found.num_rows == 200
    weights = list(
        zip(
            found.column(f"{WEIGHT}_sum").to_pylist(),
            found.column(f"{WEIGHT}_count").to_pylist(),
            strict=True,
        )
    )
    assert {each: weights.count(each) for each in weights} == {(1, 1): 100, (-1, 1): 50, (0, 2): 50}


def test_changes_keep_the_key_and_can_be_taken_back(folder: Path, events: pa.Table) -> None:
    changes = EventChanges(folder, SPEC)
    batches = changes.take_many(0.01, ChangeKind.MIXED, 3)
    batches.append(changes.take(0.01, ChangeKind.MIXED))
    table = events
    for batch in batches:
        table = apply_changes(table, batch["events"])
        assert pc.count_distinct(table.column("event_id")).as_py() == table.num_rows
    changed = [set(batch["events"].column("event_id").to_pylist()) for batch in batches]
    assert len(set.union(*changed)) == sum(map(len, changed)) == 4 * 40
    back = apply_changes(table, negate(pa.concat_tables(each["events"] for each in batches)))
    assert back.sort_by("event_id").equals(events)


def test_changes_repeat(folder: Path) -> None:
    first, second = (
        EventChanges(folder, SPEC).take(0.01, ChangeKind.MIXED)["events"] for _ in range(2)
    )
    assert first.equals(second)


def test_the_events_run_out(folder: Path) -> None:
    changes = EventChanges(folder, SPEC)
    changes.take(0.9, ChangeKind.MIXED)
    changes.take(0.9, ChangeKind.MIXED)
    with pytest.raises(DataError, match="all events have been changed"):
        changes.take(0.9, ChangeKind.MIXED)


def test_a_log_without_events_is_refused() -> None:
    with pytest.raises(SetupError, match="0 is not a number of events"):
        EventSpec(0)
