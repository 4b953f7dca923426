from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.errors import DataError
from slackwater.workloads.adversarial import adversarial_tables
from slackwater.workloads.bags import apply_changes, negate


def weighted(table: pa.Table, *weights: int) -> pa.Table:
    return table.append_column("_w", pa.array(weights, type=pa.int64()))


def numbers(*values: int | None) -> pa.Table:
    return pa.table({"n": pa.array(values, type=pa.int32())})


def test_weights_add_up_row_by_row() -> None:
    before = numbers(1, 1, 2, None)
    after = apply_changes(before, weighted(numbers(1, 3, None, 2, 2), -1, 2, 1, -1, 1))
    assert sorted(after.column("n").to_pylist(), key=str) == [1, 2, 3, 3, None, None]
    assert after.schema == before.schema


def test_a_row_may_pass_below_zero_within_a_change() -> None:
    change = weighted(numbers(5, 5), -1, 1)
    assert apply_changes(numbers(), change).num_rows == 0


def test_deleting_what_is_not_there_is_refused() -> None:
    with pytest.raises(DataError, match=r"'n': 2"):
        apply_changes(numbers(1, 2), weighted(numbers(2), -2))


@pytest.mark.parametrize("name", [name for name in adversarial_tables() if name != "t_names"])
def test_every_type_can_be_inserted_and_deleted(name: str) -> None:
    table = adversarial_tables()[name]
    change = weighted(table, *[1] * table.num_rows)
    full = apply_changes(table.slice(0, 0), change)
    assert sorted(map(repr, full.to_pylist())) == sorted(map(repr, table.to_pylist()))
    assert apply_changes(full, negate(change)).num_rows == 0
