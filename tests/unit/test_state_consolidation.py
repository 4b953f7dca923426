from __future__ import annotations

import math
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.state import consolidation
from slackwater.state.columns import conform, stable_type
from slackwater.state.consolidation import consolidate, group_codes

from .state_rows import COLUMNS, Sample, batch_of, canonical, net, rows_of, samples


@settings(deadline=None)
@given(samples(changes=1, rows=20), st.sampled_from([0, 32]))
def test_equal_rows_are_added_up(sample: Sample, few: int) -> None:
    rows = [row for change in sample.changes for row in change]
    with mock.patch.object(consolidation, "_FEW", few):
        added = consolidate(batch_of(rows, sample.columns), ("_w",))
    found = rows_of([added], len(sample.columns), first=1)
    assert net(found) == net(rows)
    assert len(found) == len(net(rows))
    hashes = added.column(0).to_pylist()
    assert hashes == sorted(hashes)


@settings(deadline=None)
@given(samples(changes=2, rows=10), st.sampled_from([0, 32]))
def test_sliced_batches_are_read_at_their_offset(sample: Sample, few: int) -> None:
    rows = [row for change in sample.changes for row in change]
    part = batch_of(rows, sample.columns).slice(2)
    with mock.patch.object(consolidation, "_FEW", few):
        found = rows_of([consolidate(part, ("_w",))], len(sample.columns), first=1)
    assert net(found) == net(rows[2:])


SAME = [
    (pa.float64(), [math.nan, -math.nan]),
    (pa.list_(pa.float32()), [[math.nan, None], [-math.nan, None]]),
    (pa.null(), [None, None]),
]
DIFFERENT = [
    (pa.float32(), [0.0, -0.0]),
    (pa.list_(pa.float64()), [[0.0, None], [-0.0, None]]),
    (pa.struct([("a", pa.float64())]), [{"a": -0.0}, {"a": 0.0}]),
    (pa.string(), ["a", "A", "", None, "\u00e1", "a\u0301"]),
    (pa.list_(pa.int32()), [None, [], [None], [None, None], [1], [1, 1]]),
    (pa.list_(pa.list_(pa.int32())), [[[1], [2]], [[1, 2]], [[1, 2], []], [[], [1, 2]], [None]]),
    (pa.struct([("a", pa.int32())]), [None, {"a": None}, {"a": 0}]),
    (pa.map_(pa.string(), pa.int32()), [None, [], [("a", None)], [("a", 1)], [("b", 1)]]),
    (pa.map_(pa.int32(), pa.int32()), [[(1, 2), (2, 1)], [(1, 1), (2, 2)]]),
    (pa.map_(pa.string(), pa.int32()), [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]]),
    (pa.float64(), [1.0, math.inf, -math.inf, math.nan, 0.0, None, 5e-324]),
]


@pytest.mark.parametrize(("kind", "values"), SAME)
def test_values_that_no_query_tells_apart_are_the_same(kind: pa.DataType, values: Any) -> None:
    assert group_codes([pa.array(values, kind)]).tolist() == [0] * len(values)


@pytest.mark.parametrize(("kind", "values"), DIFFERENT)
def test_values_that_some_query_tells_apart_are_different(kind: pa.DataType, values: Any) -> None:
    assert group_codes([pa.array(values, kind)]).tolist() == list(range(len(values)))


def test_rows_that_differ_in_the_sign_of_a_zero_stay_apart() -> None:
    columns = pa.schema([("k0", pa.float64())])
    batch = pa.RecordBatch.from_arrays(
        [pa.array([5, 5]), pa.array([-0.0, 0.0]), pa.array([1, -1])],
        names=["_h", *columns.names, "_w"],
    )
    found = rows_of([consolidate(batch, ("_w",))], 1, first=1)
    assert [(math.copysign(1, row.values[0]), row.weight) for row in found] == [(-1, 1), (1, -1)]


def test_several_weights_keep_a_row_as_long_as_one_of_them_counts() -> None:
    batch = pa.RecordBatch.from_arrays(
        [pa.array([1, 1, 2]), pa.array([1, -1, 1]), pa.array([1, 1, 0])],
        names=["_h", "_old", "_new"],
    )
    assert consolidate(batch, ("_old", "_new")).to_pylist() == [
        {"_h": 1, "_old": 0, "_new": 2},
        {"_h": 2, "_old": 1, "_new": 0},
    ]


def test_nothing_stays_nothing() -> None:
    columns = pa.schema([pa.field(name, kind) for name, (kind, _) in COLUMNS.items()])
    assert consolidate(batch_of([], columns), ("_w",)).num_rows == 0


LABELS = [
    (pa.large_string(), ["a", None]),
    (pa.large_binary(), [b"a", None]),
    (pa.timestamp("us", tz="Europe/Berlin"), [0, None]),
    (pa.list_(pa.field("item", pa.int32(), nullable=False)), [[1], None, []]),
    (pa.large_list(pa.large_string()), [["x", None], None, []]),
    (pa.map_(pa.large_string(), pa.timestamp("us", tz="America/Lima")), [[("a", 1)], None, []]),
    (
        pa.struct([pa.field("a", pa.large_string(), nullable=False), ("b", pa.list_(pa.int8()))]),
        [{"a": "x", "b": [1]}, None, {"a": "y", "b": None}],
    ),
    (pa.struct([]), [{}, None, {}]),
]


@pytest.mark.parametrize(("kind", "values"), LABELS)
@pytest.mark.parametrize("start", [0, 1])
def test_only_the_labels_of_a_type_change(kind: pa.DataType, values: Any, start: int) -> None:
    array, target = pa.array(values, kind).slice(start), stable_type(kind)
    changed = conform(array, target)
    changed.validate(full=True)
    assert changed.type == target
    assert canonical(changed.to_pylist()) == canonical(array.to_pylist())
