"""Logs and their readers: sources are logs of batches by offset, and each reader has a cursor.

A view that reads a source, also through other views, is a reader of that source's log.

>>> logs = Logs({"orders": 7}, {("daily", "orders"): 7, ("hourly", "orders"): 5})
>>> logs.cursor("hourly", "orders"), logs.cursor("weekly", "orders")
(5, -1)
>>> logs.is_behind("hourly", "orders"), logs.is_behind("daily", "orders")
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOTHING_READ = -1
"""The cursor of a reader that has read nothing, not even that the log is empty."""


@dataclass(frozen=True, slots=True)
class Logs:
    """The end of every log, and the cursor of every reader in it."""

    offsets: Mapping[str, int]
    """The last offset of each log. A log without batches has no entry."""
    cursors: Mapping[tuple[str, str], int]
    """The last offset that a reader has read, by reader and log."""

    def end(self, log: str) -> int:
        """The last offset of a log; 0 if it has no batches."""
        return self.offsets.get(log, 0)

    def cursor(self, reader: str, log: str) -> int:
        """The last offset of a log that a reader has read, or `NOTHING_READ`."""
        return self.cursors.get((reader, log), NOTHING_READ)

    def has_read(self, reader: str, log: str) -> bool:
        """True if a reader has taken in a log, if only that there was nothing in it."""
        return self.cursor(reader, log) != NOTHING_READ

    def is_behind(self, reader: str, log: str) -> bool:
        """True if a log has batches that the reader has not taken in."""
        return self.cursor(reader, log) < self.end(log)

    def readers(self, log: str) -> tuple[str, ...]:
        """The readers that have taken in something of a log."""
        return tuple(reader for reader, read in self.cursors if read == log)

    def first_cursor(self, log: str) -> int:
        """The last offset that all readers of a log have read; 0 if there are none."""
        return min((self.cursor(each, log) for each in self.readers(log)), default=0)

    def last_cursor(self, log: str) -> int:
        """The last offset that any reader has read: all agree on it, as a run moves all of them."""
        return max((self.cursor(each, log) for each in self.readers(log)), default=NOTHING_READ)
