"""Guesses what a program costs, from the sizes of what it reads and the prices of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, assert_never

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


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is stored: the rows of each file, the bytes of all, and rows under one key."""

    files: tuple[int, ...] = ()
    bytes: int = 0
    rows_per_key: float = 1.0

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.files)


class Sizes(Protocol):
    """What a run knows of the size of things."""

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
    for step in program.steps:
        if not isinstance(step, AppendStep):
            rows[step.name] = _rows(step, rows, sizes)
    return rows


def _rows(step: Step, rows: Mapping[str, float], sizes: Sizes) -> float:
    match step:
        case SourceChangesStep(source=source):
            return sizes.pending(source).rows
        case SourceRowsStep(source=source):
            return sizes.contents(source).rows
        case StateRowsStep(arrangement=arrangement, beside=beside):
            needless = beside is not None and not rows[beside]
            return 0.0 if needless else sizes.arrangement(arrangement.id).rows
        case LookUpStep(input=read, nested=True):
            return rows[read]
        case LookUpStep(input=read, arrangement=arrangement):
            known = sizes.observed(step.origin)
            if known is not None and known.rows_in:
                return known.scaled(rows[read])
            return rows[read] * sizes.arrangement(arrangement.id).rows_per_key
        case GatherStep(input=read, arrangement=arrangement):
            known = sizes.observed(step.origin)
            if known is not None and known.rows_in:
                return known.scaled(rows[read])
            stored = sizes.arrangement(arrangement.id)
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


def step_seconds(program: Program, sizes: Sizes, rates: Rates) -> list[float]:
    """About how long each step takes at these rates, corrected by how long it took last."""
    rows = frame_rows(program, sizes)
    return [_corrected(step, rows, sizes, rates) for step in program.steps]


def _corrected(step: Step, rows: Mapping[str, float], sizes: Sizes, rates: Rates) -> float:
    """The price of a step times the factor by which its last price was wrong."""
    price = _seconds(step, rows, sizes, rates)
    known = sizes.observed(step.origin, rates.engine)
    if known is None or not known.seconds:
        return price
    reads = dict.fromkeys(step.reads, known.rows_in / max(1, len(step.reads)))
    then = _seconds(step, {**reads, step.name: known.rows_out}, sizes, rates)
    return price * min(_MOST_WRONG, max(1 / _MOST_WRONG, known.seconds / max(then, _INSTANT)))


def _seconds(step: Step, rows: Mapping[str, float], sizes: Sizes, rates: Rates) -> float:
    match step:
        case SourceChangesStep(source=source):
            return rates.byte * sizes.pending(source).bytes
        case SourceRowsStep(source=source):
            return rates.byte * sizes.contents(source).bytes
        case StateRowsStep(arrangement=arrangement):
            return rates.byte * sizes.arrangement(arrangement.id).bytes
        case LookUpStep(name=name, input=read, arrangement=arrangement):
            stored = sizes.arrangement(arrangement.id)
            return look_up_seconds(rates, rows[read], rows[name], stored)
        case GatherStep(name=name, input=read, arrangement=arrangement):
            stored = sizes.arrangement(arrangement.id)
            return look_up_seconds(rates, rows[read], rows[name], stored)
        case AppendStep(input=read):
            return rates.write * rows[read]
        case ComputeStep() | FragmentStep():
            return rates.step + rates.row * sum(rows[name] for name in step.reads)
        case _:
            assert_never(step)


def look_up_seconds(rates: Rates, keys: float, found: float, stored: Extent) -> float:
    """Looking up keys in every file; in a short one its rows are looked up among the keys."""
    searched = sum(min(keys, rows) for rows in stored.files)
    return rates.file * len(stored.files) + rates.key * searched + rates.match * found


def scan_seconds(rates: Rates, keys: float, found: float, stored: Extent) -> float:
    """Reading all that is stored and joining it with the keys."""
    joined = rates.row * (keys + stored.rows + found)
    return 2 * rates.step + rates.byte * stored.bytes + joined
