"""Aggregates of floating-point numbers, from exact sums of the numbers and of their products.

With n rows, C(x, y) = n * sum(x * y) - sum(x) * sum(y) is n^2 times their covariance. It is
computed from exact sums, and rounded once; all moments of up to two numbers follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from slackwater.expr.build import all_of, case, cast, is_known, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.optimizer.rules.running import (
    COUNTED,
    Accumulator,
    Remembered,
    counting_known,
    limbs,
    product_limbs,
    slot,
)
from slackwater.types import DOUBLE


def floating_sum(wanted: AggregateCall) -> Remembered:
    """The sum or average of floating-point numbers."""
    (arg,) = wanted.args
    group = _Group((_taken(arg, wanted.where),))
    value = group.sum(0)
    if wanted.function == "avg":
        value = call("/", value, group.count)
    return group.remembered(value, least=1)


def moments(wanted: AggregateCall) -> Remembered:
    """A variance, covariance, correlation or regression."""
    several = len(wanted.args) > 1
    parts = [is_known(arg) for arg in wanted.args if several and arg.nullable]
    parts += [] if wanted.where is None else [wanted.where]
    where = all_of(parts) if parts else None
    group = _Group(tuple(_taken(arg, where) for arg in wanted.args))
    formula = MOMENTS[wanted.function]
    return group.remembered(formula.value(group), least=formula.least)


def _taken(arg: Expr, where: Expr | None) -> Expr:
    """The number in a row that counts, else NULL."""
    return cast(arg if where is None else case(where, arg), DOUBLE)


@dataclass(slots=True)
class _Group:
    """The numbers that an aggregate takes of each row, and what it keeps of them."""

    numbers: tuple[Expr, ...]
    kept: list[Accumulator] = field(default_factory=list)

    @property
    def rows(self) -> Expr:
        """The number of rows that count."""
        if not any(each.nullable for each in self.numbers):
            return COUNTED
        (found,) = self._slots((counting_known(self.numbers[0]),))
        return found

    @property
    def count(self) -> Expr:
        """The same as a double."""
        return cast(self.rows, DOUBLE)

    def sum(self, one: int) -> Expr:
        """The sum of a number."""
        return call("limbs_value", *self._slots(limbs(self.numbers[one])))

    def comoment(self, one: int, other: int) -> Expr:
        """C of two numbers."""
        left, right = self.numbers[one], self.numbers[other]
        sums = (*self._slots(limbs(left)), *self._slots(limbs(right)))
        return call("comoment", self.rows, *sums, *self._slots(product_limbs(left, right)))

    def remembered(self, value: Expr, least: int) -> Remembered:
        """The aggregate, which is NULL for fewer rows than `least`."""
        some = call(">", self.rows, number(least - 1))
        return Remembered(tuple(self.kept), case(some, value))

    def _slots(self, wanted: tuple[Accumulator, ...]) -> list[Expr]:
        for each in wanted:
            if each not in self.kept:
                self.kept.append(each)
        return [slot(self.kept.index(each), each.dtype) for each in wanted]


@dataclass(frozen=True, slots=True)
class _Formula:
    value: Callable[[_Group], Expr]
    least: int
    """With fewer rows it is NULL."""


def _spread(group: _Group, one: int = 0, other: int = -1) -> Expr:
    """The sum of products of two numbers' distances from their means; of the first and the last."""
    last = len(group.numbers) - 1
    return call("/", group.comoment(one, last if other < 0 else other), group.count)


def _population(group: _Group) -> Expr:
    return call("/", _spread(group), group.count)


def _sample(group: _Group) -> Expr:
    return call("/", _spread(group), call("-", group.count, _ONE))


def _root(of: Callable[[_Group], Expr]) -> Callable[[_Group], Expr]:
    return lambda group: call("sqrt", of(group))


def _correlation(group: _Group) -> Expr:
    both = call("*", _spread(group, 0, 0), _spread(group, 1, 1))
    return call("/", _spread(group), call("sqrt", both))


def _determination(group: _Group) -> Expr:
    """The determination of the first number by the second: 1 if the first is always the same."""
    up, down, both = _spread(group, 0, 0), _spread(group, 1, 1), _spread(group)
    found = call("/", call("/", call("*", both, both), down), up)
    return case(_differs(down), case(_differs(up), found, _ONE))


def _slope(group: _Group) -> Expr:
    """The slope of the first number by the second; NULL if the second is always the same."""
    below = group.comoment(1, 1)
    return case(_differs(below), call("/", group.comoment(0, 1), below))


def _intercept(group: _Group) -> Expr:
    up, right = (call("/", group.sum(n), group.count) for n in (0, 1))
    return call("-", up, call("*", _slope(group), right))


def _differs(value: Expr) -> Expr:
    return call("not", call("=", value, _ZERO))


_ZERO, _ONE = Literal("0.0", DOUBLE), Literal("1.0", DOUBLE)

MOMENTS: Mapping[str, _Formula] = {
    "var_pop": _Formula(_population, 1),
    "var_samp": _Formula(_sample, 2),
    "stddev_pop": _Formula(_root(_population), 1),
    "stddev_samp": _Formula(_root(_sample), 2),
    "covar_pop": _Formula(_population, 1),
    "covar_samp": _Formula(_sample, 2),
    "corr": _Formula(_correlation, 2),
    "regr_slope": _Formula(_slope, 1),
    "regr_intercept": _Formula(_intercept, 1),
    "regr_r2": _Formula(_determination, 1),
    "regr_sxx": _Formula(_spread, 1),
    "regr_sxy": _Formula(_spread, 1),
}
"""The formulas; a regression is of its first argument by its second."""
