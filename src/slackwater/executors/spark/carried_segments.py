"""Small segments that tasks do not write: their rows go to the driver with the report.

There the rows of all partitions become one segment of an arrangement, as on the driver. Files of
a few rows by each task would have to be searched, and merged, one by one.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from slackwater.state.packs import Packs

_PREFIX = "carried:"


class CarriedSegments(Packs):
    """Segments of a few rows, in memory up to so many bytes; further ones go to packs."""

    def __init__(self, root: Path, stem: str, most_bytes: int):
        """Nothing is carried yet."""
        super().__init__(root, stem)
        self._left = most_bytes
        self.rows: dict[str, bytes] = {}
        """By what stands for the path of a file."""

    def add(self, batch: pa.RecordBatch, schema: pa.Schema) -> tuple[str, int]:
        """Carry a segment of one batch; gives its path and its length."""
        content = batch.serialize().to_pybytes()
        self._left -= len(content)
        if self._left < 0:
            return super().add(batch, schema)
        path = f"{_PREFIX}{len(self.rows)}"
        self.rows[path] = content
        return path, len(content)


def is_carried(path: str) -> bool:
    """Tell if a path stands for rows that are carried.

    >>> is_carried("carried:2"), is_carried("state/packs/a-0.pack#0+64")
    (True, False)
    """
    return path.startswith(_PREFIX)
