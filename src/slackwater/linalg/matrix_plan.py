"""Chooses how a program is kept: strategy and iterative model, by price, with the alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from slackwater.errors import MatrixError
from slackwater.linalg.delta_forms import Options, collapse_wide
from slackwater.linalg.dims import Sizes
from slackwater.linalg.matrix_nodes import Power, PowerSum, Recurrence, names_read, walk
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.models import Exponential, Linear, Model, Skip
from slackwater.linalg.normal_form import normalize
from slackwater.linalg.operations import Operation
from slackwater.linalg.pricing import (
    affected,
    evaluation_operations,
    input_operations,
    kept_bytes,
    passing_bytes,
    trigger_operations,
    unbound,
)
from slackwater.linalg.speed import MatrixPrices
from slackwater.linalg.trigger_compiler import compile_program, event_of, find_trigger
from slackwater.linalg.triggers import CompiledProgram


class Strategy(Enum):
    """Ways to meet a change of an input."""

    REEVALUATE = "re-evaluate"
    """Every statement is evaluated again."""
    INCREMENTAL = "incremental"
    """Every matrix changes by thin factors."""
    HYBRID = "hybrid"
    """Factors where they are thin, whole matrices where they are not."""


@dataclass(frozen=True, slots=True)
class Workload:
    """The sizes of the matrices, and how large the changes usually are."""

    sizes: Sizes
    ranks: Sizes
    """The rank by which each input changes, or the rows by which each bag does."""
    together: bool = False
    """True if all these inputs change at once, rather than one after another."""

    def __post_init__(self) -> None:
        """Refuse matrices without numbers, and changes of nothing."""
        if not self.ranks or min((*self.sizes.values(), *self.ranks.values())) < 1:
            raise MatrixError(
                "a workload needs sizes and ranks of at least one",
                hint="Name an input that changes, as in Workload({'n': 1000}, {'A': 1}).",
            )


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to keep a program, and what it costs."""

    strategy: Strategy
    model: Model | None
    compiled: CompiledProgram
    options: Options
    flops: int
    seconds: float
    memory: int

    @property
    def name(self) -> str:
        """The strategy, and the model if there was one to choose."""
        return self.strategy.value if self.model is None else f"{self.strategy.value} {self.model}"


@dataclass(frozen=True, slots=True)
class MatrixPlan:
    """The way chosen, the others, and what they were chosen for."""

    chosen: Candidate
    candidates: tuple[Candidate, ...]
    workload: Workload
    prices: MatrixPrices


def choose_plan(  # noqa: PLR0913 - each argument narrows the choice in another way
    program: Program,
    workload: Workload,
    prices: MatrixPrices | None = None,
    *,
    strategies: Sequence[Strategy] = tuple(Strategy),
    models: Sequence[Model] | None = None,
    memory: int | None = None,
) -> MatrixPlan:
    """The cheapest way to keep a program that fits into `memory` bytes."""
    missing = unbound(program, workload.sizes)
    if missing:
        raise MatrixError(
            f"no number is known for the size {', '.join(missing)}",
            hint="Plans depend on sizes; give every name a number.",
        )
    pricing = _Pricing(workload, prices or MatrixPrices())
    found = [
        candidate
        for model in _models(program, models)
        for candidate in _candidates(program, model, strategies, pricing)
    ]
    ranked = tuple(sorted(found, key=_rank))
    return MatrixPlan(_first_fitting(ranked, memory), ranked, workload, pricing.prices)


def _rank(candidate: Candidate) -> tuple[float, int, int]:
    """Cheapest first; among equals the one that is simplest to understand."""
    return candidate.seconds, candidate.memory, tuple(Strategy).index(candidate.strategy)


def _first_fitting(ranked: Sequence[Candidate], memory: int | None) -> Candidate:
    for each in ranked:
        if memory is None or each.memory <= memory:
            return each
    raise MatrixError(
        f"no way to keep the program fits into {memory:,} bytes",
        hint=f"The smallest needs {min(each.memory for each in ranked):,}.",
    )


def _models(program: Program, models: Sequence[Model] | None) -> list[Model | None]:
    """The models to compare; None alone if the program leaves none open."""
    counts = [
        node.count
        for statement in program.statements
        for node in walk(statement.value)
        if isinstance(node, Power | PowerSum | Recurrence) and node.model is None
    ]
    if not counts:
        return [None]
    if models is not None:
        return list(models)
    skips = [Skip(2**power) for power in range(1, 12) if 2**power < max(counts)]
    return [Linear(), Exponential(), *skips]


@dataclass(frozen=True, slots=True)
class _Pricing:
    """The usual changes, and the prices of operations."""

    workload: Workload
    prices: MatrixPrices

    def sizes(self, program: Program) -> dict[str, int]:
        """Sizes, with ranks as triggers name them; what is not said to change does so by one."""
        changing = (*(each.name for each in program.inputs), *program.bags)
        ranks = {program.rank_name(e): self.workload.ranks.get(e, 1) for e in changing}
        return {**self.workload.sizes, **ranks}

    def groups(self, program: Program) -> list[frozenset[str]]:
        """The inputs that change at once, for each change there is."""
        matrices = [name for name in self.workload.ranks if name not in program.bags]
        bags = [program.inputs_of(bag) for bag in self.workload.ranks if bag in program.bags]
        if self.workload.together and matrices:
            return [frozenset(matrices), *bags]
        return [*(frozenset([name]) for name in matrices), *bags]


def _candidates(
    program: Program, model: Model | None, strategies: Sequence[Strategy], pricing: _Pricing
) -> Iterator[Candidate]:
    normal = normalize(program, model, pricing.workload.sizes)
    for strategy in strategies:
        made = [
            _candidate(strategy, model, normal, options, pricing)
            for options in _options(strategy, normal, pricing)
        ]
        yield min(made, key=lambda each: each.seconds)


def _options(strategy: Strategy, program: Program, pricing: _Pricing) -> list[Options]:
    if strategy is not Strategy.HYBRID:
        return [Options()]
    policy = collapse_wide(pricing.sizes(program))
    read = {name for each in program.statements for name in names_read(each.value)}
    last = frozenset(each.name for each in program.statements if each.name not in read)
    return [Options(policy), Options(policy, anew=last)]


def _candidate(
    strategy: Strategy,
    model: Model | None,
    program: Program,
    options: Options,
    pricing: _Pricing,
) -> Candidate:
    if strategy is Strategy.REEVALUATE:
        compiled = CompiledProgram(program, (), frozenset(program.outputs))
    else:
        compiled = compile_program(program, options)
    work = list(_operations(strategy, compiled, options, pricing))
    sizes = pricing.sizes(program)
    return Candidate(
        strategy,
        model,
        compiled,
        options,
        sum(each.flops for each in work),
        pricing.prices.seconds(work),
        kept_bytes(compiled, sizes) + passing_bytes(compiled, sizes),
    )


def _operations(
    strategy: Strategy, compiled: CompiledProgram, options: Options, pricing: _Pricing
) -> Iterator[Operation]:
    sizes = pricing.sizes(compiled.program)
    for group in pricing.groups(compiled.program):
        if strategy is Strategy.REEVALUATE:
            yield from input_operations(event_of(compiled.program, group), sizes)
            yield from evaluation_operations(compiled, affected(compiled, group), sizes)
        else:
            trigger = find_trigger(compiled, group, options)
            yield from trigger_operations(compiled, trigger, sizes)
