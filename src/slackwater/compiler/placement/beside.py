"""Keeps `beside` of stored rows only where it says of each partition what it said of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from slackwater.plan.placed import Reading, Send
from slackwater.plan.program import StateRowsStep, Step


def without_unsafe_besides(
    steps: Sequence[Step], sends: Sequence[Send], first: set[str], readings: Mapping[str, Reading]
) -> list[Step]:
    """The steps; stored rows that another partition may need are read in any case.

    A partition that has no rows of the frame beside them needs no stored rows for what it works
    out itself. What it sends before both have met may be needed elsewhere.
    """
    return [
        replace(step, beside=None)
        if isinstance(step, StateRowsStep)
        and step.beside is not None
        and not _is_safe(step, steps, sends, first, readings)
        else step
        for step in steps
    ]


def _is_safe(
    step: StateRowsStep,
    steps: Sequence[Step],
    sends: Sequence[Send],
    first: set[str],
    readings: Mapping[str, Reading],
) -> bool:
    beside = step.beside
    made = [each.name for each in steps]
    if beside not in made or made.index(beside) > made.index(step.name):
        return False
    if readings[step.name] is Reading.FIRST:
        return beside in first
    own, both = {step.name}, {beside}
    for each in steps:
        if both.intersection(each.reads):
            both.add(each.name)
        elif own.intersection(each.reads):
            own.add(each.name)
    return not any(send.frame in own for send in sends)
