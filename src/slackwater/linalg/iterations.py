"""Expands iterative forms into statements, in the steps of a model (table 6.1).

With the jumps of a model all three forms are one line each, for a jump of size j from f to i:

    P_i = P_j P_f        S_i = P_j S_f + S_j        T_i = P_j T_f + S_j B
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from slackwater.linalg.build import added, identity, is_symmetric, product, rebuilt
from slackwater.linalg.matrix_nodes import (
    Expr,
    Iteration,
    Power,
    PowerSum,
    Recurrence,
    Ref,
    names_read,
)
from slackwater.linalg.matrix_program import Program, Statement
from slackwater.linalg.models import Exponential, Model, jumps
from slackwater.linalg.naming import Names


def expand_iterations(program: Program, model: Model) -> Program:
    """The program in plain statements; `model` is for the forms that name none."""
    expansion = _Expansion(Names(program.names), model)
    for statement in program.statements:
        expansion.add(statement)
    return Program(program.inputs, tuple(expansion.statements), program.outputs)


@dataclass(frozen=True, slots=True)
class _Series:
    """Iteration 1, how a jump of some size leads to a later one, and what each is called."""

    first: Expr
    step: Callable[[int, Expr], Expr]
    name: Callable[[int], str]
    symmetric: bool = False
    """True if all of them are: powers of a symmetric matrix are, though no form shows it."""


class _Expansion:
    """The statements made so far; equal values share one statement."""

    def __init__(self, names: Names, model: Model):
        self.statements: list[Statement] = []
        self._names = names
        self._model = model
        self._by_value: dict[Expr, Expr] = {}

    def add(self, statement: Statement) -> None:
        """Append a statement, after those that its iterative forms need."""
        match statement.value:
            case Power() | PowerSum() | Recurrence() as form:
                value = self._expanded(form, statement.name)
            case plain:
                value = self._plain(plain, statement.name)
        self.statements.append(statement.rewritten(value))

    def _plain(self, expr: Expr, near: str) -> Expr:
        """The expression with iterative forms inside it made statements of their own."""
        if isinstance(expr, Power | PowerSum | Recurrence):
            return self._named(f"{near}_iterated", self._expanded(expr, near))
        return rebuilt(expr, lambda child: self._plain(child, near))

    def _named(self, name: str, value: Expr, *, symmetric: bool | None = None) -> Expr:
        """A name for the value, unless it has one or reads no matrix."""
        if isinstance(value, Ref) or not names_read(value):
            return value
        if value not in self._by_value:
            statement = Statement(self._names.fresh(name), value, symmetric)
            self.statements.append(statement)
            self._by_value[value] = statement.ref
        return self._by_value[value]

    def _expanded(self, form: Iteration, near: str) -> Expr:
        base = self._named(f"{near}_step", self._plain(form.base, near))
        model = form.model or self._model
        match form:
            case Power(_, count):
                return self._last(count, model, self._powers(base))
            case PowerSum(_, count):
                return self._last(count, model, self._sums(base))
            case Recurrence(_, offset, start, count):
                offset = self._named(f"{near}_offset", self._plain(offset, near))
                series = self._recurrence(base, offset, self._plain(start, near), near)
                return self._last(count, model, series)
            case _:
                assert_never(form)

    def _last(self, count: int, model: Model, series: _Series) -> Expr:
        """Iteration `count`; those on the way to it become statements."""
        found = {1: series.first}
        for jump in jumps(count, model):
            earlier = self._in_series(series, jump.origin, found[jump.origin])
            found[jump.target] = series.step(jump.size, earlier)
        return found[count]

    def _jump(self, size: int, series: _Series) -> Expr:
        """The power or sum that a jump needs; it is doubled, whatever the model."""
        return self._in_series(series, size, self._last(size, Exponential(), series))

    def _in_series(self, series: _Series, target: int, value: Expr) -> Expr:
        return self._named(series.name(target), value, symmetric=series.symmetric or None)

    def _powers(self, base: Expr) -> _Series:
        def step(size: int, earlier: Expr) -> Expr:
            return product(self._jump(size, self._powers(base)), earlier)

        return _Series(base, step, lambda i: f"{_called(base)}_p{i}", is_symmetric(base))

    def _sums(self, base: Expr) -> _Series:
        def step(size: int, earlier: Expr) -> Expr:
            power = self._jump(size, self._powers(base))
            return added(product(power, earlier), self._jump(size, self._sums(base)))

        one = identity(base.shape.rows)
        return _Series(one, step, lambda i: f"{_called(base)}_s{i}", is_symmetric(base))

    def _recurrence(self, base: Expr, offset: Expr, start: Expr, near: str) -> _Series:
        def step(size: int, earlier: Expr) -> Expr:
            power = self._jump(size, self._powers(base))
            total = self._jump(size, self._sums(base))
            return added(product(power, earlier), product(total, offset))

        first = added(product(base, start), offset)
        return _Series(first, step, lambda target: f"{near}_{target}")


def _called(base: Expr) -> str:
    return base.name if isinstance(base, Ref) else "step"
