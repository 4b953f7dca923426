"""Running values of groups: how they take changes, and what finishes an aggregate from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial, reduce

from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import FALSE, cast, is_known, replaced
from slackwater.expr.functions import call
from slackwater.expr.limbs import NEAR_PLACES, PRODUCT_PLACES
from slackwater.expr.nodes import AggregateCall, ColumnId, ColumnRef, Expr, Literal
from slackwater.types import BIGINT, DataType

ROWS = ColumnId(-1)
"""Stands for the number of a group's rows in what finishes an aggregate."""
WEIGHT_OF_CHANGE = ColumnId(-2)
"""Stands for the weight of a change in what it adds to a running value."""

_FAR_PRODUCTS = ("far_product", "far_product_error")
_NEAR_PRODUCTS = ("near_product", "near_product_error")


class Merge(Enum):
    """The ways in which a running value takes a change."""

    SUM = "+"
    LEAST = "least"
    GREATEST = "greatest"
    LIMBS = "add_limbs"


@dataclass(frozen=True, slots=True)
class Accumulator:
    """One running value of a group."""

    dtype: DataType
    change: AggregateCall
    """The sum or extreme of the changes, over columns and weight; NULL adds nothing."""
    merge: Merge = Merge.SUM
    lost: AggregateCall | None = None
    """The extreme of what is taken away, where that can leave it without a value."""
    shared: bool = False
    """True if several aggregates of a group may use one such value."""

    def added(self, change: Expr) -> Expr:
        """The change, whose aggregate is given, as a value of the accumulator's own type."""
        if self.merge is not Merge.SUM:
            return change
        return cast(call("coalesce", change, zero(change.dtype)), self.dtype)

    def merged(self, old: Expr, change: Expr) -> Expr:
        """The value after the run; `old` is NULL for a group that was not there."""
        if self.merge is not Merge.SUM:
            return call(self.merge.value, old, change)
        return cast(call("+", call("coalesce", old, zero(self.dtype)), change), self.dtype)

    def exposed(self, old: Expr, change: Expr, lost: Expr) -> Expr:
        """Tell if the value may have been taken away, and nothing as extreme came instead."""
        beyond = "<=" if self.merge is Merge.LEAST else ">="
        taken = call("coalesce", call(beyond, lost, old), FALSE)
        replaced_by = call("coalesce", call(beyond, change, old), FALSE)
        return call("and", taken, call("not", replaced_by))


def zero(dtype: DataType) -> Literal:
    """Nothing, of a numeric type."""
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
        return replaced(self.finish, {**values, ROWS: rows})


def slot(position: int, dtype: DataType) -> ColumnRef:
    """An accumulator as what finishes an aggregate reads it."""
    return ColumnRef(ColumnId(position), f"accumulator{position}", dtype, True)


COUNTED = ColumnRef(ROWS, "rows", BIGINT, False)
CHANGED = ColumnRef(WEIGHT_OF_CHANGE, "weight", BIGINT, False)


def counting_known(value: Expr) -> Accumulator:
    """The running number of rows that have a value."""
    return Accumulator(BIGINT, aggregate("sum", CHANGED, where=is_known(value)), shared=True)


def limbs(value: Expr) -> tuple[Accumulator, ...]:
    """The limbs of far numbers, then those of near ones; NULL is neither."""
    far = aggregate("far_limbs", call("far_value", value), CHANGED)
    near = call("near_value", value)
    digits = (near_digit(near, place, NEAR_PLACES) for place in NEAR_PLACES)
    return (_far(far), *map(_near, digits))


def product_limbs(left: Expr, right: Expr) -> tuple[Accumulator, ...]:
    """The limbs of products: what far numbers make, its errors, then the limbs of near numbers.

    A product of doubles is the sum of two: the rounded one, and its error.
    """
    both = (left, right)
    far = (aggregate("far_limbs", call(name, *both), CHANGED) for name in _FAR_PRODUCTS)
    parts = [call(name, *both) for name in _NEAR_PRODUCTS]
    digits = (
        reduce(partial(call, "+"), (near_digit(each, place, PRODUCT_PLACES) for each in parts))
        for place in PRODUCT_PLACES
    )
    return (*map(_far, far), *map(_near, digits))


def near_digit(value: Expr, place: int, places: range) -> Expr:
    """The digit of a number at one of the places that it may have digits at."""
    return call("near_digit", value, params=(str(place), str(places[-1])))


def _far(change: AggregateCall) -> Accumulator:
    return Accumulator(change.dtype, change, Merge.LIMBS, shared=True)


def _near(digit: Expr) -> Accumulator:
    return Accumulator(BIGINT, aggregate("sum", call("*", digit, CHANGED)), shared=True)
