"""Gives every step the number of its block."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.compiler.placement.frame_prices import Pricing
from slackwater.compiler.placement.modes import ANY, AT_FIRST, EVERYWHERE, Choices, Mode, Slot
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.compiler.placement.search import Chosen


@dataclass(slots=True)
class Schedule:
    """The blocks in which frames are made, and where their rows are then."""

    choices: Choices
    chosen: Chosen
    own: list[int]
    """The block of each step."""
    copies: list[int]
    """The block in which every partition makes all of a frame."""
    at_first: list[bool] = field(default_factory=list)
    """Steps that only the first partition takes."""

    def is_here(self, slot: Slot) -> bool:
        """Whether nothing has to be sent for a slot."""
        if slot.place == EVERYWHERE:
            return not self.chosen.sent_everywhere[slot.frame]
        mode = self.chosen.modes[slot.frame]
        stored = self.choices.steps[slot.frame].is_stored
        return (
            slot.place == ANY
            or (stored and slot.place == AT_FIRST)
            or (mode is not None and slot.place in mode.gives)
        )

    def ready(self, slot: Slot) -> int:
        """The first block in which a step can read there."""
        if slot.place == EVERYWHERE and self.is_here(slot):
            return self.copies[slot.frame]
        return self.own[slot.frame] + (not self.is_here(slot))


def schedule(
    choices: Choices, chosen: Chosen, pricing: Pricing, options: PlacementOptions
) -> Schedule:
    """The least block for every step; later ones where less has to be kept meanwhile."""
    size = len(choices.steps)
    found = Schedule(choices, chosen, [0] * size, [0] * size, [False] * size)
    block = 0
    for number in range(size):
        for mode, blocks in (
            (chosen.copies[number], found.copies),
            (chosen.modes[number], found.own),
        ):
            if mode is None or not mode.slots:
                continue
            least = max(map(found.ready, mode.slots))
            if not options.fuse:
                sent = any(not found.is_here(slot) for slot in mode.slots)
                least = block = max(least, block + sent)
            blocks[number] = least
        found.at_first[number] = _is_at_first(found, number)
    if options.fuse:
        _sink(found, pricing)
    return found


def _is_at_first(found: Schedule, number: int) -> bool:
    mode = found.chosen.modes[number]
    if mode is None:
        return False
    return mode.first or (
        bool(mode.slots)
        and all(
            slot.place == AT_FIRST or (slot.place == ANY and found.at_first[slot.frame])
            for slot in mode.slots
        )
    )


def _sink(found: Schedule, pricing: Pricing) -> None:
    """Move steps to later blocks where what they read is kept more cheaply than what they make."""
    size = len(found.own)
    never = max(found.own, default=0) + 1
    latest, latest_copy = [never] * size, [never] * size
    kept = _keeping(found, pricing)
    for number in reversed(range(size)):
        for mode, blocks, limit in (
            (found.chosen.modes[number], found.own, latest),
            (found.chosen.copies[number], found.copies, latest_copy),
        ):
            if mode is None:
                continue
            if limit[number] < never and _read_for(found, mode, kept) < pricing.frames[number].move:
                blocks[number] = max(blocks[number], limit[number])
            for slot in mode.slots:
                here = found.is_here(slot)
                bounds = latest_copy if slot.place == EVERYWHERE and here else latest
                by = blocks[number] - (not here)
                bounds[slot.frame] = min(bounds[slot.frame], by)


def _keeping(found: Schedule, pricing: Pricing) -> list[float]:
    """What it costs to have each frame one block longer: kept itself, or made later."""
    kept: list[float] = []
    for number, frame in enumerate(pricing.frames):
        mode = found.chosen.modes[number] or found.chosen.copies[number]
        later = 0.0 if mode is None else _read_for(found, mode, kept)
        kept.append(min(frame.move, later))
    return kept


def _read_for(found: Schedule, mode: Mode, kept: list[float]) -> float:
    """What it costs to have what a mode reads one block longer; stored rows are read again."""
    return sum(
        kept[slot.frame]
        for slot in mode.slots
        if not (found.choices.steps[slot.frame].is_stored and found.is_here(slot))
    )
