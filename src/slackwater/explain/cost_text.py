"""The text of what a run did and cost: where its time went, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from slackwater.explain.status import HistoryRow
from slackwater.plan.prices import DRIVER, SPARK
from slackwater.running.results import FAILED

_WIDTH = 40
_CPU = {
    "driver_cpu_seconds": "driver's Python",
    "jvm_cpu_seconds": "driver's Java",
    "executor_cpu_seconds": "tasks in Java",
    "worker_cpu_seconds": "Python workers",
}
_AMOUNTS = {
    "rows_read": "rows read",
    "bytes_read": "bytes read",
    "rows_shuffled": "rows shuffled",
    "bytes_shuffled": "bytes shuffled",
    "rows_written": "rows of state written",
    "state_bytes_written": "bytes of state written",
}
_SPARK = {
    "jobs": "Spark jobs",
    "stages": "stages",
    "tasks": "tasks",
    "exchanges": "exchanges between blocks",
    "bytes_exchanged": "bytes exchanged",
}
_WHERE = {DRIVER: ", on the driver", SPARK: ", in Spark"}
_LEFT = {DRIVER: "not done on the driver", SPARK: "not done in blocks"}


def cost_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """The measurements of a run, longest part first within each phase.

    Seconds of tasks, which run side by side, have no bars: they are no parts of the whole.

    >>> run = {"wall_seconds": 2.0, "phases": {"planning": 0.5, "computing": 1.5},
    ...     "task_parts": {"Java": 2.5, "Python": 0.5}, "jvm_cpu_seconds": 1.5, "rows_read": 1200,
    ...     "left_to_spark": ["a column of type double"], "engine": "driver"}
    >>> for line in cost_lines(run):
    ...     print(line.rstrip())
    2.00 s in all, on the driver
      planning                    0.50 s  ##########
      computing                   1.50 s  ##############################
        Java                      2.50 s of tasks
        Python                    0.50 s of tasks
    processor seconds: driver's Java 1.50
    rows read 1,200
    not done on the driver: a column of type double
    """
    wall = float(metrics.get("wall_seconds", 0.0))
    engine = metrics.get("engine", "")
    yield f"{wall:.2f} s in all{_WHERE.get(engine, '')}"
    for phase, seconds in metrics.get("phases", {}).items():
        yield _bar(f"  {phase}", seconds, wall)
        if phase == "on the driver":
            for part, spent in _longest_first(metrics.get("parts", {})):
                yield _bar(f"    {part}", spent, wall)
        if phase == "computing":
            for part, spent in _longest_first(metrics.get("task_parts", {})):
                yield f"{_timed(f'    {part}', spent)} of tasks"
    used = {title: metrics.get(name, 0.0) for name, title in _CPU.items()}
    shown = ", ".join(f"{title} {seconds:.2f}" for title, seconds in used.items() if seconds)
    yield f"processor seconds: {shown or 'none'}"
    yield _counted(metrics, _AMOUNTS) or "no rows"
    if metrics.get("jobs"):
        yield _counted(metrics, _SPARK)
    for reason in metrics.get("left_to_spark", ()):
        yield f"{_LEFT.get(engine, _LEFT[DRIVER])}: {reason}"


def view_lines(row: HistoryRow) -> Iterator[str]:
    """The text of what a run did with one view, and what else it could have done."""
    how = "failed" if row.action == FAILED else f"{row.action} by commit {row.commit}"
    yield f"view {row.view}: {how}, {row.reason}"
    for each in row.candidates:
        where = f" on {each.engine}" if each.engine else ""
        about = f", about {each.seconds:.2f} s{where}" if each.seconds is not None else ""
        yield f"  could be {each.action}: touches {each.rows:,} rows{about}"
    if row.regret:
        yield f"  regret: {row.regret:.2f} s could have been saved by keeping it the other way"


def run_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """The text of a run's cost, which is one for all views."""
    yield "the run, of all views together:"
    yield from cost_lines(metrics)


def _longest_first(parts: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(
        ((kind, spent) for kind, spent in parts.items() if spent), key=lambda each: -each[1]
    )


def _counted(metrics: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    counts = {title: metrics.get(name, 0) for name, title in titles.items()}
    return ", ".join(f"{title} {count:,}" for title, count in counts.items() if count)


def _bar(title: str, seconds: float, wall: float) -> str:
    share = seconds / wall if wall else 0.0
    return f"{_timed(title, seconds)}  {'#' * round(_WIDTH * min(share, 1.0))}"


def _timed(title: str, seconds: float) -> str:
    return f"{title:<28}{seconds:>6.2f} s"
