"""Guesses what a program costs, from the sizes of what it reads and the prices of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, assert_never

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.operators import (
    Distinct,
    Expand,
    Generate,
    GroupLimit,
    Join,
    Sort,
    Window,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.plan.observations import Observed
from slackwater.plan.prices import Rates
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Origin,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)

_MOST_WRONG = 20.0
"""A single measurement corrects a price by no more than this factor."""
_INSTANT = 1e-6
_WORK: Mapping[type[Rel], float] = {
    Distinct: 1.0,
    Expand: 0.5,
    Generate: 0.5,
    GroupLimit: 12.0,
    Join: 1.0,
    Sort: 8.0,
    Window: 12.0,
}
"""The work an operator adds to the price of a row in a statement; one aggregate is included."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of what is stored: rows of each file, bytes of all, and rows under one key."""

    files: tuple[int, ...] = ()
    bytes: int = 0
    rows_per_key: float = 1.0

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.files)


class Sizes(Protocol):
    """The sizes that a run knows."""

    def pending(self, source: str) -> Extent:
        """Changes of a source that the run takes in."""

    def contents(self, source: str) -> Extent:
        """All rows of a source."""

    def arrangement(self, arrangement_id: str) -> Extent:
        """State as of the last commit."""

    def observed(self, origin: Origin | None, engine: str | None = None) -> Observed | None:
        """The last run of a step; on any engine, or on one of them."""


def frame_rows(program: Program, sizes: Sizes) -> dict[str, float]:
    """About how many rows each frame has.

    Rows of sources and state are known. Any other step is taken to give as many rows for those
    it reads as it did in the last run; at first, as many as the largest frame it reads.
    """
    rows: dict[str, float] = {}
    add_rows(rows, program.steps, sizes)
    return rows


def add_rows(rows: dict[str, float], steps: Iterable[Step], sizes: Sizes) -> None:
    """Add the rows of the frames of some steps, which read no others than are known or added."""
    different: set[str] = set()
    for step in steps:
        if _is_distinct(step):
            different.add(step.name)
        if not isinstance(step, AppendStep):
            found = _rows(step, rows, sizes)
            if isinstance(step, LookUpStep) and step.input in different and not step.nested:
                # Keys that are all different find no stored row twice.
                found = min(found, sizes.arrangement(step.arrangement.id).rows)
            rows[step.name] = found


def _is_distinct(step: Step) -> bool:
    return isinstance(step, ComputeStep) and isinstance(step.statement.rel, Distinct)


def _rows(step: Step, rows: Mapping[str, float], sizes: Sizes) -> float:
    match step:
        case SourceChangesStep(source=source):
            return sizes.pending(source).rows
        case SourceRowsStep(source=source):
            return sizes.contents(source).rows
        case StateRowsStep(arrangement=arrangement, beside=beside):
            needless = beside is not None and not rows.get(beside, 1.0)
            return 0.0 if needless else sizes.arrangement(arrangement.id).rows
        case LookUpStep(input=read, nested=True):
            return rows[read]
        case LookUpStep(input=read, arrangement=arrangement):
            known = sizes.observed(step.origin)
            if known is not None and known.rows_in:
                return known.scaled(rows[read])
            return rows[read] * sizes.arrangement(arrangement.id).rows_per_key
        case GatherStep(input=read, arrangement=arrangement):
            stored = sizes.arrangement(arrangement.id)
            known = sizes.observed(step.origin)
            if known is not None and known.rows_in:
                return known.gathered(rows[read], stored.rows)
            return rows[read] + min(rows[read] * stored.rows_per_key, stored.rows)
        case ComputeStep():
            return _statement_rows(step, [rows[name] for name in step.reads], sizes)
        case FragmentStep():
            return max((rows[name] for name in step.reads), default=1.0)
        case AppendStep(input=read):
            return rows[read]
        case _:
            assert_never(step)


def _statement_rows(step: ComputeStep, read: list[float], sizes: Sizes) -> float:
    known = sizes.observed(step.origin)
    if known is None or not known.rows_in:
        return max(read, default=1.0)
    return known.grouped(sum(read)) if step.statement.groups else known.scaled(sum(read))


@dataclass(frozen=True, slots=True)
class Handed:
    """Statements of a run on the driver that it hands to Spark, and the price of that."""

    steps: frozenset[str] = frozenset()
    statement: float = 0.0
    """Seconds of each, whatever its rows."""
    row: float = 0.0
    """Seconds for a row that goes there or comes back."""

    def seconds(self, step: ComputeStep, rows: Mapping[str, float]) -> float:
        """About how long Spark takes for one of them, with the way there and back."""
        return self.statement + self.row * (
            rows[step.name] + sum(rows[name] for name in step.reads)
        )


_NOTHING_HANDED = Handed()


def step_seconds(
    program: Program,
    sizes: Sizes,
    rates: Rates,
    handed: Handed = _NOTHING_HANDED,
    slowdown: float = 1.0,
) -> list[float]:
    """About how long each step takes at these rates, corrected by how long it took last.

    Steps of which nothing is known take `slowdown` times their price.
    """
    rows = frame_rows(program, sizes)
    here = _Pricing(sizes, rates, handed)
    return [
        here.seconds(step, rows) * (here.correction(step) or slowdown) for step in program.steps
    ]


def find_slowdown(
    program: Program, sizes: Sizes, rates: Rates, handed: Handed = _NOTHING_HANDED
) -> float:
    """The factor by which the steps of a program took longer than their prices; 1 at least.

    It tells a busy machine, or dear statements, and holds for other steps over the same rows too.
    """
    rows = frame_rows(program, sizes)
    here = _Pricing(sizes, rates, handed)
    known = [
        (here.seconds(step, rows), factor)
        for step in program.steps
        if (factor := here.correction(step)) is not None
    ]
    price = sum(seconds for seconds, _ in known)
    return max(1.0, sum(seconds * factor for seconds, factor in known) / price) if price else 1.0


@dataclass(frozen=True, slots=True)
class _Pricing:
    """Prices of steps in one place."""

    sizes: Sizes
    rates: Rates
    handed: Handed

    def correction(self, step: Step) -> float | None:
        """The factor by which the last price of a step was wrong; None if that is not known."""
        known = self.sizes.observed(step.origin, self.rates.engine)
        if known is None or not known.seconds:
            return None
        reads = dict.fromkeys(step.reads, known.rows_in / max(1, len(step.reads)))
        then = self.seconds(step, {**reads, step.name: known.rows_out})
        return min(_MOST_WRONG, max(1 / _MOST_WRONG, known.seconds / max(then, _INSTANT)))

    def seconds(self, step: Step, rows: Mapping[str, float]) -> float:
        """The price of a step by its kind and rows alone."""
        if isinstance(step, ComputeStep) and step.name in self.handed.steps:
            return self.handed.seconds(step, rows)
        return _seconds(step, rows, self.sizes, self.rates)


def _seconds(step: Step, rows: Mapping[str, float], sizes: Sizes, rates: Rates) -> float:
    match step:
        case SourceChangesStep(source=source):
            return rates.byte * sizes.pending(source).bytes
        case SourceRowsStep(source=source):
            return rates.byte * sizes.contents(source).bytes
        case StateRowsStep(arrangement=arrangement, beside=beside):
            needless = beside is not None and not rows.get(beside, 1.0)
            return 0.0 if needless else rates.byte * sizes.arrangement(arrangement.id).bytes
        case LookUpStep(name=name, input=read, arrangement=arrangement):
            stored = sizes.arrangement(arrangement.id)
            return look_up_seconds(rates, rows[read], rows[name], stored)
        case GatherStep(name=name, input=read, arrangement=arrangement):
            stored = sizes.arrangement(arrangement.id)
            return look_up_seconds(rates, rows[read], rows[name], stored)
        case AppendStep(input=read):
            return rates.write * rows[read]
        case ComputeStep():
            given = sum(rows[name] for name in step.reads)
            return rates.step + rates.row * statement_work(step) * given
        case FragmentStep():
            return rates.step + rates.row * sum(rows[name] for name in step.reads)
        case _:
            assert_never(step)


def statement_work(step: ComputeStep) -> float:
    """The price of a row in a statement, as a multiple of that in an aggregate."""
    statements = (*(each for _, each in step.parts), step.statement)
    return 1.0 + sum(_operator_work(each.rel) for each in statements)


@remembered
def _operator_work(rel: Rel) -> float:
    return sum(_WORK.get(type(each), 0.0) for each in walk_rel(rel))


def look_up_seconds(rates: Rates, keys: float, found: float, stored: Extent) -> float:
    """Looking up keys in every file; in a short one its rows are looked up among the keys."""
    searched = sum(min(keys, rows) for rows in stored.files)
    return rates.file * len(stored.files) + rates.key * searched + rates.match * found


def scan_seconds(rates: Rates, keys: float, found: float, stored: Extent) -> float:
    """Reading all that is stored and joining it with the keys."""
    joined = rates.row * (keys + stored.rows + found)
    return 2 * rates.step + rates.byte * stored.bytes + joined
