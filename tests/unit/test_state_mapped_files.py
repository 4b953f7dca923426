from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

from slackwater.state import mapped_files
from slackwater.state.mapped_files import DEMAND, Extent, MappedFile, read_ahead

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
    extent = _whole(file.reader().get_batch(0)).select(columns)
    return sum(stop - start for start, stop in file._spans(extent))


def _whole(batch: pa.RecordBatch) -> Extent:
    return Extent(batch, 0, batch.num_rows)


def test_only_what_is_wanted_is_asked_for(path: Path) -> None:
    file = MappedFile(path)
    assert ROWS // 2 * 8 <= _asked(file, [1]) <= ROWS // 2 * 8 + mmap.PAGESIZE
    assert _asked(file, []) == 0


def test_what_is_near_is_asked_for_at_once(path: Path) -> None:
    file = MappedFile(path)
    extent = _whole(file.reader().get_batch(0))
    assert len(list(file._spans(extent))) == 1
    assert len(list(file._spans(extent.select([0, 2])))) == 2


def test_some_rows_of_a_batch_are_asked_for_in_every_column(path: Path) -> None:
    file = MappedFile(path)
    batch, begin = file.reader().get_batch(0), file._buffer.address
    numbers, texts = batch.column("b"), batch.column("texts")
    start, stop = 20_000, 30_000
    ((first, last),) = file._spans(Extent(batch, start, stop).select([1]))
    address = numbers.buffers()[1].address - begin
    assert first <= address + start * 8 < first + mmap.PAGESIZE
    assert last - mmap.PAGESIZE < address + stop * 8 <= last
    offsets, _ = file._spans(Extent(batch, start, stop).select([2]))
    address = texts.buffers()[1].address - begin
    assert offsets[0] <= address + start * 4 < address + stop * 4 <= offsets[1] + 64


def test_every_place_begins_with_a_page_and_is_in_the_file(path: Path) -> None:
    file, size = MappedFile(path), path.stat().st_size
    reader = file.reader()
    for number in range(reader.num_record_batches):
        batch = reader.get_batch(number)
        for column in range(batch.num_columns):
            for extent in (_whole(batch), Extent(batch, 7, 8), Extent(batch, 49_999, 50_000)):
                for start, stop in file._spans(extent.select([column])):
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
        mock.patch.multiple(mapped_files, _MOST=most, _RIGHT_AWAY=at_once),
        mock.patch.object(file, "fetch", lambda extent: (asked.append(1), fetch(extent))),
    ):
        read_ahead([(file, _whole(batch)) for batch in batches])
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


def _in_memory(path: Path) -> int:
    """How many bytes of a file the kernel holds; -1 if there is no way to know."""
    program = shutil.which("fincore")
    if program is None:
        return -1
    command = [program, "--bytes", "--noheadings", "--output", "RES", str(path)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_all_that_is_asked_for_is_read(tmp_path: Path) -> None:
    """The kernel reads only the first part of much that it is asked for at once."""
    path, rows = tmp_path / "many.arrow", 8_000_000
    table = pa.table({"a": pa.array(np.arange(rows))})
    with path.open("wb") as raw:
        with pa.ipc.new_file(raw, table.schema) as sink:
            sink.write_batch(table.to_batches()[0])
        raw.flush()
        os.fsync(raw.fileno())
        os.posix_fadvise(raw.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if _in_memory(path) == -1 or _in_memory(path) > rows:
        pytest.skip("the kernel does not tell, or keeps files that it was asked to forget")
    file = MappedFile(path)
    file.fetch(_whole(file.reader().get_batch(0)))
    _wait_for(lambda: _in_memory(path) >= rows * 8)


def test_what_is_asked_for_is_counted(path: Path) -> None:
    file, before = MappedFile(path), DEMAND.bytes
    file.fetch(_whole(file.reader().get_batch(0)).select([0]))
    assert DEMAND.bytes >= before + ROWS // 2 * 8
