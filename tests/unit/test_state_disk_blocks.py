from __future__ import annotations

from itertools import pairwise
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.state import columns, disk_blocks
from slackwater.state.disk_blocks import Asked, Blocks, Stretch, rows_in_each
from slackwater.state.mapped_files import DEMAND


def _blocks(*batches: list[int]) -> Blocks:
    with mock.patch.object(columns, "MAX_BATCH_ROWS", 2):
        return Blocks.of([np.array(batch, dtype=np.int64) for batch in batches])


def test_no_block_is_of_two_batches() -> None:
    found = _blocks([1, 2, 3], [3, 4, 5, 6], [7])
    assert found.batches.tolist() == [0, 0, 1, 1, 2]
    assert found.starts.tolist() == [0, 2, 0, 2, 0]
    assert found.stops.tolist() == [2, 3, 2, 4, 1]
    assert found.firsts.tolist() == [1, 3, 3, 5, 7]
    assert found.lasts.tolist() == [2, 3, 4, 6, 7]
    assert [found.of_batch(number) for number in range(3)] == [
        slice(0, 2),
        slice(2, 4),
        slice(4, 5),
    ]


def test_a_file_without_rows_has_no_blocks() -> None:
    assert len(_blocks().firsts) == 0
    assert list(_blocks().between(-5, 5)) == []


def test_blocks_that_follow_one_another_in_a_batch_are_one_stretch() -> None:
    found = _blocks([1, 2, 3], [3, 4, 5, 6, 7, 8])
    some = found.joined(np.array([1, 2, 3]))
    assert list(some) == [Stretch(0, 2, 3), Stretch(1, 0, 4)]
    assert list(found.joined(np.array([2, 4]))) == [Stretch(1, 0, 2), Stretch(1, 4, 6)]
    assert list(found.joined(np.array([], dtype=np.intp))) == []


def test_blocks_of_a_range_are_those_that_may_have_it() -> None:
    found = _blocks([1, 2, 3], [3, 4, 8, 9])
    assert list(found.between(3, 3)) == [Stretch(0, 2, 3), Stretch(1, 0, 2)]
    assert list(found.between(5, 7)) == []


@given(st.lists(st.integers(0, 6), max_size=12), st.sets(st.integers(1, 40), min_size=1))
def test_rows_are_counted_between_edges(lengths: list[int], more_edges: set[int]) -> None:
    """Lengths of ranges and of gaps between them, in turn."""
    places = np.cumsum([0, *lengths[: len(lengths) // 2 * 2]])
    starts, stops = places[:-1:2], places[1::2]
    edges = np.array([0, *sorted(more_edges)])
    rows = [row for start, stop in zip(starts, stops, strict=True) for row in range(start, stop)]
    assert rows_in_each(edges, starts, stops).tolist() == [
        sum(low <= row < high for row in rows) for low, high in pairwise(edges.tolist())
    ]


def _renewed(asked: Asked, *numbers: int, seconds: float) -> list[int]:
    with mock.patch.object(disk_blocks.time, "monotonic", return_value=seconds):
        return asked.renew(np.array(numbers)).tolist()


def test_what_was_read_is_taken_to_be_gone_after_a_while() -> None:
    asked = Asked(3)
    assert _renewed(asked, 0, 1, seconds=100.0) == [0, 1]
    assert _renewed(asked, 0, 1, 2, seconds=130.0) == [2]
    assert _renewed(asked, 0, 1, 2, seconds=170.0) == [0, 1]


def test_what_was_read_is_taken_to_be_gone_when_much_else_was_read() -> None:
    asked = Asked(1)
    assert _renewed(asked, 0, seconds=100.0) == [0]
    with mock.patch.object(DEMAND, "bytes", DEMAND.bytes + (1 << 20)):
        assert _renewed(asked, 0, seconds=100.0) == []
    with mock.patch.object(DEMAND, "bytes", DEMAND.bytes + disk_blocks._STAYS_BYTES):
        assert _renewed(asked, 0, seconds=100.0) == [0]
