"""Accumulators of aggregates: running values that take changes, and what finishes them.

Only accumulators that stay exact under deletion are used. Whole numbers and decimals add up
to the last digit. A sum of floating-point numbers does not survive a deletion (1e20 + 1 - 1e20
is 0), but sums of their digits do: see `expr/limbs.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Aggregate, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import all_of, case, cast, is_known, number, replaced
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.optimizer.rules.floating import MOMENTS, floating_sum, moments
from slackwater.optimizer.rules.hoisting import hoisted
from slackwater.optimizer.rules.running import (
    CHANGED,
    COUNTED,
    WEIGHT_OF_CHANGE,
    Accumulator,
    Merge,
    Remembered,
    slot,
    zero,
)
from slackwater.plan.facts import Facts
from slackwater.plan.frames import Fresh
from slackwater.plan.weighted import weight_of
from slackwater.types import BIGINT, DOUBLE, DataType, DecimalType, is_floating, is_integral

_SUM_DIGITS = 27
"""Sums of decimals of up to this many digits fit into 37, and two of those add up exactly."""
_WIDE_SUM_SCALE = 6
"""Wider ones add up exactly too while Spark's addition keeps all digits behind the point."""
_AVERAGE_DIGITS = 15
"""Up to here a quotient has digits enough to round as Spark's own average does."""
_SIGNED_DIGITS = 34
"""Spark drops the digits behind these where it changes the sign of a longer decimal."""
_TERM = DecimalType(20, 0)
"""The term that a register adds to an estimate: a power of two of up to 61 bits."""
_QUOTIENT_DIGITS = 34
"""A dividend this wide gives a quotient of 4 digits more behind the point, as averages have."""


def remember(wanted: Expr, *, grows: bool, facts: Facts) -> Remembered | str:
    """Find an aggregate's running values, or why it has none; `grows`: its rows never leave."""
    if not isinstance(wanted, AggregateCall):
        return "not an aggregate"
    name = wanted.function
    if name in ("min", "max"):
        return _extreme(wanted) if grows else f"{name} needs the group's rows under deletes"
    if wanted.distinct:
        return f"{name}(DISTINCT) needs the values of its group"
    if name == "count":
        return _count(wanted)
    if name in ("sum", "avg"):
        return _sum_or_average(wanted, facts.widest_sum)
    if name in MOMENTS:
        return moments(wanted)
    if name == "count_by_registers":
        return _count_by_registers(wanted, facts.widest_sum)
    return f"{name} needs the rows of its group"


def _count(wanted: AggregateCall) -> Remembered:
    counted = [arg for arg in wanted.args if arg.nullable and not isinstance(arg, Literal)]
    if not counted and wanted.where is None and not any(map(_is_null, wanted.args)):
        return Remembered((), COUNTED)
    return Remembered((_counting(wanted, wanted.args),), slot(0, BIGINT))


def _counting(wanted: AggregateCall, args: tuple[Expr, ...]) -> Accumulator:
    """The running number of rows that an aggregate takes into account."""
    return Accumulator(BIGINT, aggregate("sum", CHANGED, where=_condition(wanted, args)))


def _sum_or_average(wanted: AggregateCall, widest: int) -> Remembered | str:
    (arg,) = wanted.args
    if is_floating(arg.dtype):
        return floating_sum(wanted)
    kept = _total_type(arg.dtype, widest)
    counts = arg.nullable or wanted.where is not None
    counted = slot(1, BIGINT) if counts else COUNTED
    value = None
    if kept is not None:
        total = slot(0, kept)
        value = (
            _shown_sum(wanted, total)
            if wanted.function == "sum"
            else _average(wanted, arg, total, counted)
        )
    if kept is None or value is None:
        return f"{wanted.function} of {arg.dtype} is not exact when values are taken away again"
    terms = aggregate("sum", _term(arg), where=_condition(wanted, (arg,)))
    accumulators = [Accumulator(kept, terms)]
    if counts:
        accumulators.append(_counting(wanted, (arg,)))
    some = call(">", counted, number(0))
    return Remembered(tuple(accumulators), case(some, value))


def _shown_sum(wanted: AggregateCall, total: Expr) -> Expr:
    """A sum under its own type.

    Where a sum of whole numbers does not fit, an addition fails as Spark's own does, or wraps
    around as that does without ANSI; a cast would fail with another error.
    """
    if wanted.dtype != BIGINT:
        return cast(total, wanted.dtype)
    least, most = number(-(2**63)), number(2**63 - 1)
    fits = call(
        "and",
        call(">=", total, cast(least, total.dtype)),
        call("<=", total, cast(most, total.dtype)),
    )
    nearest = case(call(">", total, zero(total.dtype)), most, least)
    rest = cast(call("-", total, cast(nearest, total.dtype)), BIGINT)
    return case(fits, cast(total, BIGINT), call("+", nearest, rest))


def _count_by_registers(wanted: AggregateCall, widest: int) -> Remembered | str:
    """An estimate needs the number of registers in use, and the sum of what they stand for."""
    (digits,) = wanted.args
    term = cast(call("shiftleft", number(1), digits), _TERM)
    sums = _sum_or_average(aggregate("sum", term, where=wanted.where), widest)
    if isinstance(sums, str):
        return sums
    (total, *_) = sums.accumulators
    counts = len(sums.accumulators) > 1
    arguments = (cast(slot(0, total.dtype), DOUBLE), slot(1, BIGINT) if counts else COUNTED)
    estimate = call("registers_estimate", *arguments, params=wanted.params)
    return Remembered(sums.accumulators, estimate)


def _total_type(dtype: DataType, widest: int) -> DecimalType | None:
    """A type whose sums, and sums of sums, are exact; None if there is none."""
    if is_integral(dtype):
        return DecimalType(38, 0)
    if not isinstance(dtype, DecimalType):
        return None
    if dtype.precision <= _SUM_DIGITS:
        return DecimalType(37, dtype.scale)
    if dtype.precision > widest or dtype.scale > _WIDE_SUM_SCALE:
        return None
    return DecimalType(38, dtype.scale)


def _term(value: Expr) -> Expr:
    """A number times its weight; for decimals the common weights spare the multiplication."""
    if not isinstance(value.dtype, DecimalType):
        whole = DecimalType(20, 0)
        return call("*", cast(value, whole), cast(CHANGED, whole))
    product = call("*", value, cast(CHANGED, DecimalType(10, 0)))
    wide = value.dtype.precision > _SIGNED_DIGITS
    minus = call("-", zero(DecimalType(1, 0)), value) if wide else call("negative", value)
    return case(
        call("=", CHANGED, number(1)),
        cast(value, product.dtype),
        call("=", CHANGED, number(-1)),
        cast(minus, product.dtype),
        product,
    )


def _average(wanted: AggregateCall, arg: Expr, total: Expr, counted: Expr) -> Expr | None:
    if not isinstance(arg.dtype, DecimalType):
        return call("/", cast(total, DOUBLE), cast(counted, DOUBLE))
    digits = arg.dtype.precision + 10
    if arg.dtype.precision > _AVERAGE_DIGITS:
        digits = max(digits, _QUOTIENT_DIGITS)
        if digits > 38 or _quotient_scale(digits, arg.dtype.scale) != arg.dtype.scale + 4:
            return None
    dividend = cast(total, DecimalType(digits, arg.dtype.scale))
    return cast(call("/", dividend, cast(counted, DecimalType(20, 0))), wanted.dtype)


def _quotient_scale(digits: int, scale: int) -> int:
    """The digits behind the point that Spark gives a decimal divided by a DECIMAL(20,0)."""
    return max(38 - (digits - scale), 6)


def _extreme(wanted: AggregateCall) -> Remembered:
    (arg,) = wanted.args
    merge = Merge.LEAST if wanted.function == "min" else Merge.GREATEST
    arrived, left = (
        aggregate(wanted.function, arg, where=_also(call(sign, CHANGED, number(0)), wanted.where))
        for sign in (">", "<")
    )
    return Remembered((Accumulator(arg.dtype, arrived, merge, left),), slot(0, arg.dtype))


def _also(condition: Expr, other: Expr | None) -> Expr:
    return condition if other is None else call("and", condition, other)


def _condition(wanted: AggregateCall, args: tuple[Expr, ...]) -> Expr | None:
    """The condition on rows that an aggregate takes into account; None for all."""
    parts = [is_known(arg) for arg in args if arg.nullable or _is_null(arg)]
    if wanted.where is not None:
        parts.append(wanted.where)
    return all_of(parts) if parts else None


def _is_null(arg: Expr) -> bool:
    return isinstance(arg, Literal) and arg.value is None


@dataclass(frozen=True, slots=True)
class GroupState:
    """The stored row of a group: keys k0 ..., accumulators, and the number of rows last."""

    rel: Aggregate
    remembered: tuple[Remembered, ...]

    @property
    def accumulators(self) -> tuple[Accumulator, ...]:
        """All running values, the number of rows last."""
        return (*self._placed()[0], Accumulator(BIGINT, aggregate("sum", CHANGED)))

    def _placed(self) -> tuple[list[Accumulator], list[list[int]]]:
        """The running values, and where each aggregate has its own among them."""
        found: list[Accumulator] = []
        places: list[list[int]] = []
        for each in self.remembered:
            places.append([])
            for one in each.accumulators:
                known = one.shared and one in found
                places[-1].append(found.index(one) if known else len(found))
                if not known:
                    found.append(one)
        return found, places

    @property
    def types(self) -> tuple[DataType, ...]:
        """The types of the stored columns."""
        keys = tuple(key.column.dtype for key in self.rel.keys)
        return (*keys, *(one.dtype for one in self.accumulators))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the stored columns."""
        return tuple(f"k{n}" for n in range(len(self.types)))

    def finished(self, columns: Sequence[Column]) -> list[Expr]:
        """The operator's columns from the stored ones."""
        first = len(self.rel.keys)
        rows = columns[len(self.types) - 1].ref()
        found: list[Expr] = [column.ref() for column in columns[:first]]
        for each, places in zip(self.remembered, self._placed()[1], strict=True):
            own = [columns[first + place].ref() for place in places]
            found.append(each.finished(own, rows))
        return found

    def partial(self, table: Rel, fresh: Fresh, *, losses: bool = False) -> Rel:
        """The changes of all groups: one row per group that a weighted relation touches.

        Its columns are the stored ones, and with `losses` what is taken away from running values.
        """
        weight = weight_of(table).ref()
        lost = [one.lost for one in self.accumulators if losses and one.lost is not None]
        wanted = (*(one.change for one in self.accumulators), *lost)
        weighted = tuple(replaced(each, {WEIGHT_OF_CHANGE: weight}) for each in wanted)
        table, aggregates = hoisted(table, weighted, fresh)
        keys = fresh.outputs(key.expr for key in self.rel.keys)
        outputs = fresh.outputs(aggregates)
        changes, taken = outputs[: len(self.accumulators)], outputs[len(self.accumulators) :]
        pairs = zip(self.accumulators, changes, strict=True)
        added = (one.added(output.column.ref()) for one, output in pairs)
        return Project(
            Aggregate(table, keys, outputs),
            (
                *(pass_through(key.column) for key in keys),
                *fresh.outputs(added),
                *(pass_through(output.column) for output in taken),
            ),
        )


def group_state(rel: Aggregate, *, grows: bool, facts: Facts) -> GroupState | str:
    """Find the values to store of each group, or why its rows must be stored instead."""
    remembered = []
    for output in rel.aggregates:
        found = remember(output.expr, grows=grows, facts=facts)
        if isinstance(found, str):
            return found
        remembered.append(found)
    return GroupState(rel, tuple(remembered))
