"""Runs a process, hears what it tells, and watches the memory of it and all its children."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from slackwater.bench.memory import anonymous, available, descendants, resident

_SAMPLE_SECONDS = 0.05
_SAMPLES_PER_LOOK = 10
"""New children are looked for less often: that means reading about every process there is."""
_SHARE_OF_MEMORY = 0.85

Facts = dict[str, Any]


@dataclass(slots=True)
class Watched:
    """The reports of a process, and its time and memory."""

    facts: list[Facts] = field(default_factory=list)
    peak: int = 0
    """The largest sum of resident memory: shared pages count once for each process."""
    peak_anonymous: int = 0
    """The same without pages of files, which the system can take back."""
    stopped: str = ""
    """The reason why it was stopped, if it was."""
    failed: str = ""
    """The last line of its errors, if it ended badly by itself."""

    def told(self, name: str) -> list[Any]:
        """All values that were told under a name."""
        return [fact[name] for fact in self.facts if name in fact]


def watch(
    command: list[str],
    environ: Mapping[str, str],
    errors: Path,
    seconds: float,
    heard: Callable[[Facts], None],
) -> Watched:
    """Run a command to its end, or until it takes too long or nearly all free memory.

    What it writes to stderr goes to the file `errors`.
    """
    result = Watched()
    limit = _SHARE_OF_MEMORY * available()
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
        assert process.stdout is not None
        listener = threading.Thread(target=_listen, args=(process.stdout, result, heard))
        listener.start()
        try:
            _sample(process, result, seconds, limit)
        finally:
            _end(process)
            listener.join()
    if process.returncode and not result.stopped:
        result.failed = _last_line(errors) or f"it ended with exit code {process.returncode}"
    return result


def _listen(lines: IO[str], result: Watched, heard: Callable[[Facts], None]) -> None:
    for line in lines:
        with suppress(ValueError):
            facts = json.loads(line)
            if isinstance(facts, dict):
                result.facts.append(facts)
                heard(facts)


def _sample(process: subprocess.Popen[str], result: Watched, seconds: float, limit: float) -> None:
    started = time.monotonic()
    look = 0
    processes = [process.pid]
    while process.poll() is None:
        if look % _SAMPLES_PER_LOOK == 0:
            processes = [process.pid, *descendants(process.pid)]
        look += 1
        result.peak = max(result.peak, sum(map(resident, processes)))
        mine = sum(map(anonymous, processes))
        result.peak_anonymous = max(result.peak_anonymous, mine)
        if limit and mine > limit:
            result.stopped = f"at {mine / (1 << 30):.1f} GB"
            return
        if time.monotonic() - started > seconds:
            result.stopped = f"after {seconds:,.0f} s"
            return
        time.sleep(_SAMPLE_SECONDS)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill what is left: Spark's Java and Python workers outlive a killed driver for a while."""
    if process.poll() is None:
        for each in [process.pid, *descendants(process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
    process.wait()


def _last_line(errors: Path) -> str:
    lines = errors.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
