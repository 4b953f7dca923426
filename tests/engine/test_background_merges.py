"""Segments are merged beside the caller's work, and adopted only where that is still right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import CatalogError
from slackwater.maintenance import maintenance, merging
from slackwater.running.results import RunResult
from slackwater.state.merge import merge_segments
from slackwater.state.metadata.collect import collect_garbage, sweep_orphans

from . import small_home
from .small_home import NO_RETENTION, SmallHome

MERGED_AT = 8
PILED_UP = 32


class Gate:
    """Holds merges up: before they begin, or after their first file."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.opened = threading.Event()
        self.waiting = threading.Event()
        self._patch = patch

    def hold(self, *, after_a_file: bool = False) -> None:
        def held(*arguments: Any) -> Iterator[Any]:
            if not after_a_file:
                self._wait()
            for file in merge_segments(*arguments):
                yield file
                if after_a_file:
                    self._wait()

        self._patch.setattr(merging, "merge_segments", held)

    def open_soon(self) -> None:
        threading.Timer(0.2, self.opened.set).start()

    def _wait(self) -> None:
        self.waiting.set()
        assert self.opened.wait(30)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.opened.set()
    let_merges_end()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SmallHome]:
    """A home with the arrangements a and b."""
    home = SmallHome(tmp_path)
    home.create("a", "b")
    yield home
    home.maintenance.abandon()
    home.close()


def let_merges_end() -> None:
    for thread in threading.enumerate():
        if thread.name == "slackwater-merge":
            thread.join(30)
            assert not thread.is_alive()


def append(kept: SmallHome, arrangement: str, numbers: range) -> None:
    for number in numbers:
        kept.append(arrangement, number, 7)


def contents(numbers: range) -> Counter[int]:
    return Counter([*numbers, *[7] * len(numbers)])


def merged_files(kept: SmallHome) -> set[str]:
    return {path for path in kept.files() if "merged" in path}


def test_the_caller_goes_on_while_segments_are_merged(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    append(kept, "a", range(8))
    before = kept.home.catalog().state.commit
    kept.maintenance.tidy()
    assert gate.waiting.wait(30)
    append(kept, "a", range(8, 10))
    kept.maintenance.tidy()
    assert kept.segments("a") == 10
    gate.opened.set()
    let_merges_end()
    assert kept.segments("a") == 10
    assert "compact" not in kept.kinds()
    kept.maintenance.tidy()
    assert [each.level for each in kept.home.catalog().segments("a")] == [0, 0, 1]
    assert kept.kinds()[-1] == "compact"
    assert kept.values("a") == contents(range(10))
    assert kept.values("a", before) == contents(range(8))
    assert len(kept.home.store.segments_between("a", 0)) == 10


def test_few_segments_are_left_alone(kept: SmallHome) -> None:
    append(kept, "a", range(MERGED_AT - 1))
    kept.maintenance.tidy()
    kept.maintenance.close()
    assert kept.segments("a") == MERGED_AT - 1


def test_an_arrangement_is_dropped_meanwhile(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    append(kept, "a", range(8))
    append(kept, "b", range(8))
    kept.maintenance.tidy()
    kept.drop("a")
    gate.opened.set()
    let_merges_end()
    assert {path.split("/")[1] for path in merged_files(kept)} == {"a", "b"}
    kept.maintenance.tidy()
    assert {path.split("/")[1] for path in merged_files(kept)} == {"b"}
    assert kept.segments("b") == 1
    assert kept.values("b") == contents(range(8))
    assert kept.maintenance.take_failures() == ()


@pytest.mark.parametrize("forget", [False, True])
def test_an_arrangement_is_filled_anew_meanwhile(kept: SmallHome, gate: Gate, forget: bool) -> None:
    """Also if the numbers of its old segments are given to new ones."""
    gate.hold(after_a_file=True)
    append(kept, "a", range(8))
    kept.maintenance.tidy()
    assert gate.waiting.wait(30)
    kept.fill("a", 100)
    if forget:
        collect_garbage(kept.home.store, kept.home.folder, NO_RETENTION)
    append(kept, "a", range(101, 103))
    gate.opened.set()
    let_merges_end()
    kept.maintenance.tidy()
    assert "compact" not in kept.kinds()
    assert merged_files(kept) == set()
    assert kept.values("a") == Counter([100, 101, 102, 7, 7])


def test_files_deleted_before_they_were_opened_are_no_failure(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    append(kept, "a", range(8))
    append(kept, "b", range(8))
    kept.maintenance.tidy()
    kept.drop("a")
    collect_garbage(kept.home.store, kept.home.folder, NO_RETENTION)
    sweep_orphans(kept.home.store, kept.home.folder, timedelta(0))
    assert not (kept.home.folder / "state" / "a").exists()
    gate.opened.set()
    let_merges_end()
    kept.maintenance.tidy()
    assert kept.maintenance.take_failures() == ()
    assert kept.segments("b") == 1


def test_a_sweep_spares_what_is_being_merged(
    kept: SmallHome, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_COLLECT_EVERY", 1)
    gate.hold(after_a_file=True)
    append(kept, "a", range(8))
    kept.maintenance.tidy()
    assert gate.waiting.wait(30)
    (kept.home.folder / "state/a/stray.arrow").write_text("left behind")
    old = time.time() - 2 * 60 * 60
    for path in kept.files():
        os.utime(kept.home.folder / path, (old, old))
    kept.append("b", 1)
    kept.maintenance.tidy()
    assert len(merged_files(kept)) == 1
    assert "state/a/stray.arrow" not in kept.files()
    gate.opened.set()
    kept.maintenance.close()
    assert kept.segments("a") == 1
    assert kept.values("a") == contents(range(8))


class TestFailures:
    """A merge that fails does no harm, and is not forgotten."""

    @pytest.fixture(autouse=True)
    def _full(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Two parts a merge, and no space for the second while `full`."""
        self.full = True

        def failing(*arguments: Any) -> Iterator[Any]:
            for number, file in enumerate(merge_segments(*arguments)):
                if number and self.full:
                    raise OSError(28, "No space left on device")
                yield file

        monkeypatch.setattr(merging, "merge_segments", failing)
        monkeypatch.setattr(merging, "_ROWS_PER_FILE", 10)
        yield
        let_merges_end()

    def fail(self, kept: SmallHome) -> None:
        for number in range(8):
            kept.append("a", number, -(2**62))
        kept.maintenance.tidy()
        let_merges_end()

    def test_refreshes_tell_once_and_try_again(
        self, kept: SmallHome, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self.fail(kept)
        assert merged_files(kept) == set()
        kept.maintenance.tidy()
        (told,) = kept.maintenance.take_failures()
        assert "No space left on device" in told
        assert kept.maintenance.take_failures() == ()
        assert kept.segments("a") == 8
        let_merges_end()
        self.full = False
        kept.maintenance.tidy()
        assert len(kept.maintenance.take_failures()) == 1
        kept.maintenance.close()
        assert kept.segments("a") == 2
        assert capfd.readouterr().err == ""

    def test_compact_makes_up_for_it_and_says_so(self, kept: SmallHome) -> None:
        self.fail(kept)
        self.full = False
        done = kept.maintenance.compact()
        assert (done.merged, done.written) == (8, 2)
        assert "No space left on device" in done.failed[0]
        assert kept.maintenance.take_failures() == ()

    def test_compact_fails_if_it_cannot(self, kept: SmallHome) -> None:
        self.fail(kept)
        with pytest.raises(OSError, match="No space left"):
            kept.maintenance.compact()
        assert merged_files(kept) == set()
        assert kept.segments("a") == 8


def test_a_note_is_a_warning_of_the_run() -> None:
    result = RunResult(3, 0.1, (), notes=("merging failed",))
    assert result.warnings == ("merging failed",)
    assert result.as_dict()["warnings"] == ["merging failed"]


def test_compact_waits_and_merges_the_rest(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    append(kept, "a", range(8))
    kept.maintenance.tidy()
    append(kept, "a", range(8, 10))
    gate.open_soon()
    done = kept.maintenance.compact()
    assert (done.merged, done.written) == (8 + 3, 2)
    assert kept.kinds()[-2:] == ["compact", "compact"]
    assert kept.segments("a") == 1
    assert kept.values("a") == contents(range(10))


def test_closing_adopts(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    append(kept, "a", range(8))
    kept.maintenance.tidy()
    gate.open_soon()
    kept.maintenance.close()
    assert kept.segments("a") == 1


def test_what_is_abandoned_leaves_nothing(kept: SmallHome, gate: Gate) -> None:
    gate.hold(after_a_file=True)
    append(kept, "a", range(8))
    kept.maintenance.tidy()
    assert gate.waiting.wait(30)
    gate.open_soon()
    kept.maintenance.abandon()
    assert merged_files(kept) == set()
    kept.maintenance.close()
    assert kept.segments("a") == 8


def test_refreshes_wait_if_too_much_piles_up(kept: SmallHome, gate: Gate) -> None:
    gate.hold()
    for number in range(MERGED_AT + PILED_UP - 1):
        kept.append("a", number, 7)
        kept.maintenance.tidy()
        assert not gate.opened.is_set()
    kept.append("a", MERGED_AT + PILED_UP - 1, 7)
    gate.open_soon()
    kept.maintenance.tidy()
    assert gate.opened.is_set()
    assert kept.segments("a") == PILED_UP + 1
    kept.maintenance.close()
    assert kept.segments("a") == 1
    assert kept.values("a") == contents(range(MERGED_AT + PILED_UP))


def test_segments_stay_few_however_slow_merges_are(
    kept: SmallHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*arguments: Any) -> Iterator[Any]:
        time.sleep(0.2)
        yield from merge_segments(*arguments)

    monkeypatch.setattr(merging, "merge_segments", slow)
    for number in range(90):
        kept.append("a", number)
        kept.maintenance.tidy()
        assert kept.segments("a") <= 2 * PILED_UP + 1
    assert kept.values("a") == Counter(range(90))


@pytest.mark.parametrize("fault", ["segment.writing", "segment.written", "compact.written"])
def test_killed_around_a_merge(tmp_path: Path, fault: str) -> None:
    """Whether in its thread or at its adoption: only files that a sweep takes are left."""
    first = SmallHome(tmp_path)
    first.create("a")
    append(first, "a", range(8))
    first.close()
    died = subprocess.run(
        [sys.executable, small_home.__file__, str(tmp_path)],
        env={**os.environ, "SLACKWATER_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    kept = SmallHome(tmp_path)
    assert kept.values("a") == contents(range(8))
    sweep_orphans(kept.home.store, kept.home.folder, timedelta(0))
    assert kept.files() == kept.home.store.named_paths()
    kept.maintenance.tidy()
    kept.maintenance.close()
    assert kept.segments("a") == 1
    assert kept.values("a") == contents(range(8))
    kept.close()


def test_a_process_may_end_without_closing(tmp_path: Path) -> None:
    first = SmallHome(tmp_path)
    first.create("a")
    append(first, "a", range(8))
    first.close()
    program = (
        "from pathlib import Path\n"
        "from small_home import SmallHome\n"
        f"SmallHome(Path({str(tmp_path)!r})).maintenance.tidy()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(small_home.__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    kept = SmallHome(tmp_path)
    assert kept.files() == kept.home.store.named_paths()
    kept.close()


TOTALS = "SELECT b, sum(v) AS s FROM item GROUP BY b"
SCHEMA = "b STRING, v BIGINT"


def refresh(session: Session, spark: SparkSession, numbers: range) -> None:
    for number in numbers:
        session.ingest("item", spark.createDataFrame([("x", number)], SCHEMA))
        session.refresh()


def segments_of(session: Session) -> list[int]:
    return [len(each) for each in session.keeper.catalog().state.segments.values()]


def answer(session: Session, read: Callable[[Session], Any]) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in read(session).collect())


def test_a_session_merges_beside_its_refreshes(
    spark: SparkSession, tmp_path: Path, gate: Gate
) -> None:
    with sw.open(tmp_path, spark) as session:
        session.create_source("item", SCHEMA)
        session.create_view("totals", TOTALS)
        gate.hold()
        refresh(session, spark, range(1, 10))
        assert min(segments_of(session)) >= 8
        feed = answer(session, lambda s: s.view("totals").changes())
        gate.open_soon()
    with sw.open(tmp_path, spark, read_only=True) as reader:
        assert max(segments_of(reader)) <= 2
        assert answer(reader, lambda s: s.view("totals").read()) == [("x", 45)]
        assert answer(reader, lambda s: s.view("totals").changes()) == feed
        with pytest.raises(CatalogError, match="reading only"):
            reader.compact()
    with sw.open(tmp_path, spark) as session:
        refresh(session, spark, range(10, 11))
        assert answer(session, lambda s: s.view("totals").read()) == [("x", 55)]
        assert session.verify("totals").equal


def test_a_block_that_fails_does_not_wait(spark: SparkSession, tmp_path: Path, gate: Gate) -> None:
    def fail(session: Session) -> None:
        session.create_source("item", SCHEMA)
        session.create_view("totals", TOTALS)
        gate.hold(after_a_file=True)
        refresh(session, spark, range(1, 10))
        assert gate.waiting.wait(30)
        gate.open_soon()
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), sw.open(tmp_path, spark) as session:
        fail(session)
    assert not list(tmp_path.glob("state/*/*merged*"))


def test_a_failure_found_when_closing_is_a_warning(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_arguments: Any) -> Iterator[Any]:
        raise OSError(28, "No space left on device")
        yield

    session = sw.open(tmp_path, spark)
    session.create_source("item", SCHEMA)
    session.create_view("totals", TOTALS)
    monkeypatch.setattr(merging, "merge_segments", failing)
    refresh(session, spark, range(1, 9))
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        session.close()
    sw.open(tmp_path, spark).close()
