"""A program whose matrices are kept up to date: values in, changes in, values and reports out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from slackwater.linalg.arrays import Array, as_matrix, infer_sizes
from slackwater.linalg.backend import Backend
from slackwater.linalg.bound_changes import (
    BoundChange,
    bag_of,
    bind_factors,
    bind_rows,
    check_factors,
    row_replacement,
)
from slackwater.linalg.drift import DriftMeter, DriftPolicy, DriftReport, MatrixDrift
from slackwater.linalg.factor_batches import check_symmetric, consolidate_rows, fewer_columns
from slackwater.linalg.local.local_backend import LocalBackend
from slackwater.linalg.matrix_plan import MatrixPlan, Strategy, Workload, choose_plan
from slackwater.linalg.matrix_program import InputKind, Program
from slackwater.linalg.pricing import affected
from slackwater.linalg.reports import UpdateReport
from slackwater.linalg.speed import MatrixPrices
from slackwater.linalg.trigger_choice import TriggerChoice
from slackwater.linalg.trigger_runs import (
    Outcome,
    apply_to_inputs,
    bag_sizes,
    evaluate,
    run_trigger,
)
from slackwater.linalg.triggers import CompiledProgram

_EXPECTED_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The rules by which a program is kept."""

    drift: DriftPolicy = field(default_factory=DriftPolicy)
    adaptive: bool = True
    """True if a change is met by re-evaluation where its rank makes that cheaper."""


class MaintainedProgram:
    """Keeps the matrices of a plan on a back end, through changes of its inputs."""

    def __init__(
        self,
        plan: MatrixPlan,
        inputs: Mapping[str, ArrayLike],
        backend: Backend | None = None,
        upkeep: Upkeep | None = None,
    ):
        """Take the inputs and evaluate everything once."""
        upkeep = upkeep or Upkeep()
        self.plan = plan
        self.updates = 0
        self._backend: Backend = backend or LocalBackend()
        self._meter = DriftMeter(self._compiled, self._backend, upkeep.drift)
        self._choice = TriggerChoice(plan, adaptive=upkeep.adaptive)
        self._sizes = self._load(inputs)
        self._net = {bag: float(self._sizes[bag]) for bag in self._compiled.program.bags}
        """The sum of each bag's weights."""
        self.reevaluate()

    @property
    def _compiled(self) -> CompiledProgram:
        return self.plan.chosen.compiled

    @property
    def sizes(self) -> Mapping[str, int]:
        """The numbers that names of sizes stand for, at the moment."""
        return dict(self._sizes)

    def value(self, name: str) -> Array:
        """A copy of an input or a kept matrix."""
        return np.array(self._backend.fetch(name))

    def update(self, name: str, left: ArrayLike, right: ArrayLike) -> UpdateReport:
        """Add `left * right'` to an input."""
        return self.update_many({name: (left, right)})

    def update_many(self, changes: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> UpdateReport:
        """Add products of factors to several inputs at once."""
        factors = check_factors(self._compiled.program, self._sizes, changes)
        trigger = self._choice.trigger(frozenset(factors))

        def price(rank: int) -> float:
            ranks = {self._compiled.program.rank_name(name): rank for name in factors}
            return self._choice.prices(BoundChange(trigger, {}, {**self._sizes, **ranks}, rank))[0]

        thin = {name: fewer_columns(f, price, self.plan.prices) for name, f in factors.items()}
        return self._change(bind_factors(trigger, thin, self._sizes))

    def replace_rows(self, name: str, rows: Mapping[int, ArrayLike]) -> UpdateReport:
        """Give rows of an input new values."""
        return self.update(name, *row_replacement(self._backend.fetch(name), rows, name))

    def change_rows(
        self, rows: Mapping[str, ArrayLike], weights: ArrayLike | None = None
    ) -> UpdateReport:
        """Add rows to a bag, or take them away where their weight is negative.

        All inputs of the bag get as many rows as there are weights; without weights each counts 1.
        """
        program = self._compiled.program
        bag = bag_of(program, next(iter(rows), ""))
        trigger = self._choice.trigger(program.inputs_of(bag))
        change = bind_rows(trigger, rows, weights, self._sizes)
        report = self._change(change)
        self._net[bag] += change.net
        self._consolidate(bag)
        return report

    def reevaluate(self) -> Mapping[str, int]:
        """Evaluate every kept matrix; returns the floating-point operations of each."""
        return self._evaluate(self._compiled.kept)

    def check_drift(self) -> DriftReport:
        """Measure all residuals, and evaluate anew what exceeds the tolerance."""
        tolerance, program = self._meter.policy.tolerance, self._compiled.program
        order = [each.name for each in program.statements if each.name in self._compiled.kept]
        found = [MatrixDrift(name, self._meter.residual(name, self._sizes)) for name in order]
        bad = {each.name for each in found if not each.residual <= tolerance}
        anew = (program.readers(bad) | bad) & self._compiled.kept
        if anew:
            self._evaluate(anew)
        checked = (self._checked_again(each) if each.name in anew else each for each in found)
        return DriftReport(self.updates, tolerance, tuple(checked))

    def _load(self, inputs: Mapping[str, ArrayLike]) -> dict[str, int]:
        program = self._compiled.program
        values = {name: as_matrix(value, f"input {name}") for name, value in inputs.items()}
        for each in program.inputs:
            given = [values[name] for name in program.inputs_of(str(each.shape.rows)) & set(values)]
            if each.kind is InputKind.WEIGHTS and given:
                values[each.name] = np.ones((len(given[0]), 1))
        sizes = infer_sizes(program, values)
        for each in program.inputs:
            if each.kind is InputKind.SYMMETRIC:
                check_symmetric(values[each.name], np.eye(len(values[each.name])), each.name)
            self._backend.store(each.name, values[each.name])
        return sizes

    def _change(self, change: BoundChange) -> UpdateReport:
        """Take the cheaper way, and look after drift when it is time to."""
        strategy, price, other = self._choice.choose(change)
        started = time.perf_counter()
        try:
            outcome = self._run(strategy, change)
        finally:
            self._count_rows()
        seconds = time.perf_counter() - started
        self.updates += 1
        due = self.updates % self._meter.policy.every == 0
        drift = self.check_drift() if due else None
        stale = tuple(outcome.stale)
        return UpdateReport(
            strategy, change.rank, price, other, seconds, outcome.flops, stale, drift
        )

    def _run(self, strategy: Strategy, change: BoundChange) -> Outcome:
        """Run the trigger, or change the inputs and evaluate everything that reads them."""
        if strategy is not Strategy.REEVALUATE:
            return run_trigger(self._compiled, change, self._backend)
        names = affected(self._compiled, change.trigger.event.names)
        with self._backend.transaction():
            outcome = apply_to_inputs(self._compiled, change, self._backend)
            self._count_rows()
            outcome.flops += evaluate(self._compiled, names, self._backend, self._sizes)
        return outcome

    def _evaluate(self, names: frozenset[str]) -> Mapping[str, int]:
        with self._backend.transaction():
            return evaluate(self._compiled, names, self._backend, self._sizes)

    def _checked_again(self, drift: MatrixDrift) -> MatrixDrift:
        return replace(drift, after=self._meter.residual(drift.name, self._sizes))

    def _count_rows(self) -> None:
        """The sizes of bags, after rows came or went."""
        self._sizes |= bag_sizes(self._compiled.program, self._backend)

    def _consolidate(self, bag: str) -> None:
        """Forget rows that were taken away, once they are more than half of what is held."""
        if self._sizes[bag] <= 2 * max(1.0, self._net[bag]):
            return
        weights = self._compiled.program.weights[bag].name
        names = sorted(self._compiled.program.inputs_of(bag) - {weights})
        held = [self._backend.fetch(name) for name in names]
        rows, counts = consolidate_rows(held, self._backend.fetch(weights))
        if len(counts):
            for name, value in zip([*names, weights], [*rows, counts], strict=True):
                self._backend.store(name, value)
            self._count_rows()


def keep_program(
    program: Program,
    inputs: Mapping[str, ArrayLike],
    ranks: Mapping[str, int] | None = None,
    prices: MatrixPrices | None = None,
    upkeep: Upkeep | None = None,
) -> MaintainedProgram:
    """Plan a program for these inputs and keep it on this machine.

    `ranks` says by which rank each input usually changes, or by how many rows each bag; the
    default is one, for every input and bag. The plan is for bags of a hundred thousand rows, or
    of more if they have more now: a bag that is small today grows.
    """
    values = {name: as_matrix(value, f"input {name}") for name, value in inputs.items()}
    sizes = infer_sizes(program, values)
    fixed = [each.name for each in program.inputs if not each.grows]
    usual = ranks or dict.fromkeys([*fixed, *sorted(program.bags)], 1)
    grown = {bag: max(sizes[bag], _EXPECTED_ROWS) for bag in program.bags}
    plan = choose_plan(program, Workload({**sizes, **grown}, usual), prices)
    return MaintainedProgram(plan, values, upkeep=upkeep)
