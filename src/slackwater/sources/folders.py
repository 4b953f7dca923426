"""A watched folder: files that appear in it are batches of a source, each taken in once.

Files are taken in the order of their names, so that the same folder always gives the same
batches. A file that was taken in must stay as it was; it may be removed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from slackwater.errors import DataError
from slackwater.sources.file_columns import FileFormat, file_columns

_HIDDEN = (".", "_")


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """Where the batches of a source appear, and how their files are to be read.

    `options` are those of Spark's reader for the format. `op` says what the rows are, as for
    `ingest`; without it, columns `_change_type` or `_w` say so, or else rows are inserted.
    """

    path: Path
    file_format: FileFormat
    op: str | None = None
    pattern: str | None = None
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file of a watched folder, with what tells whether it has changed."""

    name: str
    """Its path below the folder, with slashes."""
    path: Path
    size: int
    modified: int
    """When it was last written, in nanoseconds since 1970."""

    @property
    def identity(self) -> str:
        """The size and time as text, to be kept with the commit that takes the file in."""
        return json.dumps({"size": self.size, "modified": self.modified})


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files of equal columns that are taken in together."""

    files: tuple[WatchedFile, ...]
    columns: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(file.name for file in self.files)


def new_files(folder: WatchedFolder, seen: Mapping[str, str]) -> tuple[WatchedFile, ...]:
    """The files not taken in yet, by name; `seen` maps names to identities.

    Raises `DataError` for a folder that cannot be read, and for a file that was taken in and
    has changed since: its old rows may be part of answers already.
    """
    files = sorted(_files(folder), key=lambda each: each.name)
    for file in files:
        if seen.get(file.name, file.identity) != file.identity:
            raise DataError(
                f"{file.name} has changed since it was ingested",
                where=str(folder.path),
                hint="Restore the file, or remove it: its rows stay in the source. Put what is "
                "new into a file of another name.",
            )
    return tuple(file for file in files if file.name not in seen)


def file_batches(folder: WatchedFolder, files: tuple[WatchedFile, ...]) -> tuple[FileBatch, ...]:
    """The files as batches: those that follow one another with equal columns go together.

    An upsert or delete may name a key again that the file before it names, so there each file
    is a batch of its own.
    """
    shapes = [(file, file_columns(file.path, folder.file_format, folder.options)) for file in files]
    # A file without columns has no rows; it is remembered with its neighbours.
    if folder.op in ("upsert", "delete"):
        groups = [[each] for each in shapes]
    else:
        groups = [list(group) for _, group in groupby(shapes, key=lambda each: each[1])]
    return tuple(
        FileBatch(tuple(file for file, _ in group), tuple(name for name, _ in group[0][1]))
        for group in groups
    )


def require_unchanged(folder: WatchedFolder, batch: FileBatch) -> None:
    """Refuse a batch one of whose files is not as it was found: it may have been read in part."""
    for file in batch.files:
        try:
            stat = file.path.stat()
        except OSError:
            now = None
        else:
            now = (stat.st_size, stat.st_mtime_ns)
        if now != (file.size, file.modified):
            became = "removed" if now is None else "changed"
            raise DataError(
                f"{file.name} was {became} while it was being read",
                where=str(folder.path),
                hint="Nothing of its batch was ingested; refresh again once the file is complete. "
                "Write files under a name that begins with . or _, or elsewhere, and move them "
                "into place whole.",
            )


def _files(folder: WatchedFolder) -> Iterator[WatchedFile]:
    try:
        found = folder.path.glob(folder.pattern) if folder.pattern else folder.path.iterdir()
        for path in found:
            if path.is_file() and _belongs(path, folder):
                stat = path.stat()
                name = path.relative_to(folder.path).as_posix()
                yield WatchedFile(name, path, stat.st_size, stat.st_mtime_ns)
    except (NotImplementedError, OSError, ValueError) as problem:
        raise DataError(
            f"the folder cannot be read: {getattr(problem, 'strerror', None) or problem}",
            where=str(folder.path),
            hint="Check that the folder exists, that you may read it, and its pattern.",
        ) from None


def _belongs(path: Path, folder: WatchedFolder) -> bool:
    """Whether a file is data: what is hidden, itself or by its folder, others still write."""
    if any(map(_is_hidden, path.relative_to(folder.path).parts)):
        return False
    return folder.pattern is not None or path.name.endswith(folder.file_format.suffixes)


def _is_hidden(name: str) -> bool:
    """As Spark has it: a folder `_x=1` is a part of a table divided by the column `_x`."""
    return name.startswith(_HIDDEN) and not (name.startswith("_") and "=" in name)
