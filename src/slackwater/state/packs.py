"""Small segments of one run, side by side in one file.

To make a file durable takes two waits for the disk and many times the work of writing a few rows.
A run that changes many arrangements a little writes their segments into one file, a pack, each a
whole Arrow file of its own. The path of such a segment names the pack and the bytes in it:

    state/packs/00000012-4f1c09aa-0.pack#1280+962

A pack is deleted when nothing names any part of it. It may hold parts that nothing names, so that
packs are kept small.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from slackwater.faults import reach
from slackwater.state.publish import publish

SMALL_SEGMENT = 32 * 1024
"""Bytes up to which a segment is better off in a pack."""
_FULL_PACK = 1024 * 1024
_ALIGNED = 64
_PART = re.compile(r"(.+)#(\d+)\+(\d+)", re.DOTALL)


class Part(NamedTuple):
    """Some bytes of a file."""

    file: str
    start: int
    length: int


def part_of_pack(path: str) -> Part | None:
    """The bytes that the path of a segment names; None if it is a file of its own.

    >>> part_of_pack("state/packs/a-0.pack#128+64")
    Part(file='state/packs/a-0.pack', start=128, length=64)
    """
    found = _PART.fullmatch(path)
    return None if found is None else Part(found[1], int(found[2]), int(found[3]))


def file_of(path: str) -> str:
    """The file that holds a segment.

    >>> file_of("state/packs/a-0.pack#128+64"), file_of("state/orders/b-0.arrow")
    ('state/packs/a-0.pack', 'state/orders/b-0.arrow')
    """
    part = part_of_pack(path)
    return path if part is None else part.file


def files_of(paths: Iterable[str]) -> frozenset[str]:
    """The files that hold some segments."""
    return frozenset(map(file_of, paths))


class PackedPart:
    """A segment in a pack, read into memory."""

    def __init__(self, part: Part):
        """Read it; raises ValueError if the file is too short."""
        with Path(part.file).open("rb", buffering=0) as file:
            found = os.pread(file.fileno(), part.length, part.start)
        if len(found) != part.length:
            raise ValueError(f"a pack ends before byte {part.start + part.length}")
        self._buffer = pa.py_buffer(found)

    def reader(self) -> pa.RecordBatchFileReader:
        """Its record batches."""
        return pa.ipc.open_file(pa.BufferReader(self._buffer))

    def fetch(self, _extent: object) -> None:
        """It is in memory."""

    def read_around(self) -> None:
        """It is in memory."""


class Packs:
    """The packs of one run, in memory until they are published."""

    def __init__(self, root: Path, stem: str):
        """Nothing is packed yet; `stem` is part of the names of files, and of no others."""
        self._root = root
        self._stem = stem
        self._packs: list[bytearray] = []

    def add(self, batch: pa.RecordBatch, schema: pa.Schema) -> tuple[str, int]:
        """Pack a segment of one batch; gives its path and its length."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, schema) as writer:
            writer.write_batch(batch)
        content = sink.getvalue()
        if not self._packs or len(self._packs[-1]) + content.size > _FULL_PACK:
            self._packs.append(bytearray())
        pack = self._packs[-1]
        pack += bytes(-len(pack) % _ALIGNED)
        start = len(pack)
        pack += memoryview(content)
        return f"{self._path(len(self._packs) - 1)}#{start}+{content.size}", content.size

    def publish(self) -> None:
        """Write the packs; they have their names, and are on disk, when this returns."""
        for number, content in enumerate(self._packs):
            final = self._root / self._path(number)
            temporary = final.with_name(f".{final.name}.{os.getpid()}.tmp")
            final.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(content)
                reach("pack.writing")
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            publish(temporary, final)
            reach("pack.written")
        self._packs = []

    def _path(self, number: int) -> str:
        return f"state/packs/{self._stem}-{number}.pack"
