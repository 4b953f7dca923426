"""Runs triggers and statements on a back end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import assert_never

from slackwater.errors import SingularMatrixError
from slackwater.linalg.backend import Backend, Scope
from slackwater.linalg.bound_changes import BoundChange
from slackwater.linalg.dims import Sizes
from slackwater.linalg.factors import compress, guarded_inverse
from slackwater.linalg.matrix_nodes import Expr, Inverse, names_read, walk
from slackwater.linalg.matrix_program import Program, Statement
from slackwater.linalg.operations import compress_flops, inverse_flops
from slackwater.linalg.triggers import (
    Append,
    Apply,
    Assign,
    CompiledProgram,
    Compress,
    Guard,
    Reevaluate,
    Step,
    Trigger,
)


@dataclass(slots=True)
class Outcome:
    """The effects of a trigger or a re-evaluation."""

    flops: Counter[str] = field(default_factory=Counter)
    """Floating-point operations by the name that was computed or updated."""
    stale: list[str] = field(default_factory=list)
    """Matrices that could not be updated and are evaluated anew."""


def run_trigger(compiled: CompiledProgram, change: BoundChange, backend: Backend) -> Outcome:
    """Compute all factors, then change the kept matrices; after an error they are as before."""
    run = _Run(backend, change)
    for step in change.trigger.steps:
        if not isinstance(step, Apply | Append):
            run.prepare(step)
    run.find_stale(change.trigger)
    # An update cannot fail any more. An inverse can, and a transaction copies what it may restore.
    with backend.transaction() if _may_fail(compiled, run.outcome.stale) else nullcontext():
        run.change(change.trigger.steps)
        sizes = {**change.sizes, **bag_sizes(compiled.program, backend)}
        run.outcome.flops += evaluate(compiled, run.outcome.stale, backend, sizes)
    return run.outcome


def _may_fail(compiled: CompiledProgram, stale: list[str]) -> bool:
    anew = needed_statements(compiled.program, set(stale), compiled.kept)
    return any(isinstance(node, Inverse) for each in anew for node in walk(each.value))


def apply_to_inputs(compiled: CompiledProgram, change: BoundChange, backend: Backend) -> Outcome:
    """Change the inputs alone."""
    run = _Run(backend, change)
    inputs = {each.name for each in compiled.program.inputs}
    run.change(
        step
        for step in change.trigger.steps
        if isinstance(step, Append) or (isinstance(step, Apply) and step.view.name in inputs)
    )
    return run.outcome


def bag_sizes(program: Program, backend: Backend) -> dict[str, int]:
    """The rows of each bag, those that cancel out among them."""
    return {bag: backend.height(ref.name) for bag, ref in program.weights.items()}


class _Run:
    """The factors of one run; those that a guard refused, and what needs them, are missing."""

    def __init__(self, backend: Backend, change: BoundChange):
        self.outcome = Outcome()
        self._sizes = dict(change.sizes)
        self._backend = backend
        self._factors = dict(change.parameters)
        self._missing: set[str] = set()

    def prepare(self, step: Assign | Guard | Compress | Reevaluate) -> None:
        """Compute the factors of a step."""
        match step:
            case Assign(target, value):
                self._compute(target.name, value)
            case Guard(target, value):
                self._guard(target.name, value)
            case Compress():
                self._compress(step)
            case Reevaluate(view):
                self.outcome.stale.append(view.name)
            case _:
                assert_never(step)

    def find_stale(self, trigger: Trigger) -> None:
        """Note the matrices that cannot be updated for want of factors."""
        lacking = (each for each in trigger.steps if isinstance(each, Apply) and self._lacks(each))
        self.outcome.stale += [each.view.name for each in lacking]

    def change(self, steps: Iterable[Step]) -> None:
        """Change the matrices whose factors are there."""
        for step in steps:
            match step:
                case Append(given, rows):
                    self._backend.append(given.name, self._factors[rows.name])
                case Apply():
                    if not self._lacks(step):
                        self._add(step)
                case Assign() | Guard() | Compress() | Reevaluate():
                    continue
                case _:
                    assert_never(step)

    def _add(self, step: Apply) -> None:
        scope, compute = Scope(self._factors, self._sizes), self._backend.compute
        name, whole = step.view.name, step.whole
        if whole is not None:
            self._backend.add(name, compute(whole, scope), None)
        else:
            self._backend.add(name, compute(step.left, scope), compute(step.right, scope))
        self.outcome.flops[name] += self._backend.take_flops()

    def _compute(self, name: str, value: Expr) -> None:
        if self._missing & set(names_read(value)):
            self._missing.add(name)
            return
        scope = Scope(self._factors, self._sizes)
        self._factors[name] = self._backend.compute(value, scope)
        self.outcome.flops[name] += self._backend.take_flops()

    def _guard(self, name: str, value: Expr) -> None:
        self._compute(name, value)
        if name in self._missing:
            return
        small = self._factors.pop(name)
        made = guarded_inverse(small)
        self.outcome.flops[name] += inverse_flops(len(small), symmetric=False)
        if made is None:
            self._missing.add(name)
        else:
            self._factors[name] = made

    def _compress(self, step: Compress) -> None:
        names = step.made_left.name, step.made_right.name
        if {step.left.name, step.right.name} & self._missing:
            self._missing.update(names)
            return
        left, right = self._factors[step.left.name], self._factors[step.right.name]
        for name, made in zip(names, compress(left, right), strict=True):
            self._factors[name] = made
            self._sizes[str(step.made_left.shape.cols)] = made.shape[1]
        self.outcome.flops[names[0]] += compress_flops(len(left), len(right), left.shape[1])

    def _lacks(self, step: Apply) -> bool:
        return bool(self._missing & {*names_read(step.left), *names_read(step.right)})


def evaluate(
    compiled: CompiledProgram, names: Iterable[str], backend: Backend, sizes: Sizes
) -> Counter[str]:
    """Evaluate these matrices from their statements; returns the operations each took.

    A matrix that is needed on the way but not kept is dropped after its last reader.
    """
    flops: Counter[str] = Counter()
    order = needed_statements(compiled.program, set(names), compiled.kept)
    readers = Counter(name for each in order for name in set(names_read(each.value)))
    passing = {each.name for each in order} - compiled.kept
    for statement in order:
        _evaluate_one(statement, backend, sizes)
        flops[statement.name] += backend.take_flops()
        for name in set(names_read(statement.value)):
            readers[name] -= 1
            if name in passing and readers[name] == 0:
                backend.drop(name)
    return flops


def needed_statements(
    program: Program, names: set[str], kept: frozenset[str]
) -> tuple[Statement, ...]:
    """The statements of these matrices and of those they read that are not kept, in order."""
    needed = set(names)
    found = []
    for statement in reversed(program.statements):
        if statement.name in needed:
            found.append(statement)
            needed |= set(names_read(statement.value)) - kept
    return tuple(reversed(found))


def _evaluate_one(statement: Statement, backend: Backend, sizes: Sizes) -> None:
    try:
        backend.assign(statement.name, statement.value, Scope({}, sizes))
    except SingularMatrixError as error:
        raise SingularMatrixError(error.what, where=str(statement), hint=error.hint) from None
