"""What it costs to have the rows of a frame somewhere, in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.operators import Filter
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.placement.modes import (
    ANY,
    AT_FIRST,
    EVERYWHERE,
    PARTIAL,
    Alone,
    Choice,
    Choices,
)
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.plan.program import AppendStep, ComputeStep, StateRowsStep

EXCESS = 1e18
"""Added where more rows would be in every partition than should be."""
_READ_AGAIN = 0.1
"""Reading a byte again, or working on it again, against moving it."""
_ALONE = 0.5
"""Working on a byte in one partition while the others wait."""
_UNKNOWN_GROUPS = 0.5
"""Groups in a partition for each of its rows, as long as nobody knows how many there are."""
_UNKNOWN_SIFTED = 0.9
"""Rows that a condition leaves of each, as long as nobody knows: send what is left."""


@dataclass(frozen=True, slots=True)
class FramePrices:
    """What a frame costs, apart from what it is made of."""

    move: float
    """Sending it to where each row is needed."""
    replicate: float
    """Sending it to every partition."""
    copy: float
    """Reading it or working it out in every partition."""
    alone: float
    """Making it in the first partition for whoever wants it there."""
    undivided: float
    """Making it there although it is wanted anywhere."""


@dataclass(frozen=True, slots=True)
class Pricing:
    """The frames of a program with their rows."""

    rows: tuple[float, ...]
    frames: tuple[FramePrices, ...]
    moves: tuple[tuple[float, ...], ...]
    """By frame and place."""


def price(
    choices: Choices, rows: Mapping[str, float], partitions: int, options: PlacementOptions
) -> Pricing:
    """The prices of all frames, when those that are named have so many rows."""
    found: list[float] = []
    prices: list[FramePrices] = []
    moves: list[tuple[float, ...]] = []
    for choice in choices.steps:
        read = max((found[number] for number in choice.reads[0]), default=1.0)
        most = _rows(choice, read, rows, partitions)
        found.append(most)
        size = most * choice.width
        limit = options.replicated_rows
        beyond = 0.0 if most <= limit else EXCESS
        state = isinstance(choice.step, StateRowsStep)
        copied = size * partitions * _READ_AGAIN
        prices.append(
            FramePrices(
                size,
                size * partitions + beyond,
                copied if state and most <= 10 * limit else copied + beyond,
                *_alone(choice, size, small=max(most, read) <= options.alone_rows),
            )
        )
        row = [size] * (3 + len(choice.terms))
        row[ANY], row[AT_FIRST], row[EVERYWHERE] = 0.0, size, prices[-1].replicate
        moves.append(tuple(row))
    return Pricing(tuple(found), tuple(prices), tuple(moves))


def _rows(choice: Choice, read: float, rows: Mapping[str, float], partitions: int) -> float:
    """About how many rows a frame has if those it is made of have as many as `read`."""
    step = choice.step
    if isinstance(step, AppendStep):
        return read
    single = isinstance(step, ComputeStep) and step.statement.makes_rows
    if choice.is_partial:
        if single:
            return float(partitions)
        final = rows.get(step.name.removesuffix(PARTIAL), read)
        return min(read, final * partitions) if final < read else read * _UNKNOWN_GROUPS
    if step.name in rows:
        return rows[step.name]
    if isinstance(step, ComputeStep) and _sifts(step.statement.rel):
        read *= _UNKNOWN_SIFTED
    return 1.0 if single else read


@remembered
def _sifts(rel: Rel) -> bool:
    return any(isinstance(each, Filter) for each in walk_rel(rel))


def _alone(choice: Choice, size: float, *, small: bool) -> tuple[float, float]:
    """The prices of leaving a step to the first partition."""
    if choice.alone is Alone.ALWAYS:
        return 0.0, 0.0
    cost = size * _ALONE
    beyond = 0.0 if small else EXCESS
    return (cost if choice.alone is Alone.GLADLY else cost + beyond), cost + beyond
