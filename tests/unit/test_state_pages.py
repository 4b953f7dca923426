from __future__ import annotations

import mmap
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

from slackwater.state import pages
from slackwater.state.pages import DEMAND, MappedFile, Moment, read_ahead

ROWS = 100_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three columns, each of many pages, in two batches."""
    numbers = pa.array(np.arange(ROWS))
    table = pa.table({"a": numbers, "b": numbers, "texts": [str(n) for n in range(ROWS)]})
    with pa.ipc.new_file(tmp_path / "rows.arrow", table.schema) as sink:
        for batch in table.to_batches(ROWS // 2):
            sink.write_batch(batch)
    return tmp_path / "rows.arrow"


def _asked(file: MappedFile, columns: list[int]) -> int:
    """How many bytes are asked for with some columns of the first batch."""
    batch = file.reader().get_batch(0).select(columns)
    return sum(stop - start for start, stop in file._spans(batch.columns))


def test_only_what_is_wanted_is_asked_for(path: Path) -> None:
    file = MappedFile(path)
    assert ROWS // 2 * 8 <= _asked(file, [1]) <= ROWS // 2 * 8 + mmap.PAGESIZE
    assert list(file._spans([])) == []


def test_what_is_near_is_asked_for_at_once(path: Path) -> None:
    file = MappedFile(path)
    batch = file.reader().get_batch(0)
    assert len(list(file._spans(batch.columns))) == 1
    assert len(list(file._spans(batch.select([0, 2]).columns))) == 2


def test_every_place_begins_with_a_page_and_is_in_the_file(path: Path) -> None:
    file, size = MappedFile(path), path.stat().st_size
    reader = file.reader()
    for number in range(reader.num_record_batches):
        for column in reader.get_batch(number).columns:
            for start, stop in file._spans([column]):
                assert start % mmap.PAGESIZE == 0
                assert 0 <= start < stop <= size


@pytest.mark.parametrize("most", [0, 1 << 40], ids=["too much", "not too much"])
@pytest.mark.parametrize("at_once", [0, 1 << 40], ids=["behind", "at once"])
def test_rows_are_the_same_however_they_are_asked_for(path: Path, most: int, at_once: int) -> None:
    file = MappedFile(path)
    reader = file.reader()
    batches = [reader.get_batch(n) for n in range(reader.num_record_batches)]
    asked: list[int] = []
    fetch = file.fetch
    with (
        mock.patch.multiple(pages, _MOST=most, _AT_ONCE=at_once),
        mock.patch.object(file, "fetch", lambda arrays: (asked.append(1), fetch(arrays))),
    ):
        read_ahead([(file, batch) for batch in batches])
        _wait_for(lambda: len(asked) == (len(batches) if most else 0))
    texts = [text for batch in batches for text in batch.column("texts").to_pylist()]
    assert texts == [str(n) for n in range(ROWS)]


def _wait_for(done: Callable[[], bool]) -> None:
    for _ in range(1000):
        if done():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def test_rows_outlive_the_file(path: Path) -> None:
    batch = MappedFile(path, whole=True).reader().get_batch(0)
    path.unlink()
    assert batch.column("a")[-1].as_py() == ROWS // 2 - 1


def test_what_was_read_is_taken_to_be_gone_after_a_while_or_when_much_else_was_read() -> None:
    read = Moment(seconds=100.0, bytes=0)
    assert read.still_holds(Moment(130.0, 1 << 20))
    assert not read.still_holds(Moment(170.0, 1 << 20))
    assert not read.still_holds(Moment(130.0, pages._STAYS_BYTES))


def test_what_is_asked_for_is_counted(path: Path) -> None:
    file, before = MappedFile(path), DEMAND.bytes
    file.fetch(file.reader().get_batch(0).columns[:1])
    assert DEMAND.bytes >= before + ROWS // 2 * 8
