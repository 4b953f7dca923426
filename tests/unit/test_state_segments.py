from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import DataError
from slackwater.state import columns as limits
from slackwater.state import segments, writer
from slackwater.state.segments import (
    Segment,
    SegmentFile,
    cut,
    file_metadata,
    find,
    forget_segments,
    map_segment,
    open_segment,
)
from slackwater.state.writer import SegmentTarget, SegmentWriter

from .state_rows import Row, write

SCHEMA = pa.schema([("_h", pa.int64()), ("_w", pa.int64())])
HASHES = st.lists(st.integers(-5, 5), max_size=30).map(sorted)


def _segment(hashes: list[int], size: int) -> Segment:
    batch = pa.RecordBatch.from_arrays(
        [pa.array(hashes, pa.int64()), pa.array(range(len(hashes)), pa.int64())], schema=SCHEMA
    )
    with NamedTemporaryFile(suffix=".arrow") as file:
        metadata = file_metadata(consolidated=True)
        with pa.ipc.new_file(file.name, SCHEMA.with_metadata(metadata)) as sink:
            for start in range(0, len(hashes), size):
                sink.write_batch(batch.slice(start, size))
        return map_segment(Path(file.name))


@settings(deadline=None)
@given(
    HASHES, st.sets(st.integers(-6, 6)), st.sampled_from([1, 3, 8, 40]), st.sampled_from([2, 40])
)
def test_keys_are_found_in_every_batch_that_has_them(
    hashes: list[int], keys: set[int], size: int, few: int
) -> None:
    wanted = np.array(sorted(keys), dtype=np.int64)
    found = {}
    with (
        mock.patch.object(segments, "_MANY_IN_A_BLOCK", few),
        mock.patch.object(limits, "MAX_BATCH_ROWS", 3),
    ):
        everywhere = list(find(_segment(hashes, size), wanted))
    for hits in everywhere:
        for key, start, stop in zip(hits.keys, hits.starts, hits.stops, strict=True):
            places = hits.batch.column(1)[start:stop].to_pylist()
            found.setdefault(int(wanted[key]), []).extend(places)
        assert hits.take().column(0).to_pylist() == [
            value for value in hits.batch.column(0).to_pylist() if value in keys
        ]
    expected = {key: [place for place, value in enumerate(hashes) if value == key] for key in keys}
    assert found == {key: places for key, places in expected.items() if places}


@settings(deadline=None)
@given(HASHES, st.integers(-6, 6), st.integers(-6, 6), st.integers(1, 8))
def test_a_range_is_cut_out(hashes: list[int], low: int, high: int, size: int) -> None:
    with mock.patch.object(limits, "MAX_BATCH_ROWS", 3):
        pieces = [extent.rows for extent in cut(_segment(hashes, size), low, high)]
    assert max((piece.num_rows for piece in pieces), default=0) <= 3
    assert [value for piece in pieces for value in piece.column(0).to_pylist()] == [
        value for value in hashes if low <= value <= high
    ]


def _columns() -> pa.Schema:
    return pa.schema([("k0", pa.string())])


def test_an_opened_file_is_not_opened_again(tmp_path: Path) -> None:
    arrangement = write(tmp_path, [[Row(("a",), 1)]], _columns())
    (file,) = arrangement.files
    assert open_segment(str(tmp_path), file) is open_segment(str(tmp_path), file)


def test_a_file_written_anew_under_its_name_is_opened_again(tmp_path: Path) -> None:
    (file,) = write(tmp_path, [[Row(("a",), 1)]], _columns()).files
    before = open_segment(str(tmp_path), file)
    write(tmp_path, [[Row(("b",), 1)]], _columns())
    after = open_segment(str(tmp_path), file)
    assert [s.batches[0].column(1).to_pylist() for s in (before, after)] == [["a"], ["b"]]


def test_only_so_many_files_stay_open(tmp_path: Path) -> None:
    files = write(tmp_path, [[Row((str(i),), 1)] for i in range(4)], _columns()).files
    with mock.patch.object(segments, "_MAX_OPEN", 2):
        opened = [open_segment(str(tmp_path), file) for file in files]
        assert open_segment(str(tmp_path), files[3]) is opened[3]
        assert open_segment(str(tmp_path), files[0]) is not opened[0]


def test_the_mapped_file_is_not_copied(tmp_path: Path) -> None:
    before = pa.total_allocated_bytes()
    (file,) = write(tmp_path, [[Row((str(i),), 1) for i in range(1000)]], _columns()).files
    open_segment(str(tmp_path), file)
    assert pa.total_allocated_bytes() == before


def _missing() -> SegmentFile:
    return SegmentFile("state/none.arrow", 1, 1, 0, 0, negative=False, heavy=False)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"missing(.|\n)*state/none\.arrow"):
        open_segment(str(tmp_path), _missing())


@pytest.mark.parametrize(
    ("metadata", "told"),
    [(None, r"has format 1;(.|\n)*version that wrote it"), ({"slackwater.format": "9"}, "Upgrade")],
)
def test_a_file_of_another_format_is_refused(
    tmp_path: Path, metadata: dict[str, str] | None, told: str
) -> None:
    (file,) = write(tmp_path, [[Row(("a",), 1)]], _columns()).files
    with pa.ipc.open_file(tmp_path / file.path) as source:
        rows = source.read_all()
    with pa.ipc.new_file(tmp_path / file.path, rows.schema.with_metadata(metadata)) as sink:
        sink.write_table(rows)
    with pytest.raises(DataError, match=told):
        open_segment(str(tmp_path), file)


@pytest.mark.parametrize("keep", [0, 20, -1])
def test_a_broken_file_is_named(tmp_path: Path, keep: int) -> None:
    (file,) = write(tmp_path, [[Row(("a",), 1)]], _columns()).files
    path = tmp_path / file.path
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"cannot be read(.|\n)*s0-0\.arrow"):
        open_segment(str(tmp_path), file)


def _batch(*hashes: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array(hashes, pa.int64()), pa.array([1] * len(hashes), pa.int64())], schema=SCHEMA
    )


def test_a_failed_attempt_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="stop"):
        _stop_while_writing(tmp_path)
    assert list(tmp_path.iterdir()) == []


def _stop_while_writing(folder: Path) -> None:
    with SegmentWriter(
        SegmentTarget(str(folder), "a.arrow", SCHEMA, consolidated=False, attempt=1)
    ) as out:
        out.write(_batch(1, 2))
        raise RuntimeError("stop")


def test_two_attempts_at_once_do_not_meet(tmp_path: Path) -> None:
    """A speculative copy of a task may run beside it; the last one's complete file stays."""
    first = SegmentWriter(
        SegmentTarget(str(tmp_path), "a.arrow", SCHEMA, consolidated=False, attempt=1)
    )
    second = SegmentWriter(
        SegmentTarget(str(tmp_path), "a.arrow", SCHEMA, consolidated=False, attempt=2)
    )
    with first:
        with second:
            first.write(_batch(1))
            second.write(_batch(1))
            second.write(_batch(2))
            first.write(_batch(2))
        assert second.result is not None
        read = open_segment(str(tmp_path), second.result)
        assert [row for b in read.batches for row in b.column(0).to_pylist()] == [1, 2]
    assert first.result == second.result
    assert [path.name for path in tmp_path.iterdir()] == ["a.arrow"]


def test_no_rows_leave_no_file(tmp_path: Path) -> None:
    with SegmentWriter(SegmentTarget(str(tmp_path), "a.arrow", SCHEMA, consolidated=False)) as out:
        out.write(_batch())
    assert out.result is None
    assert list(tmp_path.iterdir()) == []


def test_large_rows_make_small_batches() -> None:
    with mock.patch.object(limits, "MAX_BATCH_BYTES", 1000):
        assert limits.bounded_rows(10, 1000) == 10
        assert limits.bounded_rows(10, 100_000) == 1
        batch = pa.RecordBatch.from_arrays([pa.array(["x" * 400] * 5)], names=["a"])
        assert [piece.num_rows for piece in limits.slices(batch)] == [2, 2, 1]


def test_the_manifest_has_the_fields_of_a_segment_file() -> None:
    assert writer.MANIFEST.names == [*SegmentFile.__dataclass_fields__, "directory"]


def test_a_deleted_file_gives_its_room_back(tmp_path: Path) -> None:
    with SegmentWriter(SegmentTarget(str(tmp_path), "a.arrow", SCHEMA, consolidated=False)) as out:
        out.write(_batch(1))
    assert out.result is not None
    read = open_segment(str(tmp_path), out.result)
    assert _is_mapped(tmp_path)
    (tmp_path / "a.arrow").unlink()
    forget_segments([tmp_path / "a.arrow"])
    assert read.batches[0].num_rows == 1
    del read
    assert not _is_mapped(tmp_path)


def _is_mapped(folder: Path) -> bool:
    return str(folder) in Path("/proc/self/maps").read_text(encoding="utf-8")
