"""A home without Spark: arrangements of one column, whose segments are written by hand.

`python small_home.py FOLDER` tidies one and closes it, for tests that kill the process.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from itertools import count
from pathlib import Path

import pyarrow as pa

from slackwater.catalog.home import Home
from slackwater.maintenance.maintenance import Maintenance
from slackwater.state.columns import stored_schema
from slackwater.state.metadata.collect import Retention
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.records import ArrangementRecord, NewSegment, Transaction
from slackwater.state.metadata.store import MetadataStore
from slackwater.state.segments import SegmentFile, map_segment
from slackwater.state.writer import SegmentTarget, SegmentWriter

NO_RETENTION = Retention(commits=0, age=timedelta(0), history=0)
KEEP_ALL = Retention(commits=1_000)
_SCHEMA = stored_schema(pa.schema([pa.field("k0", pa.int64())]))
_NUMBERS = count(1)


class SmallHome:
    """An open home with its lock."""

    def __init__(self, folder: Path, retention: Retention = KEEP_ALL):
        """Open it, making it if it is new."""
        store = MetadataStore.open(f"sqlite:///{folder}/metadata.db")
        self.home = Home(folder, store, HomeLock.acquire(folder, store))
        self.maintenance = Maintenance(self.home, retention)

    def close(self) -> None:
        """Release it."""
        self.home.close()

    def create(self, *arrangements: str) -> None:
        """Make arrangements without rows."""
        records = tuple(ArrangementRecord(name, "{}") for name in arrangements)
        self.home.commit(Transaction("run", add_arrangements=records))

    def append(self, arrangement: str, *values: int) -> None:
        """One commit more, with one segment of rows."""
        added = (NewSegment(arrangement, self._write(arrangement, values)),)
        self.home.commit(Transaction("run", add_segments=added))

    def fill(self, arrangement: str, *values: int) -> None:
        """Give an arrangement other contents, as a run does that starts over."""
        gone = tuple(each.id for each in self.home.catalog().segments(arrangement))
        added = (NewSegment(arrangement, self._write(arrangement, values)),)
        self.home.commit(Transaction("run", add_segments=added, remove_segments=gone))

    def drop(self, arrangement: str) -> None:
        """The end of an arrangement."""
        self.home.commit(Transaction("drop_view", drop_arrangements=(arrangement,)))

    def segments(self, arrangement: str) -> int:
        """How many segments are live."""
        return len(self.home.catalog().segments(arrangement))

    def values(self, arrangement: str, commit: int | None = None) -> Counter[int]:
        """What an arrangement holds."""
        found: Counter[int] = Counter()
        for file in self.home.catalog(commit).files(arrangement):
            for batch in map_segment(self.home.folder / file.path).batches:
                for row in batch.to_pylist():
                    found[row["k0"]] += row["_w"]
        return +found

    def files(self) -> set[str]:
        """All files of the state."""
        found = (self.home.folder / "state").rglob("*")
        return {each.relative_to(self.home.folder).as_posix() for each in found if each.is_file()}

    def kinds(self) -> list[str]:
        """The kinds of all commits."""
        return [each.kind for each in self.home.store.commits()]

    def _write(self, arrangement: str, values: Iterable[int]) -> SegmentFile:
        rows = sorted(values)
        columns = [pa.array(each, pa.int64()) for each in (rows, rows, [1] * len(rows))]
        path = f"state/{arrangement}/{next(_NUMBERS):08d}-0.arrow"
        with SegmentWriter(
            SegmentTarget(str(self.home.folder), path, _SCHEMA, consolidated=True)
        ) as writer:
            writer.write(pa.RecordBatch.from_arrays(columns, schema=_SCHEMA))
        assert writer.result is not None
        return writer.result


def main() -> None:
    """Merge what is worth it, and adopt it."""
    kept = SmallHome(Path(sys.argv[1]))
    kept.maintenance.tidy()
    kept.maintenance.close()
    kept.close()


if __name__ == "__main__":
    main()
