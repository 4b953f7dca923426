"""Windows by ranges of their order, and the state to redo the ranges that a change reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Project, Window
from slackwater.algebra.rel import Rel
from slackwater.errors import InvariantError
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, ColumnRef, Expr, SortKey, WindowCall
from slackwater.optimizer.rules.arrangement_keys import contents, over_stored
from slackwater.optimizer.rules.order_buckets import order_bucket
from slackwater.optimizer.rules.reach import Reach, follows_rows, reach_of
from slackwater.plan.arrangements import Arrangement, Role, hashable, stored_column
from slackwater.plan.view_plan import KeptState
from slackwater.plan.weighted import groupable
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    is_floating,
    is_numeric,
)

_PLAIN = (BOOLEAN, DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ)
"""Types, beside numbers, whose values both engines order alike."""


@dataclass(frozen=True, slots=True)
class Ranged:
    """A window whose rows are kept by partition and order bucket.

    `partition` is PARTITION BY in a form in which equal values are the same value.
    """

    rel: Window
    shift: int
    partition: tuple[Expr, ...]
    reach: Reach

    @property
    def bucket(self) -> Expr:
        """The order bucket of a row."""
        return order_bucket(self.rel.order[0], self.shift)

    @property
    def place(self) -> tuple[Expr, ...]:
        """The place of a row: its partition and its bucket."""
        return (*self.partition, self.bucket)

    @property
    def given(self) -> Arrangement:
        """The input's rows by their place."""
        return self._by_place(self.rel.input)

    @property
    def kept(self) -> Arrangement:
        """The answers by their place."""
        return self._by_place(self.rel)

    @property
    def index(self) -> Arrangement:
        """The number of rows at each place, by partition; by place if there is only one."""
        types = (*(each.dtype for each in self.place), BIGINT)
        columns = tuple(stored_column(n, dtype) for n, dtype in enumerate(types[:-1]))
        key = columns[:-1] if self.partition else columns
        return Arrangement(fingerprint(self.rel), Role.ACCUMULATORS, types, key)

    @property
    def state(self) -> tuple[KeptState, ...]:
        """The rows, the answers and the index."""
        return (
            KeptState(self.given, self.rel.input),
            KeptState(self.kept, self.rel),
            KeptState(self.index, self.rel),
        )

    def _by_place(self, rel: Rel) -> Arrangement:
        return contents(rel, tuple(over_stored(rel, each) for each in self.place))

    def apply(self, table: Rel) -> Rel:
        """The window over other rows with the input's columns.

        Rows of equal keys are put in an order of their own, always the same. So the answers of
        one bucket, and of another that was redone in an earlier run, follow from one order.
        """
        rel = self.rel
        by_place = tuple(each for each in rel.functions if follows_rows(_window_call(each)))
        others = tuple(each for each in rel.functions if each not in by_place)
        if others:
            table = Window(table, rel.partition, rel.order, others)
        if by_place:
            table = Window(table, rel.partition, (*rel.order, *tie_keys(rel)), by_place)
        if table.columns == rel.columns:
            return table
        return Project(table, tuple(map(pass_through, rel.columns)))


def ranged_window(rel: Window, shift: int | None) -> Ranged:
    """A window for which the rule fits, by buckets of so many bits."""
    reach = reach_of(rel)
    partition = tuple(found for each in rel.partition if (found := hashable(each)) is not None)
    if isinstance(reach, str) or shift is None or len(partition) < len(rel.partition):
        raise InvariantError("a window is kept by ranges that it does not have")
    return Ranged(rel, shift, partition, reach)


def has_plain_partition(rel: Window) -> bool:
    """Tell if equal keys of PARTITION BY can be brought into one form that is stored as it is."""
    return all(_is_plain(each.dtype) and groupable(each.dtype) for each in rel.partition)


def has_ties(rel: Window) -> bool:
    """Tell if rows that differ may stay in no order among those of equal keys."""
    followed = any(follows_rows(_window_call(each)) for each in rel.functions)
    return followed and not all(_is_plain(column.dtype) for column in rel.input.columns)


def tie_keys(rel: Window) -> tuple[SortKey, ...]:
    """Keys behind those of a window, with which only rows that are the same are equal."""
    known = {key.expr.id for key in rel.order if isinstance(key.expr, ColumnRef)}
    known |= {expr.id for expr in rel.partition if isinstance(expr, ColumnRef)}
    values = (value for column in rel.input.columns for value in _told_apart(column, known))
    return tuple(map(SortKey, values))


def _told_apart(column: Column, known: set[ColumnId]) -> Iterator[Expr]:
    """Values of which no two that differ are equal: zeros of doubles have a sign."""
    if column.id not in known:
        yield column.ref()
    if is_floating(column.dtype):
        yield call("bits_of", column.ref())


def _is_plain(dtype: DataType) -> bool:
    return dtype in _PLAIN or is_numeric(dtype) or isinstance(dtype, DecimalType)


def _window_call(output: Output) -> WindowCall:
    if not isinstance(output.expr, WindowCall):
        raise InvariantError(f"{output.column.name} is no window call")
    return output.expr
