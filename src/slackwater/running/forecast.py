"""Forecasts of runs: rows of every frame and seconds in all, and how good they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from slackwater.plan.costs import Sizes, frame_rows
from slackwater.plan.observations import Observed, q_error
from slackwater.plan.prices import Rates
from slackwater.plan.program import AppendStep, Origin, Program

FIXED = Origin("run", "fixed")
"""Stands for the time of a run beside its steps: planning, committing, waiting for the disk."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expectation of a program: rows of every frame, and seconds in all."""

    rows: Mapping[str, float]
    seconds: float

    @staticmethod
    def of(program: Program, sizes: Sizes, rates: Rates, seconds: Sequence[float]) -> Forecast:
        """The forecast from what is known before the run: the seconds of each step."""
        known = sizes.observed(FIXED, rates.engine)
        fixed = rates.start if known is None else known.seconds
        return Forecast(frame_rows(program, sizes), fixed + sum(seconds))

    def q_errors(self, actual: Mapping[str, Observed]) -> tuple[float, ...]:
        """The factors between expected and actual rows of the frames that were counted."""
        return tuple(
            q_error(rows, actual[name].rows_out)
            for name, rows in self.rows.items()
            if name in actual
        )


@dataclass(frozen=True, slots=True)
class Estimates:
    """The errors of a run's forecast."""

    rows: tuple[float, ...] = ()
    """Factors between expected and actual rows, by frame."""
    predicted_seconds: float = 0.0

    def as_dict(self) -> dict[str, float | None]:
        """For the history."""
        return {
            "rows_q_error": median(self.rows) if self.rows else None,
            "predicted_seconds": self.predicted_seconds,
        }


def by_origin(
    program: Program, actual: Mapping[str, Observed], seconds: float
) -> dict[Origin, Observed]:
    """The observations of a run by the steps of operators that they are about.

    `seconds` are those of the whole run; its fixed part is known if its steps were timed.
    """
    found: dict[Origin, Observed] = {}
    timed = sum(each.seconds for each in actual.values())
    if timed:
        found[FIXED] = Observed(0, 0, max(0.0, seconds - timed))
    for step in program.steps:
        name = f"+{step.name}" if isinstance(step, AppendStep) else step.name
        if step.origin is not None and name in actual:
            found[step.origin] = actual[name]
    return found
