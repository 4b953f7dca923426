"""Finds frames that are sent by the same hash of the same stored rows, which could be sent instead.

Each of several statements over the changes of a source would rather send its own few columns. The
changes sent once may be fewer bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from slackwater.compiler.placement.frame_prices import Pricing
from slackwater.compiler.placement.modes import KEYED, Choices
from slackwater.compiler.placement.schedule import Schedule


def sent_slots(schedule: Schedule) -> tuple[tuple[int, int], ...]:
    """The frames that are sent, each with the place that it is sent to."""
    chosen = schedule.chosen
    slots = (
        slot
        for mode in (*chosen.modes, *chosen.copies)
        if mode is not None
        for slot in mode.slots
        if not schedule.is_here(slot)
    )
    return tuple(dict.fromkeys((slot.frame, slot.place) for slot in slots))


def moved_bytes(schedule: Schedule, pricing: Pricing) -> float:
    """The bytes that are sent."""
    return sum(pricing.moves[frame][place] for frame, place in sent_slots(schedule))


def with_shared_moves(choices: Choices, pricing: Pricing, schedule: Schedule) -> Pricing | None:
    """Prices by which each of those who could share a move pays its part; None if nobody could."""
    found = Counter(
        choices.steps[frame].roots[place - KEYED]
        for frame, place in sent_slots(schedule)
        if place >= KEYED
    )
    shared = {
        (frame, term): count
        for (frame, term), count in found.items()
        if count > 1 and choices.steps[frame].is_stored
    }
    if not shared:
        return None
    moves = list(pricing.moves)
    for (frame, term), count in shared.items():
        place = KEYED + choices.steps[frame].roots.index((frame, term))
        row = list(moves[frame])
        row[place] /= count
        moves[frame] = tuple(row)
    return replace(pricing, moves=tuple(moves))
