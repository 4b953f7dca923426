from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.state.publish import Publisher


def _written(folder: Path, name: str) -> tuple[Path, Path]:
    temporary = folder / f".{name}.tmp"
    temporary.write_text(name)
    return temporary, folder / name


def test_all_files_have_their_names_in_the_end(tmp_path: Path) -> None:
    publisher = Publisher()
    names = [str(n) for n in range(40)]
    for name in names:
        publisher.publish(*_written(tmp_path, name))
    publisher.finish()
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {n: n for n in names}


def test_what_the_disk_refuses_is_raised_and_leaves_nothing(tmp_path: Path) -> None:
    publisher = Publisher()
    (tmp_path / "folder" / "full").mkdir(parents=True)
    temporary, _ = _written(tmp_path, "a")
    publisher.publish(temporary, tmp_path / "folder")
    publisher.publish(*_written(tmp_path, "b"))
    with pytest.raises(OSError, match="folder"):
        publisher.finish()
    assert not temporary.exists()
    assert (tmp_path / "b").read_text() == "b"


def test_a_run_that_failed_waits_without_raising(tmp_path: Path) -> None:
    publisher = Publisher()
    publisher.publish(tmp_path / "gone", tmp_path / "file")
    publisher.settle()
    assert not list(tmp_path.iterdir())
