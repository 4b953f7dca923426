"""What holds for a home whose writers are refused, killed or careless, in every database.

A test module subclasses these and has the fixture `address`: the URL of an empty database.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from slackwater.state.metadata.collect import Retention, collect_garbage, sweep_orphans
from slackwater.state.metadata.errors import ForeignHomeError, HomeLockedError
from slackwater.state.metadata.lock import HomeLock
from slackwater.state.metadata.store import MetadataStore

from . import metadata_process
from .metadata_process import NO_RETENTION, ingest_next
from .metadata_values import commit, compact, create_source, drop_source, in_pack

SCRIPT = Path(metadata_process.__file__)
AT_ONCE = timedelta(0)


class _WithHome:
    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        return tmp_path / "home"

    @pytest.fixture
    def store(self, address: str, home: Path) -> Iterator[MetadataStore]:
        """The metadata of a home with one source, which nobody writes at the moment."""
        with MetadataStore.open(address) as store:
            with HomeLock.acquire(home, store):
                commit(store, create_source())
            yield store


class LockContract(_WithHome):
    """One writer at a time, and none that is dead."""

    def test_a_second_process_is_refused_until_the_first_is_killed(
        self, store: MetadataStore, address: str, home: Path
    ) -> None:
        holder = _start("hold", address, home)
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(HomeLockedError, match=f"pid {holder.pid} on "):
                HomeLock.acquire(home, store)
        finally:
            holder.send_signal(signal.SIGKILL)
            holder.communicate(timeout=30)
        _acquire_soon(home, store).release()

    def test_a_second_writer_in_the_same_process_is_refused(
        self, store: MetadataStore, home: Path
    ) -> None:
        with HomeLock.acquire(home, store):
            for _ in range(2):
                with pytest.raises(HomeLockedError, match=f"pid {os.getpid()} on "):
                    HomeLock.acquire(home, store)
        lock = HomeLock.acquire(home, store)
        lock.release()
        lock.release()

    def test_children_do_not_inherit_the_lock(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            child = subprocess.Popen(["sleep", "60"], close_fds=False)
        try:
            HomeLock.acquire(home, store).release()
        finally:
            child.kill()
            child.wait()

    def test_a_lock_is_free_as_soon_as_it_is_released(
        self, store: MetadataStore, home: Path
    ) -> None:
        for _ in range(50):
            HomeLock.acquire(home, store).release()

    def test_another_directory_is_refused(self, store: MetadataStore, tmp_path: Path) -> None:
        with pytest.raises(ForeignHomeError, match="belongs to another directory"):
            HomeLock.acquire(tmp_path / "elsewhere", store)

    def test_other_metadata_is_refused(self, store: MetadataStore, home: Path) -> None:
        assert store.head().claimed
        with MetadataStore.open(home / "other.db") as other:
            with pytest.raises(ForeignHomeError, match="belongs to other metadata"):
                HomeLock.acquire(home, other)
            with pytest.raises(ForeignHomeError):
                sweep_orphans(other, home, AT_ONCE)
        HomeLock.acquire(home, store).release()

    def test_new_metadata_does_not_adopt_old_state(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
        (home / "identity").unlink()
        with (
            MetadataStore.open(home / "other.db") as other,
            pytest.raises(ForeignHomeError, match="state that the metadata does not know"),
        ):
            HomeLock.acquire(home, other)


class CrashContract(_WithHome):
    """Killed at any point, nothing is lost, doubled or left behind."""

    @pytest.mark.parametrize(
        ("point", "made"), [("commit.before", 0), ("commit.inside", 0), ("commit.after", 1)]
    )
    def test_killed_around_a_commit(
        self, store: MetadataStore, address: str, home: Path, point: str, made: int
    ) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
        _run_killed("ingest", address, home, point)
        assert store.state().offsets == {"orders": 1 + made}
        assert (home / "state/orders/2.arrow").exists()
        with _acquire_soon(home, store):
            sweep_orphans(store, home, AT_ONCE)
            assert _files(home) == {"state/orders/1.arrow", "state/orders/2.arrow"} - (
                set() if made else {"state/orders/2.arrow"}
            )
            ingest_next(home, store)
        assert store.state().offsets == {"orders": 2 + made}
        assert {file.path for file in store.state().files("orders")} == _files(home)

    @pytest.mark.parametrize(
        "point", ["collect.pruned", "collect.deleting", "collect.deleting:2", "collect.deleted"]
    )
    def test_killed_while_collecting(
        self, store: MetadataStore, address: str, home: Path, point: str
    ) -> None:
        with HomeLock.acquire(home, store):
            for _ in range(4):
                ingest_next(home, store)
            _merge(store, home, "merged")
        before = store.state()
        _run_killed("collect", address, home, point)
        assert store.state() == before
        assert store.retained_from() == before.commit
        with _acquire_soon(home, store):
            collect_garbage(store, home, NO_RETENTION)
        assert _files(home) == store.named_paths() == {"state/orders/merged.arrow"}

    def test_killed_while_sweeping(self, store: MetadataStore, address: str, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
        for name in ("a", "b"):
            (home / f"state/orders/{name}.arrow").write_text("orphan")
        _run_killed("sweep", address, home, "sweep.deleting")
        assert len(_files(home)) == 2
        with _acquire_soon(home, store):
            sweep_orphans(store, home, AT_ONCE)
        assert _files(home) == {"state/orders/1.arrow"}

    def test_killed_while_the_tables_are_made(self, address: str, home: Path) -> None:
        _run_killed("hold", address, home, "migrate.inside")
        with MetadataStore.open(address) as store:
            assert store.state().commit == 0


class CollectContract(_WithHome):
    """Files go when nothing needs them, and not before."""

    def test_old_segments_are_deleted_and_forgotten(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
            ingest_next(home, store)
            _merge(store, home, "merged")
            ingest_next(home, store)
        kept = collect_garbage(store, home, Retention(commits=10, age=AT_ONCE))
        assert kept.files == ()
        removed = collect_garbage(store, home, Retention(commits=1, age=AT_ONCE))
        assert removed.files == ("state/orders/1.arrow", "state/orders/2.arrow")
        assert removed.bytes == 8
        assert store.retained_from() == 4
        assert {file.path for file in store.state(4).files("orders")} == {
            "state/orders/merged.arrow"
        }
        assert collect_garbage(store, home, Retention(commits=1, age=AT_ONCE)).files == ()

    def test_young_commits_stay_however_many(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            for _ in range(5):
                ingest_next(home, store)
            _merge(store, home, "merged")
        removed = collect_garbage(store, home, Retention(commits=0, age=timedelta(hours=1)))
        assert removed.files == ()
        assert store.state(4).offsets == {"orders": 3}

    def test_orphans_go_after_their_grace(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
        for name, age in (("orders/old.tmp", 7200), ("gone/deep/old.arrow", 7200), ("new", 60)):
            path = home / "state" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("12345")
            _age(path, age)
        _age(home / "state/orders/1.arrow", 7200)
        _age(home / "state/gone/deep", 7200)
        removed = sweep_orphans(store, home, timedelta(hours=1))
        assert removed.files == ("state/gone/deep/old.arrow", "state/orders/old.tmp")
        assert removed.bytes == 10
        assert _files(home) == {"state/orders/1.arrow", "state/new"}
        sweep_orphans(store, home, AT_ONCE)
        assert not (home / "state/gone").exists()

    def test_orphans_with_a_spared_stem_stay(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
        for name in ("7-abc-merged-0.arrow", ".7-abc-merged-1.arrow.0.1.tmp", "7-def-0.arrow"):
            (home / "state/orders" / name).write_text("12345")
        removed = sweep_orphans(store, home, AT_ONCE, spared=["7-abc"])
        assert removed.files == ("state/orders/7-def-0.arrow",)

    def test_removed_segments_are_no_orphans(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
            _merge(store, home, "merged")
        sweep_orphans(store, home, AT_ONCE)
        assert _files(home) == {"state/orders/1.arrow", "state/orders/merged.arrow"}

    def test_a_pack_goes_with_the_last_of_its_segments(
        self, store: MetadataStore, home: Path
    ) -> None:
        retention = Retention(commits=0, age=AT_ONCE)
        pack = home / "state/packs/7-abc-0.pack"
        with HomeLock.acquire(home, store):
            commit(store, create_source("lines"))
            commit(store, in_pack("orders", 1, "7-abc-0.pack#0+64"))
            commit(store, in_pack("lines", 1, "7-abc-0.pack#64+64"))
            pack.parent.mkdir(parents=True)
            pack.write_text("rows")
            commit(store, drop_source("lines"))
            assert collect_garbage(store, home, retention).files == ()
            assert sweep_orphans(store, home, AT_ONCE).files == ()
            commit(store, drop_source("orders"))
            removed = collect_garbage(store, home, retention)
        assert removed.files == ("state/packs/7-abc-0.pack",)
        assert not pack.exists()

    def test_a_pack_that_no_commit_names_is_swept(self, store: MetadataStore, home: Path) -> None:
        pack = home / "state/packs/7-abc-0.pack"
        pack.parent.mkdir(parents=True)
        pack.write_text("rows")
        assert sweep_orphans(store, home, AT_ONCE).files == ("state/packs/7-abc-0.pack",)

    def test_a_dropped_source_leaves_nothing(self, store: MetadataStore, home: Path) -> None:
        with HomeLock.acquire(home, store):
            ingest_next(home, store)
            commit(store, drop_source())
        collect_garbage(store, home, NO_RETENTION)
        sweep_orphans(store, home, AT_ONCE)
        assert list((home / "state").iterdir()) == []


def _merge(store: MetadataStore, home: Path, name: str) -> None:
    transaction = compact(store, "orders", name)
    (home / transaction.add_segments[0].file.path).write_text("rows")
    commit(store, transaction)


def _files(home: Path) -> set[str]:
    found = (home / "state").rglob("*")
    return {path.relative_to(home).as_posix() for path in found if path.is_file()}


def _age(path: Path, seconds: int) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def _start(action: str, address: str, home: Path, fault: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), action, address, str(home)],
        env={**os.environ, "SLACKWATER_FAULT": fault},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run_killed(action: str, address: str, home: Path, fault: str) -> None:
    """Run an action that must die at the fault point, and of nothing else."""
    process = _start(action, address, home, fault)
    _output, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, errors


def _acquire_soon(home: Path, store: MetadataStore) -> HomeLock:
    """Lock a home whose holder was killed: a database server takes a moment to notice."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return HomeLock.acquire(home, store)
        except HomeLockedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
