"""Deletes files no longer needed: old segments, and leftovers of processes that were killed.

The database forgets a commit before its files go, and a segment after its file is gone. Killed
in between, the next collection finds the rest.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from slackwater.errors import SetupError
from slackwater.faults import reach
from slackwater.state.metadata.metadata_reader import MetadataReader
from slackwater.state.metadata.ownership import STATE_FOLDER, require_own
from slackwater.state.metadata.store import MetadataStore
from slackwater.state.packs import files_of
from slackwater.state.segments import forget_segments

DEFAULT_GRACE: Final = timedelta(hours=1)
_OLDEST: Final = timedelta(days=36_500)


@dataclass(frozen=True, slots=True)
class Retention:
    """The commits that stay readable: the newest ones, and the young ones."""

    commits: int = 10
    """So many of the newest stay, however old they are."""
    age: timedelta = timedelta(hours=1)
    """Younger ones stay, however many they are."""
    history: int = 1_000
    """The runs of so many of the newest commits stay in the history."""

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        for name, number in (("commits", self.commits), ("history", self.history)):
            if number < 0:
                raise SetupError(
                    f"{number} is not a number of commits",
                    where=f"retention, {name}",
                    hint="Give 0 or more; the newest commit stays in any case.",
                )
        if not timedelta(0) <= self.age <= _OLDEST:
            raise SetupError(
                f"commits cannot stay for {self.age}",
                where="retention, age",
                hint="Give an age between none and a hundred years.",
            )


@dataclass(frozen=True, slots=True)
class Removed:
    """The files that were deleted."""

    files: tuple[str, ...]
    """Relative to the home directory."""
    bytes: int


def collect_garbage(store: MetadataStore, root: Path, retention: Retention) -> Removed:
    """Forget the commits that need not be retained, and delete the files only they needed."""
    require_own(root, store)
    newest = store.head().version
    young = store.commit_at(datetime.now(UTC) - retention.age)
    floor = store.prune(min(newest - retention.commits, young), newest - retention.history)
    reach("collect.pruned")
    garbage = store.garbage(floor)
    gone = {segment.file.path for segment in garbage}
    # Others may still be in the same pack.
    files = files_of(gone) - files_of(store.named_paths() - gone) if gone else frozenset()
    removed = _delete(root, sorted(files), "collect.deleting")
    reach("collect.deleted")
    store.forget(segment.id for segment in garbage)
    return removed


def sweep_orphans(
    store: MetadataReader,
    root: Path,
    grace: timedelta = DEFAULT_GRACE,
    spared: Collection[str] = (),
) -> Removed:
    """Delete the files below the state folder that no commit names.

    Those younger than `grace` stay: a run may be about to commit them. So do those with one of
    the `spared` stems in their name: a merge may take longer. The caller holds the home's lock;
    one that has nothing else under way may give no grace at all.
    """
    require_own(root, store)
    oldest = time.time() - grace.total_seconds()
    # The files first: one that is committed meanwhile is then found named.
    found = sorted((root / STATE_FOLDER).rglob("*"))
    stale = [path for path in found if _modified(path) <= oldest]
    named = files_of(store.named_paths())
    files = (path.relative_to(root).as_posix() for path in stale if path.is_file())
    orphans = (
        path for path in files if path not in named and not any(stem in path for stem in spared)
    )
    removed = _delete(root, orphans, "sweep.deleting")
    _delete_empty_folders(path for path in stale if path.is_dir())
    return removed


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # A task has just given its temporary file the final name.
        return time.time()


def _delete(root: Path, paths: Iterable[str], point: str) -> Removed:
    files: list[str] = []
    size = 0
    for relative in paths:
        path = root / relative
        if path.exists():
            size += path.stat().st_size
            path.unlink()
            files.append(relative)
            reach(point)
    forget_segments(root / relative for relative in files)
    return Removed(tuple(files), size)


def _delete_empty_folders(folders: Iterable[Path]) -> None:
    """Dropped arrangements leave their folders behind."""
    # The deepest first: what is deleted may have been all its parent held.
    for folder in sorted(folders, reverse=True):
        if not any(folder.iterdir()):
            # What still writes for a dropped arrangement may have made a file meanwhile.
            with suppress(OSError):
                folder.rmdir()
