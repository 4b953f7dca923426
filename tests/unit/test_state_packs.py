from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.errors import DataError
from slackwater.state import packs as limits
from slackwater.state.columns import compact_stored
from slackwater.state.packs import Packs, file_of, part_of_pack
from slackwater.state.publish import Publisher
from slackwater.state.segments import SegmentFile, file_metadata, forget_segments, open_segment
from slackwater.state.writer import WriteSegment

_COLUMNS = pa.schema([("k0", pa.string())])


def _rows(*texts: str, weight: int = 1) -> pa.RecordBatch:
    hashes = pa.array(range(len(texts)), pa.int64())
    weights = pa.array([weight] * len(texts), pa.int64())
    schema = compact_stored(_COLUMNS)
    return pa.RecordBatch.from_arrays([hashes, pa.array(texts), weights], schema=schema)


def _write(packs: Packs, root: Path, name: str, *batches: pa.RecordBatch) -> SegmentFile:
    publisher = Publisher()
    worker = WriteSegment(
        str(root),
        f"state/{name}",
        "stem",
        _COLUMNS,
        ordered=False,
        consolidate=True,
        publisher=publisher,
        packs=packs,
    )
    file = worker.write(iter(batches))
    publisher.finish()
    assert file is not None
    return file


def _texts(root: Path, file: SegmentFile) -> list[str]:
    segment = open_segment(str(root), file)
    return [text for batch in segment.batches for text in batch.column("k0").to_pylist()]


@pytest.mark.parametrize("name", ["home", "a#1+2", "home #3"])
def test_small_segments_share_a_file(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    packs = Packs(root, "stem")
    one = _write(packs, root, "a", _rows("x"))
    other = _write(packs, root, "b", _rows("y", "z", weight=-2), _rows("w"))
    assert not root.exists()
    packs.publish()
    assert [path.name for path in root.rglob("*") if path.is_file()] == ["stem-0.pack"]
    assert (_texts(root, one), sorted(_texts(root, other))) == (["x"], ["w", "y", "z"])
    assert (one.negative, one.heavy, one.rows) == (False, False, 1)
    assert (other.negative, other.first_hash, other.last_hash) == (True, 0, 1)
    assert open_segment(str(root), one).consolidated


def test_a_larger_segment_has_a_file_of_its_own(tmp_path: Path) -> None:
    packs = Packs(tmp_path, "stem")
    file = _write(packs, tmp_path, "a", _rows("x" * 40_000))
    packs.publish()
    assert part_of_pack(file.path) is None
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["stem-0.arrow"]
    assert _texts(tmp_path, file) == ["x" * 40_000]


def test_a_full_pack_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_FULL_PACK", 2_000)
    packs = Packs(tmp_path, "stem")
    files = [_write(packs, tmp_path, "a", _rows(str(n))) for n in range(9)]
    packs.publish()
    assert len({file_of(file.path) for file in files}) > 2
    assert all((tmp_path / file_of(file.path)).stat().st_size <= 2_000 for file in files)
    assert [_texts(tmp_path, file) for file in files] == [[str(n)] for n in range(9)]


def test_a_pack_that_was_cut_is_named(tmp_path: Path) -> None:
    packs = Packs(tmp_path, "stem")
    file = _write(packs, tmp_path, "a", _rows("x"))
    packs.publish()
    (tmp_path / file_of(file.path)).write_bytes(b"short")
    with pytest.raises(DataError, match=r"stem-0\.pack"):
        open_segment(str(tmp_path), file)


def test_a_pack_that_is_gone_is_named(tmp_path: Path) -> None:
    packs = Packs(tmp_path, "stem")
    file = _write(packs, tmp_path, "a", _rows("x"))
    with pytest.raises(DataError, match="missing"):
        open_segment(str(tmp_path), file)


def test_all_parts_of_a_deleted_pack_are_forgotten(tmp_path: Path) -> None:
    packs = Packs(tmp_path, "stem")
    files = [_write(packs, tmp_path, "a", _rows(text)) for text in "xy"]
    packs.publish()
    before = [open_segment(str(tmp_path), file) for file in files]
    forget_segments([tmp_path / file_of(files[0].path)])
    after = [open_segment(str(tmp_path), file) for file in files]
    assert all(one is not other for one, other in zip(before, after, strict=True))


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    packs = Packs(tmp_path, "stem")
    schema = compact_stored(_COLUMNS).with_metadata(file_metadata(consolidated=True))
    path, _ = packs.add(_rows("x"), schema)
    (tmp_path / file_of(path) / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match="pack"):
        packs.publish()
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]
