"""Places programs: the door of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from slackwater.compiler.placement.analysis import SourceKeys, analyse
from slackwater.compiler.placement.block_writer import build
from slackwater.compiler.placement.frame_prices import Pricing, price
from slackwater.compiler.placement.modes import Choices
from slackwater.compiler.placement.placement_options import DEFAULT_OPTIONS, PlacementOptions
from slackwater.compiler.placement.schedule import Schedule, schedule
from slackwater.compiler.placement.search import Chosen, choose
from slackwater.compiler.placement.shared_moves import moved_bytes, with_shared_moves
from slackwater.plan.placed import PlacedProgram
from slackwater.plan.program import FragmentStep, Program


@dataclass(frozen=True, slots=True)
class NotPlaced:
    """A program that does not fall into blocks."""

    reason: str


def place(
    program: Program,
    rows: Mapping[str, float],
    sources: SourceKeys,
    partitions: int,
    options: PlacementOptions = DEFAULT_OPTIONS,
) -> PlacedProgram | NotPlaced:
    """The blocks of a program whose frames have about so many rows."""
    return Placer().place(program, rows, sources, partitions, options)


class Placer:
    """Places programs, and remembers what it found out about them."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: WeakKeyDictionary[Program, _Known] = WeakKeyDictionary()

    def place(
        self,
        program: Program,
        rows: Mapping[str, float],
        sources: SourceKeys,
        partitions: int,
        options: PlacementOptions = DEFAULT_OPTIONS,
    ) -> PlacedProgram | NotPlaced:
        """The blocks of a program; the very same value as long as the same choices are best."""
        for step in program.steps:
            if isinstance(step, FragmentStep):
                return NotPlaced("a part of a plan that Spark runs whole")
        known = self._known.get(program)
        if known is None or known.sources != sources:
            known = self._known[program] = _Known(sources, analyse(program, sources), {})
        choices = known.choices
        pricing = price(choices, rows, partitions, options)
        placed = _scheduled(choices, pricing, options)
        key = (_key(placed.chosen), *placed.own, *placed.copies, options.eliminate)
        if key not in known.built:
            known.built[key] = build(choices, placed, share=options.eliminate)
        return known.built[key]


def _scheduled(choices: Choices, pricing: Pricing, options: PlacementOptions) -> Schedule:
    """The best of two tries: each frame sent for itself, and those that can together."""
    first = schedule(choices, choose(choices, pricing, options), pricing, options)
    shared = with_shared_moves(choices, pricing, first) if options.eliminate else None
    if shared is None:
        return first
    second = schedule(choices, choose(choices, shared, options), pricing, options)
    return min(first, second, key=lambda each: (max(each.own), moved_bytes(each, pricing)))


@dataclass(slots=True)
class _Known:
    """What is known of a program."""

    sources: SourceKeys
    choices: Choices
    built: dict[object, PlacedProgram]


def _key(chosen: Chosen) -> object:
    return tuple(chosen.modes), tuple(chosen.copies), tuple(chosen.sent_everywhere)
