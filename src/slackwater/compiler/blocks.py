"""Fuses statements: one that only another statement reads becomes part of it."""

from __future__ import annotations

from slackwater.plan.program import Program, SqlStep, StateRowsStep


def fuse(program: Program) -> Program:
    """The same program with fewer statements; each keeps the name of its last one.

    Fewer statements are fewer round trips to Spark's analyser, and let its optimizer see
    across what rules wrote apart.
    """
    uses = program.uses()
    readers = {name: step for step in program.steps for name in step.reads}
    looked_at = {step.beside for step in program.steps if isinstance(step, StateRowsStep)}
    inlined = {
        step.name
        for step in program.steps
        if isinstance(step, SqlStep)
        and uses[step.name] == 1
        and step.name not in program.once
        and step.name not in looked_at
        and isinstance(readers[step.name], SqlStep)
    }
    by_name = {step.name: step for step in program.steps if isinstance(step, SqlStep)}
    steps = []
    for step in program.steps:
        if step.name in inlined:
            continue
        steps.append(_fused(step, by_name, inlined) if isinstance(step, SqlStep) else step)
    return Program(tuple(steps), program.once, program.unstable)


def _fused(step: SqlStep, by_name: dict[str, SqlStep], inlined: set[str]) -> SqlStep:
    parts: list[SqlStep] = []
    reads: list[str] = []
    _collect(step, by_name, inlined, parts, reads)
    if not parts:
        return step
    tables = ",\n".join(f"  {part.name} AS ({part.sql})" for part in parts)
    return SqlStep(step.name, f"WITH\n{tables}\n{step.sql}", tuple(dict.fromkeys(reads)))


def _collect(
    step: SqlStep,
    by_name: dict[str, SqlStep],
    inlined: set[str],
    parts: list[SqlStep],
    reads: list[str],
) -> None:
    """The statements inside a fused one, inputs first, and the frames they read from outside."""
    for name in step.inputs:
        if name in inlined:
            _collect(by_name[name], by_name, inlined, parts, reads)
            parts.append(by_name[name])
        else:
            reads.append(name)
