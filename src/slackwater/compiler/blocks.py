"""Fuses statements: one that only another statement reads becomes part of it."""

from __future__ import annotations

from slackwater.compiler.pruning import prune
from slackwater.plan.program import ComputeStep, Program, StateRowsStep
from slackwater.plan.statements import Statement


def fuse(program: Program) -> Program:
    """The same program with fewer statements; each keeps the name of its last one.

    Columns that nothing reads are left out of them.

    Fewer statements are fewer round trips to Spark's analyser, and let its optimizer see
    across what rules wrote apart.
    """
    uses = program.uses()
    readers = {name: step for step in program.steps for name in step.reads}
    looked_at = {step.beside for step in program.steps if isinstance(step, StateRowsStep)}
    inlined = {
        step.name
        for step in program.steps
        if isinstance(step, ComputeStep)
        and uses[step.name] == 1
        and step.name not in program.once
        and step.name not in looked_at
        and isinstance(readers[step.name], ComputeStep)
    }
    by_name = {step.name: step for step in program.steps if isinstance(step, ComputeStep)}
    steps = []
    for step in program.steps:
        if step.name in inlined:
            continue
        steps.append(_fused(step, by_name, inlined) if isinstance(step, ComputeStep) else step)
    return Program(tuple(steps), program.once, program.unstable)


def _fused(step: ComputeStep, by_name: dict[str, ComputeStep], inlined: set[str]) -> ComputeStep:
    parts: list[tuple[str, Statement]] = []
    _collect(step, by_name, inlined, parts)
    whole = prune(step.statement, step.statement.names)
    kept: list[tuple[str, Statement]] = []
    for name, part in reversed(parts):
        wanted = ComputeStep(step.name, whole, tuple(kept)).needs[name]
        kept.insert(0, (name, prune(part, wanted)))
    return ComputeStep(step.name, whole, tuple(kept), origin=step.origin)


def _collect(
    step: ComputeStep,
    by_name: dict[str, ComputeStep],
    inlined: set[str],
    parts: list[tuple[str, Statement]],
) -> None:
    """Add the statements inside a fused one, inputs first."""
    for name in step.reads:
        if name in inlined:
            _collect(by_name[name], by_name, inlined, parts)
            parts.append((name, by_name[name].statement))
