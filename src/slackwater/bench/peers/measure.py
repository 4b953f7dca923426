"""Measures every system at every size, one process at a time, and compares their answers.

The first changes are followed but not counted: they warm up. Java still compiles after a few,
and all systems get as many so that what is measured are the same changes.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import pyspark

from slackwater.bench.machine import Machine, machine_here
from slackwater.bench.peers.answers import Answers, difference, read_answers
from slackwater.bench.peers.data import KEYS, VIEWS, DataPlan, write_data
from slackwater.bench.peers.environment import ensure_environment
from slackwater.bench.peers.systems import SYSTEMS
from slackwater.bench.peers.task import Task
from slackwater.bench.peers.watch import Facts, Watched, watch
from slackwater.errors import SetupError

_HERE = Path(__file__).parent
WARM_UPS = 5

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PeersPlan:
    """The systems that are compared, and the limits at which one is given up."""

    rows: tuple[int, ...] = (1_000_000, 10_000_000, 60_000_000)
    changed_rows: int = 10_000
    runs: int = 5
    systems: tuple[str, ...] = tuple(SYSTEMS)
    limit: float = 1_800.0
    """Seconds for one system at one size."""

    def data(self) -> tuple[DataPlan, ...]:
        """The data of every size; refuses sizes that cannot be changed so often."""
        return tuple(DataPlan(rows, self.changed_rows, self.runs + WARM_UPS) for rows in self.rows)


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """One system at one size; figures are None where it did not get so far."""

    rows: int
    system: str
    version: str = ""
    load: float | None = None
    """Seconds from files on disk to all answers."""
    refresh: float | None = None
    """Seconds from a change on disk to all new answers, the median."""
    ingest: float | None = None
    """The part of it in which the change is taken in, the median."""
    refreshes: tuple[float, ...] = ()
    peak_bytes: int = 0
    peak_anonymous_bytes: int = 0
    stopped: str = ""
    """A limit that was reached, and how far it had come."""
    failed: str = ""
    """The reason without a result: not installed, failed, or another answer."""


@dataclass(frozen=True, slots=True)
class PeersReport:
    """All figures of one measurement."""

    plan: PeersPlan
    figures: tuple[SystemFigures, ...]
    machine: Machine

    @property
    def complete(self) -> bool:
        """Tell if every system ran and all that finished agree."""
        return not any(each.failed for each in self.figures)


def measure_peers(scratch: Path, cache_dir: Path, plan: PeersPlan, say: Say) -> PeersReport:
    """Measure size after size, on the same files for every system."""
    load_before = os.getloadavg()
    figures: list[SystemFigures] = []
    for data in plan.data():
        folder = scratch / f"data-{data.rows}"
        say(f"writing {data.rows:,} rows")
        write_data(folder, data)
        reference: tuple[str, Answers] | None = None
        for system in plan.systems:
            work = scratch / f"{system}-{data.rows}"
            work.mkdir()
            task = Task(str(folder), str(work), VIEWS, KEYS, data.changes)
            found = _Measurement(system, data, task, plan.limit, say).measure(cache_dir)
            if found.refresh is not None and not (found.failed or found.stopped):
                answers = read_answers({view: task.answer(view) for view in VIEWS})
                reference = reference or (system, answers)
                found = _checked(found, answers, *reference)
            figures.append(found)
            shutil.rmtree(work)
        shutil.rmtree(folder)
    machine = machine_here(pyspark.__version__, load_before)
    return PeersReport(plan, tuple(figures), machine)


def _checked(
    found: SystemFigures, answers: Answers, reference: str, expected: Answers
) -> SystemFigures:
    differs = difference(answers, expected)
    return (
        replace(found, failed=f"WRONG: differs from {reference}: {differs}") if differs else found
    )


@dataclass(frozen=True, slots=True)
class _Measurement:
    """One system at one size."""

    system: str
    data: DataPlan
    task: Task
    limit: float
    say: Say

    def measure(self, cache_dir: Path) -> SystemFigures:
        """Run the system's process."""
        blank = SystemFigures(self.data.rows, self.system)
        try:
            command = _command(self.system, cache_dir, self.say)
        except SetupError as problem:
            return replace(blank, failed=f"not measured: {problem.what}")
        self.say(f"{self.system}, {self.data.rows:,} rows: starting")
        watched = watch(
            [*command, str(self.task.write())],
            _environment(),
            Path(self.task.work) / "stderr",
            self.limit,
            self._heard,
        )
        return self._figures(blank, watched)

    def _heard(self, facts: Facts) -> None:
        seconds = facts.get("refresh", facts.get("loaded"))
        if seconds is not None:
            done = "changed" if "refresh" in facts else "loaded"
            self.say(f"{self.system}, {self.data.rows:,} rows: {done} in {seconds:.2f} s")

    def _figures(self, blank: SystemFigures, watched: Watched) -> SystemFigures:
        refreshes = watched.told("refresh")[WARM_UPS:]
        ingests = watched.told("ingest")[WARM_UPS:]
        return replace(
            blank,
            version=next(iter(watched.told("version")), ""),
            load=next(iter(watched.told("loaded")), None),
            refresh=median(refreshes) if refreshes else None,
            ingest=median(ingests) if ingests else None,
            refreshes=tuple(refreshes),
            peak_bytes=watched.peak,
            peak_anonymous_bytes=watched.peak_anonymous,
            stopped=self._stopped(watched),
            failed=f"failed: {watched.failed}" if watched.failed else "",
        )

    def _stopped(self, watched: Watched) -> str:
        if not watched.stopped:
            return ""
        if watched.told("loaded"):
            done = f"{len(watched.told('refresh'))} of {self.data.changes} changes"
        else:
            total = self.data.rows + self.data.customers
            done = f"{sum(watched.told('rows')):,} of {total:,} rows taken in"
        return f"stopped {watched.stopped}: {done}"


def _command(system: str, cache_dir: Path, say: Say) -> list[str]:
    """The command that starts a system's process; one that needs nothing of ours is a file."""
    if system == "pathway":
        return [str(ensure_environment(cache_dir, say)), str(_HERE / "pathway_process.py")]
    if system == "duckdb":
        return [sys.executable, str(_HERE / "duckdb_process.py")]
    return [sys.executable, "-m", f"{__package__}.{system}_process"]


def _environment() -> dict[str, str]:
    """Ours; Pathway gets all cores and no licence key, without which it reports to nobody."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PATHWAY_")}
    return {**kept, "PATHWAY_THREADS": str(os.cpu_count() or 1)}
