"""A writer in a process of its own, for tests that kill it: `python metadata_process.py ...`."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from pathlib import Path

from slackwater.state.metadata.collect import Retention, collect_garbage, sweep_orphans
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.records import BatchRecord, NewSegment, Transaction
from slackwater.state.metadata.store import MetadataStore
from slackwater.state.segments import SegmentFile

NO_RETENTION = Retention(commits=0, age=timedelta(0), history=0)


def ingest_next(home: Path, store: MetadataStore) -> None:
    """Write the next batch of the source as a file, and commit it."""
    state = store.state()
    offset = state.offsets.get("orders", 0) + 1
    path = home / "state" / "orders" / f"{offset}.arrow"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("rows")
    file = SegmentFile(path.relative_to(home).as_posix(), 1, 4, 0, 0, False, False)
    transaction = Transaction(
        "ingest",
        add_segments=(NewSegment("orders", file, offset=offset),),
        batches=(BatchRecord("orders", offset, inserted=1),),
    )
    store.commit(transaction, expected=state.commit)


def collect(home: Path, store: MetadataStore) -> None:
    """Delete all that is not needed now."""
    collect_garbage(store, home, NO_RETENTION)


def sweep(home: Path, store: MetadataStore) -> None:
    """Delete what no commit names."""
    sweep_orphans(store, home, grace=timedelta(0))


def hold(_home: Path, _store: MetadataStore) -> None:
    """Keep the lock until somebody kills us."""
    print("held", flush=True)  # noqa: T201
    time.sleep(120)


ACTIONS = {"ingest": ingest_next, "collect": collect, "sweep": sweep, "hold": hold}


def main() -> None:
    """Do one action under the lock of the home."""
    action, address, home = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    with MetadataStore.open(address) as store, HomeLock.acquire(home, store):
        ACTIONS[action](home, store)


if __name__ == "__main__":
    main()
