"""Starts processes that keep a home, kills them, and reads what they said."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from .child import Orders, live

_ROOT = Path(__file__).parents[2]
_AGED = 2 * 60 * 60
_PATIENCE = 300
_PRELOADED = ["slackwater.api", "slackwater.cli.main", "pandas", "pyarrow.dataset", "sqlite3"]


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that is no more, and its journal."""

    signal: int
    """What killed it; 0 if it ended by itself."""
    journal: tuple[dict[str, Any], ...]

    @property
    def failure(self) -> str | None:
        """Why it ended early, unless it was killed."""
        return next((each["text"] for each in self.journal if each["event"] == "failed"), None)

    def facts(self, event: str) -> dict[str, Any]:
        """What it said about an event."""
        return next(each for each in self.journal if each["event"] == event)

    @property
    def last(self) -> str:
        """What it was about to do in the end."""
        return str(self.journal[-1]["event"]) if self.journal else "start"

    @property
    def removed(self) -> int:
        """Files of its predecessors that it removed when it opened the home."""
        opened = [each for each in self.journal if each["event"] == "opened"]
        return int(opened[0]["removed"]) if opened else 0


def require_sound(ended: Ended) -> None:
    """It recovered, found everything right, and came to its own end."""
    assert ended.failure is None, ended.failure
    assert ended.signal == 0
    assert ended.facts("end")["orphans"] == 0


class Keeping:
    """Successive processes on one home."""

    def __init__(self, folder: Path, spark: SparkSession | None):
        """With `spark` they all use its Java; without, each starts its own."""
        self.home = folder / "home"
        self._journals = folder / "journals"
        self._journals.mkdir(parents=True)
        self._gateway = None if spark is None else gateway_of(spark)
        self._context: Any = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOADED)
        self._started = 0

    def run(self, batches: int, kill_after: float | None = None, **orders: Any) -> Ended:
        """Let one process live; `kill_after` so many seconds it is killed, wherever it is."""
        process, journal = self.start(batches, **orders)
        return self.finish(process, journal, _PATIENCE if kill_after is None else kill_after)

    def finish(
        self, process: ForkServerProcess, journal: Path, patience: float = _PATIENCE
    ) -> Ended:
        """Wait for a process to end; one that takes too long is killed."""
        process.join(patience)
        if process.is_alive():
            process.kill()
            process.join(_PATIENCE)
        assert process.exitcode is not None
        return Ended(max(0, -process.exitcode), read_journal(journal))

    def start(self, batches: int, **orders: Any) -> tuple[ForkServerProcess, Path]:
        """Start a process; where it writes its journal."""
        self._started += 1
        journal = self._journals / f"{self._started}.jsonl"
        told = Orders(str(self.home), str(journal), batches, self._gateway)
        with _importable():
            process = self._context.Process(target=live, args=(replace(told, **orders),))
            process.start()
        return process, journal

    def let_time_pass(self) -> None:
        """Make everything in the state folder old enough to be swept, and leave a stray file."""
        state = self.home / "state"
        if not state.exists():
            return
        stray = state / "stray" / f"{self._started}.arrow"
        stray.parent.mkdir(parents=True, exist_ok=True)
        stray.write_bytes(b"left behind")
        old = time.time() - _AGED
        for path in (state, *state.rglob("*")):
            # A job that outlives the process that asked for it may rename files meanwhile.
            if path.exists():
                os.utime(path, (old, old))


def gateway_of(spark: SparkSession) -> tuple[int, str]:
    """Where other processes reach the Java of a session."""
    parameters: Any = spark.sparkContext._gateway.gateway_parameters
    return int(parameters.port), str(parameters.auth_token)


def read_journal(path: Path) -> tuple[dict[str, Any], ...]:
    """All that was said; a last line may be cut short."""
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").split("\n")
    return tuple(json.loads(line) for line in lines[:-1])


@contextmanager
def _importable() -> Iterator[None]:
    """Children find this package by the path of their parent."""
    sys.path.insert(0, str(_ROOT))
    try:
        yield
    finally:
        sys.path.remove(str(_ROOT))
