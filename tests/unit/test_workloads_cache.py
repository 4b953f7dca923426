from __future__ import annotations

import threading
from pathlib import Path

import pytest

from slackwater.errors import SetupError
from slackwater.workloads.cache import cache_folder, generate_once


def test_the_settings_name_the_folder_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACKWATER_CACHE_DIR", "/from/settings")
    monkeypatch.setenv("HOME", "/home/ada")
    assert cache_folder() == Path("/from/settings")
    assert cache_folder("~/data") == Path("/home/ada/data")


def test_content_is_generated_once(tmp_path: Path) -> None:
    calls = []

    def fill(folder: Path) -> None:
        calls.append(folder)
        (folder / "data").write_text("content")

    target = tmp_path / "deep" / "target"
    assert generate_once(target, fill) == target
    assert generate_once(target, fill) == target
    assert len(calls) == 1
    assert (target / "data").read_text() == "content"
    assert list(target.parent.iterdir()) == [target]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        generate_once(tmp_path / "target", fill)
    assert list(tmp_path.iterdir()) == []


def test_two_at_once_both_get_complete_content(tmp_path: Path) -> None:
    target = tmp_path / "target"
    both_inside = threading.Barrier(2, timeout=10)
    seen = []

    def fill(folder: Path) -> None:
        both_inside.wait()
        (folder / "data").write_text("content")

    def work() -> None:
        seen.append((generate_once(target, fill) / "data").read_text())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["content", "content"]
    assert list(tmp_path.iterdir()) == [target]


def test_an_unusable_cache_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SetupError, match="SLACKWATER_CACHE_DIR"):
        generate_once(tmp_path / "file" / "target", lambda _: None)
