"""Errors of forecasts of refreshes: rows of every step, and seconds of every run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from slackwater.running.results import RunResult


@dataclass(frozen=True, slots=True)
class RunForecast:
    """A run: was its view refreshed before, and by which factors was its forecast wrong."""

    first: bool
    rows: tuple[float, ...]
    seconds: float

    @staticmethod
    def of(result: RunResult, *, first: bool) -> RunForecast:
        """The errors of a run's forecast."""
        told, took = result.estimates.predicted_seconds, result.seconds
        error = max(told, took) / max(min(told, took), 1e-9)
        return RunForecast(first, result.estimates.rows, error)


@dataclass(frozen=True, slots=True)
class ForecastErrors:
    """Factors between told and actual figures: the median, and what nine in ten stay below."""

    rows_median: float
    rows_p90: float
    seconds_median: float
    seconds_p90: float
    runs: int

    def __str__(self) -> str:
        """For a page."""
        return (
            f"rows {self.rows_median:.2f} (90 %: {self.rows_p90:.2f}), "
            f"seconds {self.seconds_median:.2f} (90 %: {self.seconds_p90:.2f}), {self.runs} runs"
        )


def forecast_errors(runs: Iterable[RunForecast], *, first: bool) -> ForecastErrors | None:
    """The errors of runs without a run of their kind before them, or of all others."""
    chosen = [run for run in runs if run.first is first]
    if not chosen:
        return None
    rows = [error for run in chosen for error in run.rows]
    seconds = [run.seconds for run in chosen]
    return ForecastErrors(*_spread(rows), *_spread(seconds), len(chosen))


def _spread(errors: Sequence[float]) -> tuple[float, float]:
    if not errors:
        return 1.0, 1.0
    median, most = np.quantile(errors, (0.5, 0.9))
    return float(median), float(most)
