"""Merges segments in a thread of its own, so that nobody waits for it.

The thread reads files that never change and writes new ones. It knows neither the catalog nor
Spark: what it wrote becomes part of the home when the caller's thread commits it, and is garbage
until then.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from slackwater.state.merge import merge_segments
from slackwater.state.metadata.ownership import STATE_FOLDER
from slackwater.state.metadata.records import SegmentRecord
from slackwater.state.segments import SegmentFile

_ROWS_PER_FILE = 500_000


@dataclass(frozen=True, slots=True)
class Merge:
    """Segments of one arrangement that are to become fewer."""

    arrangement: str
    segments: tuple[SegmentRecord, ...]
    stem: str
    """Part of the names of its files, and of no others."""

    def write(self, folder: Path) -> Iterator[SegmentFile]:
        """Write what they add up to, file by file."""
        files = [each.file for each in self.segments]
        bits = (sum(file.rows for file in files) // _ROWS_PER_FILE).bit_length()
        directory = f"{STATE_FOLDER}/{self.arrangement}"
        return merge_segments(folder, files, directory, f"{self.stem}-merged", bits)

    def discard(self, folder: Path) -> None:
        """Delete what was written; what cannot be deleted now is swept later."""
        with suppress(OSError):
            for path in (folder / STATE_FOLDER / self.arrangement).glob(f"*{self.stem}-*"):
                path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge: its files, or the reason why there are none."""

    merge: Merge
    files: tuple[SegmentFile, ...] = ()
    problem: str | None = None


class Merger:
    """At most one thread that merges; only the thread that owns the home calls it."""

    def __init__(self, folder: Path):
        """Nothing is merged yet."""
        self._folder = folder
        self._merges: tuple[Merge, ...] = ()
        self._merged: list[Merged] = []
        self._thread: Thread | None = None
        self._stopping = Event()

    @property
    def merges(self) -> tuple[Merge, ...]:
        """The merges under way, and those finished but not yet taken."""
        return self._merges

    @property
    def finished(self) -> bool:
        """Tell if `take` would not have to wait."""
        return self._thread is None or not self._thread.is_alive()

    def start(self, merges: tuple[Merge, ...]) -> None:
        """Begin to merge; the last merges have been taken."""
        self._merges, self._merged = merges, []
        self._stopping.clear()
        self._thread = Thread(target=self._work, name="slackwater-merge", daemon=True)
        # A thread that is inside Arrow when the interpreter ends can take the process down.
        atexit.register(self.stop)
        self._thread.start()

    def take(self) -> tuple[Merged, ...]:
        """Wait for the merges under way; returns the result of each."""
        self._join()
        merged = tuple(self._merged)
        self._merges, self._merged = (), []
        return merged

    def stop(self) -> None:
        """Give up what is under way, after the file that is being written."""
        self._stopping.set()
        self._join()
        for merge in self._merges:
            merge.discard(self._folder)
        self._merges, self._merged = (), []

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            atexit.unregister(self.stop)

    def _work(self) -> None:
        for merge in self._merges:
            if self._stopping.is_set():
                return
            self._merged.append(self._outcome(merge))

    def _outcome(self, merge: Merge) -> Merged:
        """Merge; a failure is for the caller's thread to judge, which knows what is still live."""
        files = []
        try:
            for file in merge.write(self._folder):
                files.append(file)
                if self._stopping.is_set():
                    break
        except Exception as problem:
            merge.discard(self._folder)
            # Only the text: the exception would keep mapped what it was about.
            return Merged(merge, problem=str(problem) or type(problem).__name__)
        return Merged(merge, tuple(files))
