"""What readers count: rows as they are stored, and the bytes of the columns that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.state.counters import ReadCounters
from slackwater.state.gather import Gather
from slackwater.state.look_up import LookUp, LookUpNested
from slackwater.state.matching import Arrangement
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.worker import Batches, ReadCountersParam
from slackwater.state.writer import WriteSegment

from .state_rows import Row, batch_of, hash_of, marker, write

COLUMNS = pa.schema([("k0", pa.int64()), ("k1", pa.decimal128(12, 2)), ("k2", pa.string())])
PRICE = Decimal("1.50")


def row(number: int, weight: int = 1) -> Row:
    return Row((number, PRICE, "four"), weight)


ROW_BYTES = 8 + 8 + 8 + (4 + 4) + 8
"""Hash, integer, a decimal in eight bytes, a text of four letters with an offset, weight."""


CHANGES = [[row(number) for number in range(10)], [row(3, -1), row(10)]]
"""Ten rows, then one of them taken away and one more: twelve as they are stored."""


def stored(home: Path) -> Arrangement:
    return write(home, CHANGES, COLUMNS, consolidate=True)


def stored_under(*numbers: int) -> int:
    """How many rows share a hash, which has few outcomes, with the numbered ones."""
    hashes = {hash_of(row(number).values) for number in numbers}
    return sum(hash_of(each.values) in hashes for change in CHANGES for each in change)


def asked(*numbers: int) -> pa.RecordBatch:
    hashes = sorted(hash_of(row(number).values) for number in numbers)
    return pa.RecordBatch.from_arrays([pa.array(hashes, pa.int64())], names=["_h"])


def ranges(count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(range(count), pa.int64())], names=["id"])


Make = Callable[[Arrangement, ReadCounters], Callable[[Batches], Batches]]
LOOK_UPS: dict[str, Make] = {
    "rows": lambda state, counters: LookUp(state, net=False, ledger=counters),
    "sums": lambda state, counters: LookUp(state, net=True, ledger=counters),
    "nested": LookUpNested,
}


@pytest.mark.parametrize("kind", LOOK_UPS)
def test_look_ups_count_what_is_stored_under_the_keys(kind: str, tmp_path: Path) -> None:
    counted = ReadCounters()
    worker = LOOK_UPS[kind](stored(tmp_path), counted)
    list(worker(iter([asked(3, 3, 5)])))
    # Row 3 is stored twice, with opposite weights; that it is asked for twice is no matter.
    rows = stored_under(3, 5)
    assert 3 <= rows < 12
    assert counted.rows == rows
    # Texts may have an offset more than there are rows, each time some are read.
    assert 0 <= counted.bytes - rows * ROW_BYTES <= 4 * rows
    assert counted.reading > 0
    assert counted.cpu >= counted.files_cpu > 0


def test_gathers_count_stored_rows_and_no_arriving_ones(tmp_path: Path) -> None:
    counted = ReadCounters()
    touched = marker(hash_of(row(3).values), COLUMNS)
    list(Gather(stored(tmp_path), counted)(iter([touched, batch_of([row(3, 4)], COLUMNS)])))
    assert counted.rows == stored_under(3)


@pytest.mark.parametrize("net", [True, False])
@pytest.mark.parametrize("parts", [1, 4])
def test_scans_count_all_rows_once(parts: int, net: bool, tmp_path: Path) -> None:
    counted = ReadCounters()
    worker = ReadSegments(stored(tmp_path), even_ranges(parts), net, counted)
    list(worker(iter([ranges(parts)])))
    assert counted.rows == 12


def test_scans_count_the_bytes_of_columns_they_read(tmp_path: Path) -> None:
    alone = write(tmp_path, [[row(number) for number in range(10)]], COLUMNS, consolidate=True)
    found = {}
    for wanted in ((), (0,), (1,), (0, 1)):
        counted = ReadCounters()
        list(ReadSegments(alone, even_ranges(1), True, counted, wanted)(iter([ranges(1)])))
        found[wanted] = counted.bytes
    assert found == {(): 80, (0,): 160, (1,): 160, (0, 1): 240}


def test_what_a_reader_did_before_it_failed_is_counted(tmp_path: Path) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield ranges(1)
        raise ValueError("no more ranges")

    counted = ReadCounters()
    worker = ReadSegments(stored(tmp_path), even_ranges(1), True, counted)
    with pytest.raises(ValueError, match="no more ranges"):
        list(worker(failing()))
    assert counted.rows == 12


def test_writers_count_their_time_and_read_nothing(tmp_path: Path) -> None:
    counted = ReadCounters()
    worker = WriteSegment(str(tmp_path), "state", "s", COLUMNS, False, True, counted)
    list(worker(iter([batch_of([row(1)], COLUMNS)])))
    assert (counted.rows, counted.bytes, counted.reading) == (0, 0, 0)
    assert counted.writing > 0


def test_spark_adds_tallies_up_from_nothing() -> None:
    sums, one = (
        ReadCountersParam(),
        ReadCounters(rows=1, bytes=2, cpu=3, reading=4, writing=5, files_cpu=6),
    )
    start = sums.zero(one)
    assert start == ReadCounters()
    assert sums.addInPlace(sums.addInPlace(start, one), one) == ReadCounters(2, 4, 6, 8, 10, 12)
    assert one.rows == 1
