from __future__ import annotations

import io
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from slackwater.state.arrow_file import ArrowFile, InPieces
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.writer import SegmentTarget, SegmentWriter

if TYPE_CHECKING:
    from typing_extensions import Buffer

ROWS = pa.RecordBatch.from_pydict({HASH: range(50_000), WEIGHT: [1] * 50_000})


class Slow(io.RawIOBase):
    """Takes a few bytes of what it is given, as a system may."""

    def __init__(self) -> None:
        self.given: list[int] = []
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        given = bytes(data)
        self.given.append(len(given))
        self.taken += given[:3]
        return min(3, len(given))


def test_no_piece_is_large_and_nothing_is_lost() -> None:
    slow = Slow()
    text = bytes(range(100))
    with InPieces(slow, at_once=8) as file:
        assert file.write(text) == len(text)
        assert file.write(b"") == 0
        assert file.write(memoryview(text)[::-1].tobytes()) == len(text)
    assert bytes(slow.taken) == text + text[::-1]
    assert max(slow.given) == 8
    assert slow.closed


def test_a_file_holds_the_batches_that_were_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    with closing(ArrowFile(path, ROWS.schema)) as file:
        file.write(ROWS)
        file.write(ROWS.slice(7, 1))
    with pa.memory_map(str(path)) as source:
        found = pa.ipc.open_file(source)
        assert [found.get_batch(number).num_rows for number in range(2)] == [50_000, 1]
        assert found.get_batch(0).equals(ROWS)
        assert found.get_batch(1).equals(ROWS.slice(7, 1))


def test_a_disk_that_takes_no_more_leaves_no_file(tmp_path: Path) -> None:
    writer = SegmentWriter(
        SegmentTarget(str(tmp_path), "state/rows.arrow", ROWS.schema, consolidated=True)
    )
    with _files_of_at_most(100_000), pytest.raises(OSError, match="File too large"), writer:
        writer.write(ROWS)
    assert writer.result is None
    assert not list((tmp_path / "state").iterdir())


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
