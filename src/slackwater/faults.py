"""Places where a test may kill the process, to prove that no instant of a run is unsafe.

`SLACKWATER_FAULT="commit.inside"` kills the process with SIGKILL when it first arrives at
that point; `"commit.inside:3"` at the third arrival. Without the variable a point costs a
dictionary look-up.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Mapping
from typing import Final

from slackwater.errors import InvariantError, SetupError

VARIABLE: Final = "SLACKWATER_FAULT"

POINTS: Final[Mapping[str, str]] = {
    "ingest.before": "a batch was handed over; nothing is written yet",
    "ingest.written": "the batch's segments are written; no commit names them",
    "run.before": "a run was planned; nothing is written yet",
    "run.written": "all segments of the run are written; no commit names them",
    "segment.writing": "part of a segment is in its temporary file",
    "segment.written": "the segment has its final name; the worker or merge has not ended",
    "block.taken": "a task has taken a block's steps; nobody has its report yet",
    "pack.writing": "the small segments of a run are in one temporary file",
    "pack.written": "that file has its final name; no commit names it",
    "commit.before": "the database transaction of the commit has not begun",
    "commit.inside": "all rows of the commit are written; the database has not committed",
    "commit.after": "the commit is durable; its caller does not know yet",
    "compact.before": "the segments to merge are chosen; nothing is written yet",
    "compact.written": "the merged segments are written; no commit names them",
    "recover.before": "the lock is held; leftovers of a killed process are not yet removed",
    "recover.after": "leftovers are removed; work has not begun",
    "collect.pruned": "old commits can no longer be read; their files are still there",
    "collect.deleting": "some of the files that nobody needs are deleted",
    "collect.deleted": "the files are deleted; their rows are still there",
    "sweep.deleting": "some of the files that no commit names are deleted",
    "migrate.inside": "the tables have a new layout; the database has not committed",
}
"""Every point by name, with what is true when it is reached."""

_arrivals: Counter[str] = Counter()


def reach(point: str) -> None:
    """Say that the process is at `point`; a test may have asked that it dies here."""
    if point not in POINTS:
        raise InvariantError(f"{point!r} is not a fault point", hint="Add it to faults.POINTS.")
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return
    name, number = _parse(wanted)
    if name != point:
        return
    _arrivals[point] += 1
    if _arrivals[point] == number:
        os.kill(os.getpid(), signal.SIGKILL)


def _parse(wanted: str) -> tuple[str, int]:
    """The point and the number of the arrival that kills."""
    name, colon, number = wanted.partition(":")
    if name not in POINTS or (colon and not (number.isdecimal() and int(number) > 0)):
        raise SetupError(
            f"{wanted!r} names no fault point",
            where=VARIABLE,
            hint=f"Write name or name:n; the names are {', '.join(sorted(POINTS))}.",
        )
    return name, int(number) if colon else 1
