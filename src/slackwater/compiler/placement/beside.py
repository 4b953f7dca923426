"""Stored rows that are read only beside the rows of another frame.

In a partition that has no rows of that frame they need not be read, if whatever reads them joins
them with that frame's rows of the same partition. Otherwise the frame has to be where all of the
stored rows are, or everywhere, before it is known whether they are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.algebra.operators import Join
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.placement.unfuse import scans_of
from slackwater.plan.program import ComputeStep, StateRowsStep, Step


def awaited_frames(steps: Iterable[Step]) -> Mapping[str, str]:
    """The stored rows of which it must be known first whether the frame beside them is empty."""
    known = tuple(steps)
    found = {}
    for step in known:
        if isinstance(step, StateRowsStep) and step.beside is not None:
            beside = step.beside
            readers = [each for each in known if step.name in each.reads]
            if not all(_joins(each, step.name, beside) for each in readers):
                found[step.name] = beside
    return found


def _joins(step: Step, name: str, beside: str) -> bool:
    """Tell if a statement reads two frames only to join them."""
    if not isinstance(step, ComputeStep):
        return False
    joined = sum(
        _reads(one, name) and _reads(other, beside)
        for each in walk_rel(step.statement.rel)
        if isinstance(each, Join)
        for one, other in (each.inputs, each.inputs[::-1])
    )
    return joined == sum(scan.source == name for scan in scans_of(step.statement.rel))


def _reads(rel: Rel, name: str) -> bool:
    return any(scan.source == name for scan in scans_of(rel))
