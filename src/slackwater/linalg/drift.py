"""Measures how far kept matrices have drifted from their statements by rounding.

A statement `V := E` is held against random vectors x: the residual |V x - E x| / |E x| takes as
many operations as multiplying by vectors, never a product of matrices. For an inverse
`W := inv(Z)` it is |Z (W x) - x| / |x|, which says directly what the inverse is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import MatrixError
from slackwater.linalg.arrays import Array
from slackwater.linalg.backend import Backend, Scope
from slackwater.linalg.build import product, rebuilt
from slackwater.linalg.delta import times
from slackwater.linalg.dims import Shape, Sizes, dim
from slackwater.linalg.matrix_nodes import Expr, Inverse, Ref
from slackwater.linalg.matrix_program import Program, Statement
from slackwater.linalg.naming import Names
from slackwater.linalg.triggers import CompiledProgram

_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True)
class DriftPolicy:
    """When drift is measured, and how much of it is borne."""

    every: int = 100
    """Updates between two checks."""
    tolerance: float = 1e-8
    """A matrix with a larger residual is evaluated anew."""
    probes: int = 2
    """Random vectors for each check."""

    def __post_init__(self) -> None:
        """Refuse a schedule that never comes, and a tolerance that nothing meets."""
        if self.every < 1 or self.probes < 1 or not self.tolerance > 0:
            raise MatrixError(
                "a drift policy needs at least one update between checks, one probe and a "
                "tolerance above zero"
            )


@dataclass(frozen=True, slots=True)
class MatrixDrift:
    """The residual of one matrix, and what it is after the matrix was evaluated anew."""

    name: str
    residual: float
    after: float | None = None


@dataclass(frozen=True, slots=True)
class DriftReport:
    """All residuals of one check."""

    updates: int
    """The number of updates before it."""
    tolerance: float
    matrices: tuple[MatrixDrift, ...]

    @property
    def largest(self) -> float:
        """The worst residual that was found, before anything was done about it."""
        return max((each.residual for each in self.matrices), default=0.0)

    @property
    def reevaluated(self) -> tuple[str, ...]:
        """The matrices that were evaluated anew."""
        return tuple(each.name for each in self.matrices if each.after is not None)

    def __str__(self) -> str:
        """One line for each matrix."""
        lines = [f"after {self.updates:,} updates; tolerance {self.tolerance:.0e}"]
        for each in self.matrices:
            anew = "" if each.after is None else f", evaluated anew: {each.after:.1e}"
            lines.append(f"  {each.name}: residual {each.residual:.1e}{anew}")
        return "\n".join(lines)


class DriftMeter:
    """Computes residuals of a compiled program's matrices."""

    def __init__(self, compiled: CompiledProgram, backend: Backend, policy: DriftPolicy):
        """Residuals are thin expressions over kept matrices, made once."""
        self.policy = policy
        self._compiled = compiled
        self._backend = backend
        self._name = Names(compiled.program.names).fresh("probe")
        self._random = np.random.default_rng(0)

    def residual(self, name: str, sizes: Sizes) -> float:
        """The distance of a kept matrix from what its statement says."""
        statement = self._compiled.program.definitions[name]
        wide = statement.value.shape.cols
        vectors = self._random.standard_normal((wide.value(sizes), self.policy.probes))
        scope = Scope({self._name: vectors}, sizes)
        probe = Ref(self._name, Shape(wide, dim(self.policy.probes)))
        got, wanted = (
            vectors if expr is None else self._backend.compute(expr, scope)
            for expr in self._sides(statement, probe)
        )
        self._backend.take_flops()
        return _relative(got, wanted)

    def _sides(self, statement: Statement, probe: Ref) -> tuple[Expr, Expr | None]:
        """Two expressions that should be equal; None stands for the probe itself."""
        inlined = _inlined(statement.value, self._compiled.program, self._compiled.kept)
        kept = product(statement.ref, probe)
        if isinstance(inlined, Inverse):
            return times(inlined.child, kept), None
        return kept, times(inlined, probe)


def _relative(got: Array, wanted: Array) -> float:
    size = max(float(np.linalg.norm(got)), float(np.linalg.norm(wanted)), _TINY)
    return float(np.linalg.norm(got - wanted)) / size


def _inlined(expr: Expr, program: Program, kept: frozenset[str]) -> Expr:
    """The expression in terms of inputs and kept matrices only."""
    if isinstance(expr, Ref):
        definition = program.definitions.get(expr.name)
        if definition is None or expr.name in kept:
            return expr
        return _inlined(definition.value, program, kept)
    return rebuilt(expr, lambda child: _inlined(child, program, kept))
