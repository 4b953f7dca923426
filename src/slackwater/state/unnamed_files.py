"""Files that get their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from slackwater.state.arrow_file import ArrowFile


class UnnamedFile:
    """An Arrow file under a name that no other attempt uses, and the name it is to have."""

    def __init__(self, final: Path, attempt: int, schema: pa.Schema):
        """Nothing is opened before the first batch."""
        self._final = final
        self._temporary = final.with_name(f".{final.name}.{attempt}.{os.getpid()}.tmp")
        self._schema = schema
        self._sink: ArrowFile | None = None

    @property
    def is_begun(self) -> bool:
        """Tell if there is a file."""
        return self._sink is not None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""
        if self._sink is None:
            self._sink = self._open()
        self._sink.write(batch)

    def close(self) -> None:
        """End the file; it is taken away if that fails."""
        if self._sink is None:
            return
        try:
            self._sink.close()
        except BaseException:
            self.drop()
            raise

    def publish(self, begin: Callable[[Path, Path], None]) -> int:
        """Have a closed file get its name, and return its size."""
        size = self._temporary.stat().st_size
        begin(self._temporary, self._final)
        return size

    def drop(self) -> None:
        """Take the file away."""
        self._temporary.unlink(missing_ok=True)

    def _open(self) -> ArrowFile:
        try:
            return ArrowFile(self._temporary, self._schema)
        except FileNotFoundError:
            self._final.parent.mkdir(parents=True, exist_ok=True)
            return ArrowFile(self._temporary, self._schema)
