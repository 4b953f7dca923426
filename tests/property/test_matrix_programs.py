"""Kept matrices equal direct evaluation: random programs, shapes, ranks and histories of changes.

The tolerance follows from the numbers: an error may be a small multiple of the rounding unit
times the norm that a matrix would have if nothing in it cancelled, where an inverse counts with
what an error of the inverted matrix does to it (`tests/unit/linalg/direct.py`). Past values
count as well, as their errors stay: the largest such bound of the history is taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slackwater.frontend.linalg.matrices import (
    Matrix,
    ProgramBuilder,
    eye,
    hstack,
    iterate,
    power_sum,
    powers,
    vstack,
)
from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.drift import DriftPolicy
from slackwater.linalg.maintained import MaintainedProgram, Upkeep
from slackwater.linalg.matrix_plan import Strategy, Workload, choose_plan
from slackwater.linalg.matrix_program import InputKind, Program
from slackwater.linalg.models import Exponential, Linear, Skip

from ..unit.linalg.direct import Estimate, evaluate_directly
from ..unit.linalg.samples import Array

_EXAMPLES = int(os.environ.get("SLACKWATER_EXAMPLES", "0"))
_TOLERANCE = 1e-12
"""Some 5,000 times the rounding unit: matrices have up to 7 rows, histories up to 5 changes."""
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
_MODELS = st.sampled_from([None, Linear(), Exponential(), Skip(2), Skip(3)])

Draw = Callable[[st.SearchStrategy[object]], object]


@dataclass(frozen=True)
class Case:
    """A program with numbers, how it is kept, and the seed of its history."""

    program: Program
    sizes: dict[str, int]
    strategy: Strategy
    adaptive: bool
    ranks: tuple[int, ...]
    seed: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = {name: draw(st.integers(1, 7)) for name in ("n", "p")}
    sizes["m"] = sizes["n"] + draw(st.integers(1, 9))
    return Case(
        program=draw(programs()),
        sizes=sizes,
        strategy=draw(st.sampled_from(list(Strategy))),
        adaptive=draw(st.booleans()),
        ranks=tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


@st.composite
def programs(draw: st.DrawFn) -> Program:
    b = ProgramBuilder()
    known = [
        b.input("A", "n", "n"),
        b.input("B", "n", "p"),
        b.input("S", "n", "n", InputKind.SYMMETRIC),
    ]
    x, y = b.input("X", "m", "n", InputKind.ROWS), b.input("Y", "m", "p", InputKind.ROWS)
    for number in range(draw(st.integers(1, 5))):
        make = draw(st.sampled_from([*_STEPS, _row_sum(x, y)]))
        known.append(b.let(f"M{number}", make(draw, known)))
    return b.build(*(str(each) for each in known[3:]))


def _any(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    made = draw(st.sampled_from(known))
    return made.T if draw(st.booleans()) else made


def _square(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    made = draw(st.sampled_from([each for each in known if each.shape == known[0].shape]))
    return made.T if draw(st.booleans()) else made


def _product(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    left = _any(draw, known)
    turned = [each.T for each in known]
    fitting = [each for each in (*known, *turned) if each.shape.rows == left.shape.cols]
    return left @ draw(st.sampled_from(fitting))


def _sum(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    left = _any(draw, known)
    turned = [each.T for each in known]
    right = draw(st.sampled_from([e for e in (*known, *turned) if e.shape == left.shape]))
    return left + draw(st.sampled_from([-2.0, 0.5, 1.0])) * right


def _long_product(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    return _square(draw, known) @ (_square(draw, known) + eye("n")) @ _product(draw, known[:1])


def _inverse(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    inner = _square(draw, known)
    return (inner @ inner.T + eye("n")).inv()


def _plain_inverse(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    return known[1].T @ (known[0] + 4 * eye("n")).inv() @ _square(draw, known)


def _blocks(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    square, wide = _square(draw, known), known[1]
    beside = hstack([square, wide])
    return beside @ vstack([wide, wide.T @ wide]) if draw(st.booleans()) else beside


def _powers(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    form = draw(st.sampled_from([powers, power_sum]))
    return form(_square(draw, known), draw(st.integers(1, 5)), draw(_MODELS))


def _iterate(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
    base, count = _square(draw, known), draw(st.integers(1, 5))
    return iterate(lambda t: 0.5 * base @ t + known[1], count, known[1], draw(_MODELS))


def _row_sum(x: Matrix, y: Matrix) -> Callable[[st.DrawFn, list[Matrix]], Matrix]:
    def make(draw: st.DrawFn, known: list[Matrix]) -> Matrix:
        kind = draw(st.integers(0, 3))
        if kind == 0:
            return x.T @ x
        if kind == 1:
            return (x.T @ x + eye("n")).inv() @ x.T @ y
        if kind == 2:
            return y.T @ (y - x @ known[1])
        return x.T @ (x @ _square(draw, known))

    return make


_STEPS = [
    _product,
    _sum,
    _long_product,
    _inverse,
    _plain_inverse,
    _blocks,
    _powers,
    _iterate,
]


@dataclass
class History:
    """The inputs as they should be, and the changes that make them so."""

    random: np.random.Generator
    inputs: dict[str, Array]
    bounds: dict[str, float] = field(default_factory=dict)

    def change(self, kept: MaintainedProgram, rank: int) -> None:
        """Change some inputs, in this copy and in the kept program."""
        kind = self.random.integers(4)
        if kind == 0:
            self._change_rows(kept, rank)
        elif kind == 1:
            row, new = self._row(), 0.5 * self.random.standard_normal(len(self.inputs["A"]))
            self.inputs["A"] = self.inputs["A"].copy()
            self.inputs["A"][row] = new
            kept.replace_rows("A", {row: new})
        else:
            names = self.random.permutation(["A", "B", "S"])[: self.random.integers(1, 4)]
            kept.update_many({str(name): self._factors(str(name), rank) for name in names})

    def _row(self) -> int:
        return int(self.random.integers(len(self.inputs["A"])))

    def _factors(self, name: str, rank: int) -> tuple[Array, Array]:
        rows, cols = self.inputs[name].shape
        left = 0.3 * self.random.standard_normal((rows, rank))
        right = left if name == "S" else self.random.standard_normal((cols, rank))
        self.inputs[name] = self.inputs[name] + left @ right.T
        return left, right

    def _change_rows(self, kept: MaintainedProgram, count: int) -> None:
        if self.random.integers(2) and len(self.inputs["X"]) > count:
            gone = {name: self.inputs[name][:count] for name in "XY"}
            self.inputs |= {name: self.inputs[name][count:] for name in "XY"}
            kept.change_rows(gone, -np.ones(count))
            return
        more = {
            name: self.random.standard_normal((count, self.inputs[name].shape[1])) for name in "XY"
        }
        self.inputs |= {name: np.vstack([self.inputs[name], more[name]]) for name in "XY"}
        kept.change_rows(more)

    def check(self, kept: MaintainedProgram, program: Program) -> None:
        """Every output is what it should be, within what rounding explains."""
        wanted = evaluate_directly(program, self.inputs, kept.sizes)
        for name in program.outputs:
            self._check_one(name, kept.value(name), wanted[name])

    def _check_one(self, name: str, found: Array, wanted: Estimate) -> None:
        bound = self.bounds[name] = max(wanted.bound, self.bounds.get(name, 0.0))
        error = float(np.linalg.norm(found - wanted.value))
        assert error <= _TOLERANCE * bound, f"{name}: {error} of {bound}"


def check_case(case: Case) -> None:
    """Keep the program through its history and compare after every change."""
    random, sizes = np.random.default_rng(case.seed), case.sizes
    n, p, m = sizes["n"], sizes["p"], sizes["m"]
    symmetric = random.standard_normal((n, n))
    inputs = {
        "A": 0.5 * random.standard_normal((n, n)) / np.sqrt(n),
        "B": random.standard_normal((n, p)),
        "S": (symmetric + symmetric.T) / 4,
        "X": random.standard_normal((m, n)),
        "Y": random.standard_normal((m, p)),
    }
    workload = Workload(sizes, {"A": 1, "B": 1, "S": 1, "m": 1})
    plan = choose_plan(case.program, workload, strategies=[case.strategy], models=[Exponential()])
    upkeep = Upkeep(DriftPolicy(every=10**6), case.adaptive)
    kept, history = MaintainedProgram(plan, inputs, upkeep=upkeep), History(random, dict(inputs))
    history.check(kept, case.program)
    for rank in case.ranks:
        history.change(kept, rank)
        history.check(kept, case.program)


@settings(max_examples=_EXAMPLES or 120, derandomize=True, **_PATIENT)
@given(case=cases())
def test_kept_matrices_equal_direct_evaluation(case: Case) -> None:
    check_case(case)


@pytest.mark.deep
@settings(max_examples=_EXAMPLES or 5_000, **_PATIENT)
@given(case=cases())
def test_kept_matrices_equal_direct_evaluation_at_length(case: Case) -> None:
    check_case(case)


@settings(max_examples=_EXAMPLES or 200, derandomize=True, **_PATIENT)
@given(program=programs())
def test_programs_read_back_the_same(program: Program) -> None:
    assert parse_program(str(program)) == program
