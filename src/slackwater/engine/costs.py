"""Where the time of a run went, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_WIDTH = 40
_CPU = {
    "driver_cpu_seconds": "driver",
    "executor_cpu_seconds": "Java",
    "worker_cpu_seconds": "Python workers",
}
_AMOUNTS = {
    "rows_read": "rows read",
    "rows_shuffled": "rows shuffled",
    "rows_written": "rows of state written",
    "state_bytes_written": "bytes of state written",
    "jobs": "Spark jobs",
    "stages": "stages",
    "tasks": "tasks",
}


def cost_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """The measurements of a run, longest part first within each phase.

    >>> run = {"wall_seconds": 2.0, "phases": {"planning": 0.5, "on the driver": 1.5},
    ...     "parts": {"statements": 1.0}, "driver_cpu_seconds": 1.5, "rows_read": 1200}
    >>> for line in cost_lines(run):
    ...     print(line.rstrip())
    2.00 s in all
      planning                    0.50 s  ##########
      on the driver               1.50 s  ##############################
        statements                1.00 s  ####################
    processor seconds: driver 1.50
    rows read 1,200
    """
    wall = float(metrics.get("wall_seconds", 0.0))
    yield f"{wall:.2f} s in all"
    parts = metrics.get("parts", {})
    for phase, seconds in metrics.get("phases", {}).items():
        yield _bar(f"  {phase}", seconds, wall)
        if phase == "on the driver":
            for part, spent in sorted(parts.items(), key=lambda each: -each[1]):
                yield _bar(f"    {part}", spent, wall)
    used = {title: metrics.get(name, 0.0) for name, title in _CPU.items()}
    shown = ", ".join(f"{title} {seconds:.2f}" for title, seconds in used.items() if seconds)
    yield f"processor seconds: {shown or 'none'}"
    amounts = {title: metrics.get(name, 0) for name, title in _AMOUNTS.items()}
    yield ", ".join(f"{title} {count:,}" for title, count in amounts.items() if count) or "no rows"


def _bar(title: str, seconds: float, wall: float) -> str:
    share = seconds / wall if wall else 0.0
    return f"{title:<28}{seconds:>6.2f} s  {'#' * round(_WIDTH * min(share, 1.0))}"
