"""Gives written files their names once they are on disk, several at a time."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path

from slackwater.faults import reach

_AT_ONCE = 16
"""Threads that wait for the disk; it takes many files in hardly longer than one."""


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads of all publishers of this process."""
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="publish")


def publish(temporary: Path, final: Path) -> None:
    """Give a file its name when all of it is on disk; without a name it is not left behind."""
    try:
        _flush(temporary)
        temporary.replace(final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush(final.parent)
    reach("segment.written")


class Publisher:
    """Publishes the files of one run while others are still written."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._begun: list[Future[None]] = []

    def publish(self, temporary: Path, final: Path) -> None:
        """Begin with a file that is written."""
        self._begun.append(_pool().submit(publish, temporary, final))

    def finish(self) -> None:
        """Wait until all files have their names; raises what the disk refused."""
        self.settle()
        for each in self._begun:
            each.result()

    def settle(self) -> None:
        """Wait for all files under way, even if some fail."""
        wait(self._begun)


def _flush(path: Path) -> None:
    """Wait until a file's bytes, or a directory's names, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
