"""Matrix programs kept up to date, beside evaluating them again: rank-1 changes of rows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyspark

from slackwater.bench.machine import Machine, machine_here
from slackwater.bench.targets import Target
from slackwater.frontend.linalg.ready import matrix_power, ordinary_least_squares, reachability
from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.arrays import Array
from slackwater.linalg.drift import DriftPolicy
from slackwater.linalg.local.measure import measure_prices
from slackwater.linalg.maintained import MaintainedProgram, Upkeep
from slackwater.linalg.matrix_plan import MatrixPlan, Strategy, Workload, choose_plan
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.models import Exponential, Linear, Model, Skip
from slackwater.linalg.speed import MatrixPrices

LEAST_SQUARES, POWERS, SUMS, GENERAL, BATCHES = (
    "least squares",
    "powers",
    "sums of powers",
    "T = A T + B",
    "batches",
)
AGAIN, KEPT = Strategy.REEVALUATE, Strategy.INCREMENTAL
"""The strategies that reports compare."""
STRATEGIES = tuple(Strategy)
_LEAST_SQUARES_GAIN, _POWERS_GAIN = 8.0, 20.0
_PATIENCE = 60.0
"""Seconds after which what has been measured so far is enough."""
_MODELS = (Linear(), Exponential(), Skip(4))
_NO_DRIFT = DriftPolicy(every=10**9)
"""Checks for drift would be measured along with the change they happen to follow."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LinalgPlan:
    """The sizes, the number of steps, and the number of measurements of each."""

    sizes: tuple[int, ...] = (500, 1_000, 2_000, 4_000)
    steps: int = 16
    general_size: int = 2_000
    widths: tuple[int, ...] = (1, 10, 100, 1_000)
    batch_size: int = 1_000
    ranks: tuple[int, ...] = (1, 3, 10, 30, 100, 300, 1_000)
    updates: int = 5
    """Updates behind each median, after one to warm up."""
    evaluations: int = 3
    """Re-evaluations behind each median."""
    pricing_size: int = 1_000
    """Rows of the matrices by which the prices are measured."""


@dataclass(frozen=True, slots=True)
class LinalgFigures:
    """One program kept in one way; seconds are medians of changes."""

    case: str
    size: int
    width: int
    rank: int
    strategy: str
    model: str | None
    seconds: float
    measured: int
    """The number of changes behind the median; fewer than asked for if they take a minute."""
    predicted: float
    flops: int
    memory: int
    residual: float
    """The largest of all kept matrices in the end."""


@dataclass(frozen=True, slots=True)
class LinalgReport:
    """All figures of one measurement."""

    plan: LinalgPlan
    prices: MatrixPrices
    figures: tuple[LinalgFigures, ...]
    choices: Mapping[str, str]
    """The choices of the cost model, by case and width or rank."""
    threads: str
    """The number of threads BLAS may use; on a busy machine one is quicker than many."""
    machine: Machine

    def find(self, case: str, strategy: Strategy, **wanted: object) -> LinalgFigures | None:
        """The figures with these properties, the quickest if there are several."""
        found = [
            each
            for each in self.figures
            if each.case == case
            and each.strategy == strategy.value
            and all(getattr(each, name) == value for name, value in wanted.items())
        ]
        return min(found, key=lambda each: each.seconds, default=None)

    def gain(self, case: str, **wanted: object) -> float:
        """Seconds of re-evaluation over those of the incremental strategy, both at best."""
        again = self.find(case, Strategy.REEVALUATE, **wanted)
        kept = self.find(case, Strategy.INCREMENTAL, **wanted)
        return again.seconds / kept.seconds if again and kept else 0.0

    @property
    def takes_over(self) -> tuple[int | None, int | None]:
        """The smallest rank at which re-evaluation is quicker, as measured and as predicted."""
        measured = predicted = None
        for rank in sorted(self.plan.ranks, reverse=True):
            again = self.find(BATCHES, Strategy.REEVALUATE, rank=rank)
            kept = self.find(BATCHES, Strategy.INCREMENTAL, rank=rank)
            if again and kept:
                measured = rank if again.seconds < kept.seconds else measured
                predicted = rank if again.predicted < kept.predicted else predicted
        return measured, predicted

    @property
    def targets(self) -> tuple[Target, ...]:
        """The gains that the largest matrices should have."""
        size = max(self.plan.sizes)
        return tuple(
            Target(
                f"{case}, n = {size:,}, times as fast as re-evaluation",
                limit,
                self.gain(case, size=size),
                at_least=True,
            )
            for case, limit in ((LEAST_SQUARES, _LEAST_SQUARES_GAIN), (POWERS, _POWERS_GAIN))
        )


def measure_linalg(plan: LinalgPlan, say: Say) -> LinalgReport:
    """Measure every program, in every way it can be kept."""
    load_before = os.getloadavg()
    say("measuring how fast this machine multiplies")
    bench = _Bench(plan, measure_prices(plan.pricing_size), say, {})
    figures = tuple(bench.all())
    machine = machine_here(pyspark.__version__, load_before)
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "all")
    return LinalgReport(plan, bench.prices, figures, bench.choices, threads, machine)


@dataclass(frozen=True, slots=True)
class _Case:
    """A program with its inputs, and the input whose rows change."""

    name: str
    program: Program
    inputs: Mapping[str, Array]
    sizes: Mapping[str, int]
    changed: str
    rank: int = 1

    @property
    def workload(self) -> Workload:
        """For the planner."""
        return Workload(self.sizes, {self.changed: self.rank})


@dataclass(frozen=True, slots=True)
class _Bench:
    """The plan of a measurement, its prices, and who is told."""

    plan: LinalgPlan
    prices: MatrixPrices
    say: Say
    choices: dict[str, str]

    def all(self) -> Iterator[LinalgFigures]:
        """Every case after the other."""
        for size in self.plan.sizes:
            yield from self._in_ways(_least_squares(size), (None,))
        for size in self.plan.sizes:
            yield from self._in_ways(_powers(size, self.plan.steps), _MODELS)
        for size in self.plan.sizes:
            yield from self._in_ways(_sums(size, self.plan.steps), (Exponential(),))
        for width in self.plan.widths:
            yield from self._general(width)
        for rank in self.plan.ranks:
            case = _powers(self.plan.batch_size, self.plan.steps, BATCHES, rank)
            self._note(f"{BATCHES}, rank {rank}", self._choose(case))
            yield from self._in_ways(case, (Exponential(),))

    def _in_ways(self, case: _Case, models: Iterable[Model | None]) -> Iterator[LinalgFigures]:
        for model in models:
            for strategy in (Strategy.INCREMENTAL, Strategy.REEVALUATE):
                yield self._figures(case, self._choose(case, strategy, model))

    def _general(self, width: int) -> Iterator[LinalgFigures]:
        """Each strategy in the model that the planner finds best for it."""
        case = _general(self.plan.general_size, width, self.plan.steps)
        self._note(f"{GENERAL}, p = {width}", self._choose(case))
        for strategy in Strategy:
            yield self._figures(case, self._choose(case, strategy))

    def _note(self, what: str, plan: MatrixPlan) -> None:
        self.choices[what] = plan.chosen.name
        self.say(f"{what}: the planner chooses {plan.chosen.name}")

    def _choose(
        self, case: _Case, strategy: Strategy | None = None, model: Model | None = None
    ) -> MatrixPlan:
        strategies = tuple(Strategy) if strategy is None else (strategy,)
        models = None if model is None else (model,)
        return choose_plan(
            case.program, case.workload, self.prices, strategies=strategies, models=models
        )

    def _figures(self, case: _Case, plan: MatrixPlan) -> LinalgFigures:
        kept = MaintainedProgram(plan, case.inputs, upkeep=Upkeep(_NO_DRIFT, adaptive=False))
        anew = plan.chosen.strategy is Strategy.REEVALUATE
        seconds, flops = _changes(
            kept, case, self.plan.evaluations if anew else self.plan.updates + 1
        )
        measured = seconds if anew else seconds[1:]
        chosen = plan.chosen
        found = LinalgFigures(
            case.name,
            case.sizes["n"],
            case.sizes.get("p", 0),
            case.rank,
            chosen.strategy.value,
            None if chosen.model is None else str(chosen.model),
            median(measured),
            len(measured),
            chosen.seconds,
            flops,
            chosen.memory,
            kept.check_drift().largest,
        )
        self.say(_line(found))
        return found


def _line(found: LinalgFigures) -> str:
    how = f"{found.strategy} {found.model}" if found.model else found.strategy
    where = f"n = {found.size:,}" + (f", p = {found.width:,}" if found.width else "")
    return f"{found.case}, {where}, rank {found.rank}, {how}: {found.seconds:.4f} s"


def _changes(kept: MaintainedProgram, case: _Case, count: int) -> tuple[list[float], int]:
    """Seconds of each of some changes of rows, and the operations of the last."""
    random = np.random.default_rng(1)
    rows, cols = case.inputs[case.changed].shape
    seconds, flops = [], 0
    for _ in range(count):
        left = np.zeros((rows, case.rank))
        left[random.choice(rows, case.rank, replace=False), range(case.rank)] = 1.0
        right = 0.1 * random.standard_normal((cols, case.rank)) / np.sqrt(cols)
        started = time.perf_counter()
        report = kept.update(case.changed, left, right)
        seconds.append(time.perf_counter() - started)
        flops = report.total_flops
        if sum(seconds) > _PATIENCE and len(seconds) > 1:
            break
    return seconds, flops


def _contraction(size: int) -> Array:
    """A matrix whose powers neither vanish nor explode."""
    made: Array = np.random.default_rng(size).standard_normal((size, size))
    made /= 1.25 * np.sqrt(size)
    return made


def _least_squares(size: int) -> _Case:
    """Square predictors and one response, as in the paper's figure 6.3, kept well conditioned."""
    random = np.random.default_rng(size)
    predictors = 2.0 * np.eye(size) + _contraction(size)
    inputs = {"X": predictors, "Y": random.standard_normal((size, 1))}
    sizes = {"m": size, "n": size, "p": 1}
    return _Case(LEAST_SQUARES, ordinary_least_squares(rows=False), inputs, sizes, "X")


def _powers(size: int, steps: int, name: str = POWERS, rank: int = 1) -> _Case:
    inputs = {"A": _contraction(size)}
    return _Case(name, matrix_power(steps), inputs, {"n": size}, "A", min(rank, size))


def _sums(size: int, steps: int) -> _Case:
    inputs = {"A": _contraction(size)}
    return _Case(SUMS, reachability(steps - 1), inputs, {"n": size}, "A")


def _general(size: int, width: int, steps: int) -> _Case:
    text = f"input A(n, n); input B(n, p); R := iterate(T = A * T + B, {steps}, from B);"
    offset = np.random.default_rng(width).standard_normal((size, width))
    inputs = {"A": _contraction(size), "B": offset}
    return _Case(GENERAL, parse_program(text), inputs, {"n": size, "p": width}, "A")
