"""Writes Arrow files in small pieces.

Megabytes in one call can take it many times as long as the same bytes in small pieces (decision 7).
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from typing_extensions import Buffer

_AT_ONCE = 512 * 1024
_GATHERED = 32 * 1024


class InPieces(io.RawIOBase):
    """Hands bytes on in pieces, and repeats the part of a piece that was not taken."""

    def __init__(self, file: io.RawIOBase, at_once: int = _AT_ONCE):
        """Closes `file` when it is closed itself."""
        self._file = file
        self._at_once = at_once

    def writable(self) -> bool:
        """It only writes."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Write all of it."""
        with memoryview(data).cast("B") as whole:
            done = 0
            while done < len(whole):
                done += self._file.write(whole[done : done + self._at_once]) or 0
            return done

    def close(self) -> None:
        """Nothing is left to write."""
        self._file.close()
        super().close()


class ArrowFile:
    """An Arrow file being written; complete once it is closed."""

    def __init__(self, path: str | Path, schema: pa.Schema):
        """Create it, or write over what is there."""
        self._file = InPieces(io.FileIO(path, "wb"))
        # A batch comes in dozens of pieces, most of a few bytes.
        self._buffered = pa.BufferedOutputStream(pa.PythonFile(self._file, "w"), _GATHERED)
        self._writer = pa.ipc.new_file(self._buffered, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the footer, which says where the batches are."""
        with self._file:
            self._writer.close()
            self._buffered.flush()
