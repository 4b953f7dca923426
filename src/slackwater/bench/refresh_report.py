"""The figures of `bench refresh`, what they add up to, and what they should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from slackwater.bench.forecasts import ForecastErrors, RunForecast, forecast_errors
from slackwater.bench.machine import Cost, Machine
from slackwater.bench.plain import PlainSetup
from slackwater.bench.runs import RunCost
from slackwater.bench.targets import Target
from slackwater.workloads.corpus import CorpusQuery

LARGE_SCALE = 10
"""From this scale factor on fixed costs count for little, and more is asked for."""
RATIOS = ("seconds", "cpu", "rows", "with_ingest")
"""Figures of a refresh as parts of recomputation; the last is of seconds too."""
_SMALL, _LARGE = 0.001, 0.01
_MEANS_AT_LARGE_SCALE = {_SMALL: 0.10, _LARGE: 0.20}
_LOAD_AT_LARGE_SCALE = 2.5
_MEAN, _WORST = 0.35, 1.0


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """The views and changes to measure, and the number of measurements."""

    scale: float
    queries: tuple[CorpusQuery, ...]
    shares: tuple[float, ...] = (_SMALL, _LARGE)
    repeat: int = 5
    """Recomputations behind each median."""
    refreshes: int = 5
    """Changes of each size that are measured, after those that warm up."""
    warm_ups: int = 0
    loads: int = 5
    """The number of first fills of each view."""
    verify: bool = False
    cached: bool = False
    """True if plain Spark has the tables in its memory."""
    doubles: bool = False
    """True if every DECIMAL column is a DOUBLE."""


@dataclass(frozen=True, slots=True)
class ShareFigures:
    """Refreshes after changes of one size; costs are medians."""

    changed_rows: int
    ingest: Cost
    refresh: RunCost
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ViewFigures:
    """One view; costs are medians."""

    name: str
    recompute: Cost
    load: RunCost
    refreshes: Mapping[float, ShareFigures]
    merging: Cost
    """The cost of merging in the background while no refresh was measured."""
    state_bytes: int
    """Bytes that the view keeps, its answer included."""
    exact: bool | None
    """True if plain Spark gives the same answer in the end; None if nobody looked."""
    forecasts: tuple[RunForecast, ...] = ()
    """The forecast of each refresh beside what happened."""

    @property
    def load_ratio(self) -> float:
        """Seconds of the first fill as a multiple of those of recomputation."""
        return self.load.seconds / max(self.recompute.seconds, 1e-9)

    def ratio(self, share: float, figure: str) -> float:
        """A figure of a refresh as a part of the same figure of recomputation."""
        found = self.refreshes[share]
        if figure == "with_ingest":
            ours, figure = found.ingest.seconds + found.refresh.seconds, "seconds"
        else:
            ours = float(getattr(found.refresh, figure))
        return ours / max(float(getattr(self.recompute, figure)), 1e-9)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks that a reader of the figures should know."""
        return tuple(self._remarks())

    def _remarks(self) -> Iterator[str]:
        if self.exact is False:
            yield "WRONG"
        if self.load.remark:
            yield f"first load: {self.load.remark}"
        for share, each in self.refreshes.items():
            others = [action for action in each.actions if action != "incremental"]
            if others:
                yield f"{share:.2%}: {', '.join(others)}"
            if each.refresh.remark:
                yield f"{share:.2%}: {each.refresh.remark}"


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """All figures of one measurement."""

    plan: RefreshPlan
    plain: PlainSetup
    ingest_seconds: Mapping[str, float]
    """Seconds by table, for all its rows before the first change."""
    source_bytes: int
    """Bytes of the tables in the home, before the first change."""
    views: tuple[ViewFigures, ...]
    machine: Machine
    means: Mapping[float, Mapping[str, float]] = field(init=False)
    """The geometric mean of the ratios over all views, by share of changed rows."""

    def __post_init__(self) -> None:
        """Sum up."""
        means = {
            share: {
                figure: geometric_mean([view.ratio(share, figure) for view in self.views])
                for figure in RATIOS
            }
            for share in self.plan.shares
        }
        object.__setattr__(self, "means", means)

    @property
    def load_mean(self) -> float:
        """The geometric mean of first loads, in recomputations."""
        return geometric_mean([view.load_ratio for view in self.views])

    @property
    def load_worst(self) -> float:
        """The slowest first load, in recomputations."""
        return max((view.load_ratio for view in self.views), default=0.0)

    def forecast(self, *, first: bool) -> ForecastErrors | None:
        """Errors of forecasts: of the first refresh of each view, or of all later ones."""
        runs = (each for view in self.views for each in view.forecasts)
        return forecast_errors(runs, first=first)

    def ingest(self, share: float) -> float:
        """Usual seconds to take in a change of that size; it is the same for every view."""
        return median(view.refreshes[share].ingest.seconds for view in self.views)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets at this scale factor, for the sizes of change that were measured."""
        return tuple(self._targets()) if self.views else ()

    def _targets(self) -> Iterator[Target]:
        if self.plan.scale < LARGE_SCALE:
            if _SMALL in self.means:
                mean = self.means[_SMALL]["seconds"]
                worst = max(view.ratio(_SMALL, "seconds") for view in self.views)
                yield Target(f"geometric mean of seconds at {_SMALL:.1%}", _MEAN, mean)
                yield Target(f"seconds of the worst view at {_SMALL:.1%}", _WORST, worst)
            return
        for share, limit in _MEANS_AT_LARGE_SCALE.items():
            if share in self.means:
                means = self.means[share]
                yield Target(f"geometric mean of seconds at {share:.1%}", limit, means["seconds"])
                yield Target(f"geometric mean of cpu at {share:.1%}", limit, means["cpu"])
        yield Target("slowest first load, in recomputations", _LOAD_AT_LARGE_SCALE, self.load_worst)


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean of ratios, none of which counts as less than a millionth.

    >>> round(geometric_mean([0.5, 2.0]), 6)
    1.0
    """
    return float(np.exp(np.mean(np.log(np.maximum(ratios, 1e-6))))) if ratios else 0.0
