"""Leaves out matrices that nobody reads, and the steps that only they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from slackwater.linalg.matrix_nodes import Expr, Product, RowScale, names_read, walk
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.triggers import (
    Append,
    Apply,
    Assign,
    Compress,
    Guard,
    Reevaluate,
    Step,
    Trigger,
)


def kept_matrices(program: Program, triggers: Sequence[Trigger]) -> frozenset[str]:
    """Outputs, what triggers read, and sums over rows, which are costly to evaluate again."""
    kept = set(program.outputs)
    for trigger in triggers:
        kept |= trigger.reads
        for each in trigger.reevaluated:
            kept |= {each.view.name, *names_read(program.definitions[each.view.name].value)}
    kept |= {each.name for each in program.statements if _sums_rows(each.value)}
    return frozenset(kept & program.definitions.keys())


def _sums_rows(value: Expr) -> bool:
    return any(
        isinstance(each, Product) and isinstance(each.right, RowScale) for each in walk(value)
    )


def without_unread(trigger: Trigger, kept: frozenset[str]) -> Trigger:
    """The trigger without updates of matrices that are not kept, nor factors only they need."""
    inputs = trigger.event.names
    steps = [
        each
        for each in trigger.steps
        if not isinstance(each, Apply) or each.view.name in kept | inputs
    ]
    needed: set[str] = set()
    made: list[Step] = []
    for step in reversed(steps):
        if _is_needed(step, needed):
            needed |= _step_reads(step)
            made.append(step)
    return Trigger(trigger.event, tuple(reversed(made)))


def _is_needed(step: Step, needed: set[str]) -> bool:
    match step:
        case Assign(target) | Guard(target):
            return target.name in needed
        case Compress(_, _, left, right):
            return bool({left.name, right.name} & needed)
        case Apply() | Append() | Reevaluate():
            return True
        case _:
            assert_never(step)


def _step_reads(step: Step) -> set[str]:
    match step:
        case Assign(_, value) | Guard(_, value):
            return set(names_read(value))
        case Compress(left, right):
            return {left.name, right.name}
        case Apply(_, left, right):
            return {*names_read(left), *names_read(right)}
        case Append() | Reevaluate():
            return set()
        case _:
            assert_never(step)
