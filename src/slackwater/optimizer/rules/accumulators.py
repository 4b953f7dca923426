"""How aggregates are remembered: running values that take changes, and what finishes them.

Only accumulators that stay exact under deletion are used. Whole numbers and decimals add up
to the last digit; sums of floating-point numbers do not survive a deletion (1e20 + 1 - 1e20
is 0), so those aggregates are left to rules that keep the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Aggregate, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import FALSE, all_of, case, cast, is_known, number, replaced
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, ColumnId, ColumnRef, Expr, Literal
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.weighted import weight_of
from slackwater.plan.frames import Fresh
from slackwater.types import BIGINT, DOUBLE, DataType, DecimalType, is_integral

_SUM_DIGITS = 27
"""Sums of decimals of up to this many digits fit into 37, and two of those add up exactly."""
_WIDE_SUM_SCALE = 6
"""Wider ones add up exactly too while Spark's addition keeps all digits behind the point."""
_AVERAGE_DIGITS = 15
"""Up to here a quotient has digits enough to round as Spark's own average does."""
_SIGNED_DIGITS = 34
"""Where Spark changes the sign of a longer decimal, it drops the digits behind these."""
_QUOTIENT_DIGITS = 34
"""A dividend this wide gives a quotient of 4 digits more behind the point, as averages have."""


_ROWS = ColumnId(-1)
"""Stands for the number of a group's rows in what finishes an aggregate."""
_WEIGHT = ColumnId(-2)
"""Stands for the weight of a change in what it adds to a running value."""


class Merge(Enum):
    """How a running value takes a change."""

    SUM = "+"
    LEAST = "least"
    GREATEST = "greatest"


@dataclass(frozen=True, slots=True)
class Accumulator:
    """One running value of a group."""

    dtype: DataType
    change: AggregateCall
    """The sum or extreme of the changes, over columns and weight; NULL adds nothing."""
    merge: Merge = Merge.SUM
    lost: AggregateCall | None = None
    """The extreme of what is taken away, where that can leave it without a value."""

    def added(self, change: Expr) -> Expr:
        """The change, whose aggregate is given, as a value of the accumulator's own type."""
        if self.merge is not Merge.SUM:
            return change
        return cast(call("coalesce", change, _zero(change.dtype)), self.dtype)

    def merged(self, old: Expr, change: Expr) -> Expr:
        """The value after the run; `old` is NULL for a group that was not there."""
        if self.merge is not Merge.SUM:
            return call(self.merge.value, old, change)
        return cast(call("+", call("coalesce", old, _zero(self.dtype)), change), self.dtype)

    def exposed(self, old: Expr, change: Expr, lost: Expr) -> Expr:
        """Whether the value may have been taken away, and nothing as extreme came instead."""
        beyond = "<=" if self.merge is Merge.LEAST else ">="
        taken = call("coalesce", call(beyond, lost, old), FALSE)
        replaced_by = call("coalesce", call(beyond, change, old), FALSE)
        return call("and", taken, call("not", replaced_by))


def _zero(dtype: DataType) -> Literal:
    return Literal("0", dtype)


@dataclass(frozen=True, slots=True)
class Remembered:
    """An aggregate as accumulators and the expression that finishes it.

    The expression reads its accumulators as columns 0, 1, ... and the group's rows beside them.
    """

    accumulators: tuple[Accumulator, ...]
    finish: Expr

    def finished(self, accumulators: Sequence[Expr], rows: Expr) -> Expr:
        """The aggregate from the values of its accumulators and the number of rows."""
        values = {ColumnId(n): value for n, value in enumerate(accumulators)}
        return replaced(self.finish, {**values, _ROWS: rows})


def _slot(position: int, dtype: DataType) -> ColumnRef:
    return ColumnRef(ColumnId(position), f"accumulator{position}", dtype, True)


_COUNTED = ColumnRef(_ROWS, "rows", BIGINT, False)
_CHANGED = ColumnRef(_WEIGHT, "weight", BIGINT, False)


def remember(wanted: Expr, *, grows: bool, facts: Facts) -> Remembered | str:
    """How to remember an aggregate, or why it cannot be; `grows` says that rows never leave."""
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
    return f"{name} needs the rows of its group"


def _count(wanted: AggregateCall) -> Remembered:
    counted = [arg for arg in wanted.args if arg.nullable and not isinstance(arg, Literal)]
    if not counted and wanted.where is None and not any(map(_is_null, wanted.args)):
        return Remembered((), _COUNTED)
    return Remembered((_counting(wanted, wanted.args),), _slot(0, BIGINT))


def _counting(wanted: AggregateCall, args: tuple[Expr, ...]) -> Accumulator:
    """How many rows an aggregate takes into account."""
    return Accumulator(BIGINT, aggregate("sum", _CHANGED, where=_condition(wanted, args)))


def _sum_or_average(wanted: AggregateCall, widest: int) -> Remembered | str:
    (arg,) = wanted.args
    kept = _total_type(arg.dtype, widest)
    counts = arg.nullable or wanted.where is not None
    counted = _slot(1, BIGINT) if counts else _COUNTED
    value = None
    if kept is not None:
        total = _slot(0, kept)
        value = (
            cast(total, wanted.dtype)
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
        return call("*", cast(value, whole), cast(_CHANGED, whole))
    product = call("*", value, cast(_CHANGED, DecimalType(10, 0)))
    wide = value.dtype.precision > _SIGNED_DIGITS
    minus = call("-", _zero(DecimalType(1, 0)), value) if wide else call("negative", value)
    return case(
        call("=", _CHANGED, number(1)),
        cast(value, product.dtype),
        call("=", _CHANGED, number(-1)),
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
    """How many digits behind the point Spark gives a decimal divided by a DECIMAL(20,0)."""
    return max(38 - (digits - scale), 6)


def _extreme(wanted: AggregateCall) -> Remembered:
    (arg,) = wanted.args
    merge = Merge.LEAST if wanted.function == "min" else Merge.GREATEST
    arrived, left = (
        aggregate(wanted.function, arg, where=_also(call(sign, _CHANGED, number(0)), wanted.where))
        for sign in (">", "<")
    )
    return Remembered((Accumulator(arg.dtype, arrived, merge, left),), _slot(0, arg.dtype))


def _also(condition: Expr, other: Expr | None) -> Expr:
    return condition if other is None else call("and", condition, other)


def _condition(wanted: AggregateCall, args: tuple[Expr, ...]) -> Expr | None:
    """Which rows an aggregate takes into account; None for all."""
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
        each = tuple(one for aggregate in self.remembered for one in aggregate.accumulators)
        return (*each, Accumulator(BIGINT, aggregate("sum", _CHANGED)))

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
        position = len(self.rel.keys)
        rows = columns[len(self.types) - 1].ref()
        found: list[Expr] = [column.ref() for column in columns[:position]]
        for each in self.remembered:
            own = columns[position : position + len(each.accumulators)]
            found.append(each.finished([column.ref() for column in own], rows))
            position += len(own)
        return found

    def partial(self, table: Rel, fresh: Fresh, *, losses: bool = False) -> Rel:
        """The changes of all groups: one row per group that a weighted relation touches.

        Its columns are the stored ones, and with `losses` what is taken away from running values.
        """
        weight = weight_of(table).ref()
        keys = fresh.outputs(key.expr for key in self.rel.keys)
        changes = [(one, self._over(one.change, weight, fresh)) for one in self.accumulators]
        lost = (one.lost for one in self.accumulators if losses and one.lost is not None)
        taken = [self._over(each, weight, fresh) for each in lost]
        groups = Aggregate(table, keys, (*(output for _, output in changes), *taken))
        added = (one.added(output.column.ref()) for one, output in changes)
        return Project(
            groups,
            (
                *(pass_through(key.column) for key in keys),
                *fresh.outputs(added),
                *(pass_through(output.column) for output in taken),
            ),
        )

    def _over(self, wanted: AggregateCall, weight: Expr, fresh: Fresh) -> Output:
        (output,) = fresh.outputs((replaced(wanted, {_WEIGHT: weight}),))
        return output


def group_state(rel: Aggregate, *, grows: bool, facts: Facts) -> GroupState | str:
    """What to store of each group, or why rows must be stored instead."""
    remembered = []
    for output in rel.aggregates:
        found = remember(output.expr, grows=grows, facts=facts)
        if isinstance(found, str):
            return found
        remembered.append(found)
    return GroupState(rel, tuple(remembered))
