"""The figures of `bench shapes`, what they add up to, and what they should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from slackwater.bench.machine import Cost, Machine, typical
from slackwater.bench.plain import PlainSetup
from slackwater.bench.refresh_report import geometric_mean
from slackwater.bench.runs import RunCost, typical_run
from slackwater.bench.shape_home import ShapeRun
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.targets import Target
from slackwater.workloads.event_changes import ChangeKind

FIGURES = ("seconds", "cpu", "with_ingest")
"""Figures of a refresh as parts of recomputation; the last is of seconds too."""
_MEANS = {0.0002: 0.10, 0.01: 0.25}
_WORST, _FILL = 1.1, 1.5
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Change:
    """The kind and size of the changes behind one median."""

    kind: ChangeKind
    share: float

    def __str__(self) -> str:
        """For a report.

        >>> print(Change(ChangeKind.MIXED, 0.0002))
        mixed 0.02%
        """
        return f"{self.kind.value} {self.share * 100:g}%"


@dataclass(frozen=True, slots=True)
class ShapesPlan:
    """The views, changes and numbers of runs of a measurement."""

    rows: int
    shapes: tuple[Shape, ...]
    shares: tuple[float, ...] = (0.0002, 0.01)
    kinds: tuple[ChangeKind, ...] = (ChangeKind.INSERTS, ChangeKind.MIXED)
    repeat: int = 3
    """Recomputations, and changes of each kind and size, behind each median."""
    engine: str = "auto"
    verify: bool = False
    limit: float = 600.0
    """Seconds that a fill, a refresh, or all recomputations together may take."""
    sizes: tuple[int, ...] = ()
    """Rows of the logs among which growth is measured; then `rows` is not used."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """All kinds, each in all sizes."""
        return tuple(Change(kind, share) for kind in self.kinds for share in self.shares)


@dataclass(frozen=True, slots=True)
class ChangeFigures:
    """Refreshes after changes of one kind and size; costs are medians."""

    changed_rows: int
    ingest: Cost
    refresh: RunCost
    engines: tuple[str, ...]
    actions: tuple[str, ...]
    reasons: tuple[str, ...]
    """The reasons for these actions."""
    parts: Mapping[str, float]
    """Seconds by kind of work, medians too."""

    @property
    def main_part(self) -> str:
        """The kind of work that took most of the time, with its share of it."""
        if not self.parts:
            return ""
        name = max(self.parts, key=lambda each: self.parts[each])
        return f"{name} {self.parts[name] / max(self.refresh.seconds, _LEAST):.0%}"


def usual_change(ingests: Sequence[Cost], runs: Sequence[ShapeRun]) -> ChangeFigures:
    """The figures of several changes of one kind and size."""
    names = dict.fromkeys(name for run in runs for name in run.parts)
    return ChangeFigures(
        round(median(each.rows for each in ingests)),
        typical(ingests),
        typical_run([run.cost for run in runs]),
        tuple(sorted({run.engine for run in runs})),
        tuple(sorted({run.action for run in runs})),
        tuple(dict.fromkeys(run.reason for run in runs if run.reason)),
        {name: median(run.parts.get(name, 0.0) for run in runs) for name in names},
    )


@dataclass(frozen=True, slots=True)
class ShapeFigures:
    """One view, as far as it came; costs are medians but for the fill and the reading."""

    name: str
    title: str
    recompute: Cost | None = None
    duckdb: Cost | None = None
    """None as well where DuckDB cannot run the query."""
    fill: ShapeRun | None = None
    state_bytes: int = 0
    """State of the view and of those below it, answers included."""
    refreshes: Mapping[Change, ChangeFigures] = field(default_factory=dict)
    read: Cost | None = None
    exact: bool | None = None
    """True if plain Spark gives the same answer in the end; None if nobody looked."""
    difference: str = ""
    problem: str = ""
    """The reason why the rest is missing: an error, or that it took too long."""

    @property
    def fill_ratio(self) -> float | None:
        """Seconds of the first fill as a multiple of those of recomputation."""
        if self.fill is None or self.recompute is None:
            return None
        return self.fill.cost.seconds / max(self.recompute.seconds, _LEAST)

    def ratio(self, change: Change, figure: str = "seconds") -> float | None:
        """A figure of a refresh as a part of the same figure of recomputation."""
        return self._part(change, figure, self.recompute)

    def duckdb_ratio(self, change: Change) -> float | None:
        """Seconds of a refresh as a part of those of DuckDB's recomputation."""
        return self._part(change, "seconds", self.duckdb)

    def _part(self, change: Change, figure: str, whole: Cost | None) -> float | None:
        found = self.refreshes.get(change)
        if found is None or whole is None:
            return None
        if figure == "with_ingest":
            ours, figure = found.ingest.seconds + found.refresh.seconds, "seconds"
        else:
            ours = float(getattr(found.refresh, figure))
        return ours / max(float(getattr(whole, figure)), _LEAST)

    @property
    def slowest_change(self) -> Change | None:
        """The change whose refresh is the largest part of recomputation."""
        ratios = {change: self.ratio(change) or 0.0 for change in self.refreshes}
        return max(ratios, key=lambda each: ratios[each], default=None)


@dataclass(frozen=True, slots=True)
class ShapesReport:
    """All figures of one measurement; a mean is over the views that have the figure."""

    plan: ShapesPlan
    plain: PlainSetup
    ingest_seconds: Mapping[str, float]
    """Seconds by table, for all its rows before the first change."""
    source_bytes: int
    views: tuple[ShapeFigures, ...]
    machine: Machine

    def mean(self, change: Change, figure: str = "seconds") -> float:
        """The geometric mean of a figure after changes of one kind and size."""
        return geometric_mean(_known(view.ratio(change, figure) for view in self.views))

    def duckdb_mean(self, change: Change) -> float:
        """The geometric mean of refreshes in recomputations by DuckDB."""
        return geometric_mean(_known(view.duckdb_ratio(change) for view in self.views))

    def worst(self, change: Change) -> tuple[float, str]:
        """The largest part of recomputation that a refresh takes, and the view."""
        found = ((view.ratio(change), view.name) for view in self.views)
        return max(((each, name) for each, name in found if each is not None), default=(0.0, ""))

    @property
    def fill_mean(self) -> float:
        """The geometric mean of first fills, in recomputations."""
        return geometric_mean(_known(view.fill_ratio for view in self.views))

    @property
    def fill_worst(self) -> float:
        """The slowest first fill, in recomputations."""
        return max(_known(view.fill_ratio for view in self.views), default=0.0)

    @property
    def failed(self) -> tuple[str, ...]:
        """The views that were wrong, raised an error or took too long."""
        return tuple(view.name for view in self.views if view.problem or view.exact is False)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets for the sizes of change that were measured."""
        return tuple(self._targets())

    def _targets(self) -> Iterator[Target]:
        for change in self.plan.changes:
            if change.share in _MEANS:
                name = f"geometric mean of seconds, {change}"
                yield Target(name, _MEANS[change.share], self.mean(change))
        worst = max((self.worst(change)[0] for change in self.plan.changes), default=0.0)
        yield Target("seconds of the worst view, in recomputations", _WORST, worst)
        yield Target("geometric mean of first fills, in recomputations", _FILL, self.fill_mean)
        yield Target("views that failed", 0.0, len(self.failed))


def _known(ratios: Iterator[float | None]) -> list[float]:
    return [each for each in ratios if each is not None]
