"""Percentiles of groups: the values they are made of, by rank, and what is made of these.

A rank counts the values of a group, which are not NULL, from 0 on. Ranks and numbers of values are
doubles, which are exact up to 2^53 and never overflow. The formulas are Spark's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from slackwater.algebra.operators import Aggregate
from slackwater.expr.build import case, cast, with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.expr.shares import written_shares
from slackwater.types import DOUBLE, ArrayType, DataType, is_numeric

_FUNCTIONS = frozenset(("percentile", "percentile_cont", "percentile_disc"))
_ZERO, _ONE = Literal("0.0", DOUBLE), Literal("1.0", DOUBLE)


class Rounding(Enum):
    """How a share of all values becomes a rank."""

    DOWN = "down"
    UP = "up"
    COVERING = "the first value up to which the values are that share of all"


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a value, counted from the least value on or from the greatest."""

    share: Literal
    rounding: Rounding
    descending: bool

    def is_within(self, total: Expr, start: Expr, end: Expr) -> Expr:
        """The condition that the rank is one from `start` to before `end`, of so many values.

        These are whole numbers: that the rank, rounded down, is not before `start` is the same
        as that what it is rounded from is not.
        """
        if self.descending:
            start, end = call("-", total, end), call("-", total, start)
        place = place_of(total, self.share)
        match self.rounding:
            case Rounding.DOWN:
                return call("and", call("<=", start, place), call("<", place, end))
            case Rounding.UP:
                after = call(">", place, call("-", start, _ONE))
                return call("and", after, call("<=", place, call("-", end, _ONE)))
            case Rounding.COVERING:
                covered = call("*", total, self.share)
                after = call("or", call("=", start, _ZERO), call(">", covered, start))
                return call("and", after, call("<=", covered, end))


def place_of(total: Expr, share: Literal) -> Expr:
    """How far a share of the way from the first value to the last leads, in ranks."""
    return call("*", call("-", total, _ONE), share)


@dataclass(frozen=True, slots=True)
class Percentile:
    """One percentile: between two values, or the value that covers its share."""

    share: Literal
    discrete: bool
    descending: bool

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks of the values it is made of."""
        kinds = (Rounding.COVERING,) if self.discrete else (Rounding.DOWN, Rounding.UP)
        return tuple(Rank(self.share, kind, self.descending) for kind in kinds)

    def finished(self, total: Expr, values: Sequence[Expr]) -> Expr:
        """The percentile from the values at its ranks; NULL if there are none."""
        if self.discrete:
            return cast(values[0], DOUBLE)
        place = place_of(total, self.share)
        low, high = (cast(value, DOUBLE) for value in values)
        above = call("-", place, cast(call("floor", place), DOUBLE))
        below = call("-", cast(call("ceil", place), DOUBLE), place)
        between = call("+", call("*", below, low), call("*", above, high))
        return case(call("=", values[0], values[1]), low, between)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An output of an aggregate: a percentile, or an array of several."""

    dtype: DataType
    percentiles: tuple[Percentile, ...]

    def finished(self, total: Expr, at: Mapping[Rank, Expr]) -> Expr:
        """The output from the values at all ranks."""
        found = [
            each.finished(total, [at[rank] for rank in each.ranks]) for each in self.percentiles
        ]
        if not isinstance(self.dtype, ArrayType):
            return found[0]
        return case(call(">", total, _ZERO), with_type(call("array", *found), self.dtype))


@dataclass(frozen=True, slots=True)
class Percentiles:
    """An aggregate all of whose outputs are percentiles of one value, which may be NULL."""

    rel: Aggregate
    value: Expr
    wanted: tuple[Wanted, ...]

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """All ranks that are needed, each once."""
        each = (one for wanted in self.wanted for one in wanted.percentiles)
        return tuple(dict.fromkeys(rank for one in each for rank in one.ranks))

    def finished(self, total: Expr, values: Sequence[Expr]) -> list[Expr]:
        """The outputs from the values at these ranks."""
        at = dict(zip(self.ranks, values, strict=True))
        return [each.finished(total, at) for each in self.wanted]


def is_percentile(wanted: Expr) -> bool:
    """Tell if an output is an exact percentile, of whatever kind."""
    return isinstance(wanted, AggregateCall) and wanted.function in _FUNCTIONS


def percentiles_of(rel: Aggregate) -> Percentiles | str:
    """The percentiles that an aggregate consists of, or why it is another one."""
    values: dict[Expr, None] = {}
    wanted: list[Wanted] = []
    for output in rel.aggregates:
        found = percentile_value(output.expr)
        if isinstance(found, str):
            return found
        values[found] = None
        wanted.append(Wanted(output.expr.dtype, _percentiles(output.expr)))
    if len(values) != 1:
        return "not percentiles of one value"
    return Percentiles(rel, next(iter(values)), tuple(wanted))


def percentile_value(wanted: Expr) -> Expr | str:
    """The value that percentiles are of, NULL where it is left out; or why there is none."""
    if not isinstance(wanted, AggregateCall) or wanted.function not in _FUNCTIONS:
        return "not all of it are percentiles"
    within = wanted.function != "percentile"
    if within and (len(wanted.order) != 1 or len(wanted.args) != 1):
        return f"such a use of {wanted.function}"
    value = wanted.order[0].expr if within else wanted.args[0]
    counted = () if within else wanted.args[2:]
    if any(not isinstance(each, Literal) or each.value != "1" for each in counted):
        return "a percentile of counted values"
    if wanted.distinct or not is_numeric(value.dtype) or not _percentiles(wanted):
        return f"such a use of {wanted.function}"
    return value if wanted.where is None else case(wanted.where, value)


def _percentiles(wanted: Expr) -> tuple[Percentile, ...]:
    """The percentiles of a call; none if its shares are not written out."""
    if not isinstance(wanted, AggregateCall):
        return ()
    within = wanted.function != "percentile"
    descending = within and not wanted.order[0].ascending
    share = wanted.args[0] if within else wanted.args[1]
    listed = wanted.dtype == ArrayType(DOUBLE, False)
    if not listed and (wanted.dtype, share.dtype) != (DOUBLE, DOUBLE):
        return ()
    shares = written_shares(share)
    discrete = wanted.function == "percentile_disc"
    return tuple(Percentile(Literal(share, DOUBLE), discrete, descending) for share in shares)
