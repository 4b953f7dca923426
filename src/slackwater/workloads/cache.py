"""The cache of generated data: made once, complete or absent, shared by all processes.

A folder is filled under a temporary name beside its final place and then renamed, so that
whoever sees the final name sees everything in it. Two processes that generate the same
folder at once both work; the first rename wins and the other result is discarded.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from slackwater.config import load_settings
from slackwater.errors import SetupError


def cache_folder(cache_dir: Path | str | None = None) -> Path:
    """The given folder, or the one the settings name."""
    return load_settings().cache_dir if cache_dir is None else Path(cache_dir).expanduser()


def generate_once(target: Path, fill: Callable[[Path], None]) -> Path:
    """Return `target`, letting `fill` write its content first if it does not exist yet.

    `fill` gets an empty folder on the same file system. If it fails, nothing stays behind.
    """
    if target.is_dir():
        return target
    workshop = _make_workshop(target)
    try:
        content = workshop / "content"
        content.mkdir()
        fill(content)
        _move_into_place(content, target)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return target


def _make_workshop(target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as problem:
        raise SetupError(
            f"cannot write generated data: {problem.strerror}",
            where=str(target.parent),
            hint="Set SLACKWATER_CACHE_DIR to a folder you may write to.",
        ) from problem


def _move_into_place(content: Path, target: Path) -> None:
    """Rename, unless another process was faster: its folder has the same content."""
    try:
        content.rename(target)
    except OSError:
        if not target.is_dir():
            raise
