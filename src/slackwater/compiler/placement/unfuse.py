"""Takes fused statements apart, so that an exchange can come between any two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from slackwater.algebra.operators import Scan
from slackwater.algebra.rel import Rel
from slackwater.plan.program import ComputeStep, Program, Step
from slackwater.plan.statements import Statement


def unfuse(program: Program) -> Iterator[Step]:
    """The steps of a program with every statement on its own."""
    for step in program.steps:
        if isinstance(step, ComputeStep) and step.parts:
            for name, statement in step.parts:
                yield ComputeStep(name, statement)
            yield ComputeStep(step.name, step.statement, origin=step.origin)
        else:
            yield step


def with_frames(statement: Statement, names: tuple[str, ...]) -> Statement:
    """The statement over other frames: one name for each of its scans, from left to right."""
    scans = scans_of(statement.rel)
    if tuple(each.source for each in scans) == names:
        return statement
    return replace(statement, rel=_over(statement.rel, iter(names)))


def scans_of(rel: Rel) -> tuple[Scan, ...]:
    """The scans of a relation, from left to right."""
    if isinstance(rel, Scan):
        return (rel,)
    return tuple(scan for each in rel.inputs for scan in scans_of(each))


def _over(rel: Rel, names: Iterator[str]) -> Rel:
    if isinstance(rel, Scan):
        return replace(rel, source=next(names))
    return rel.with_inputs(tuple(_over(each, names) for each in rel.inputs))
