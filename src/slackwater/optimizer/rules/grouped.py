"""Operators that treat groups of rows separately, and the state to redo touched groups with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from slackwater.algebra.operators import Aggregate, GroupLimit, Limit, Sort, Window
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import Expr
from slackwater.optimizer.rules.arrangement_keys import contents, hashed_keys, whole_row
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.view_plan import KeptState


@dataclass(frozen=True, slots=True)
class Grouped:
    """An operator that treats groups of its input separately.

    `inside` is the group key over the input's columns, `outside` the same over its own;
    `apply` puts the operator over another relation with the input's columns.
    """

    rel: Rel
    input: Rel
    inside: tuple[Expr, ...]
    outside: tuple[Expr, ...]
    apply: Callable[[Rel], Rel]

    @property
    def given(self) -> Arrangement:
        """The input's rows by group; row by row if there is only one."""
        return _by_group(self.input, self.inside)

    @property
    def kept(self) -> Arrangement:
        """The operator's rows by group; row by row if there is only one."""
        return _by_group(self.rel, self.outside)

    @property
    def is_one(self) -> bool:
        """Tell if no key divides the groups in state."""
        return not hashed_keys(self.input, self.inside)

    @property
    def state(self) -> tuple[KeptState, ...]:
        """The rows and the answers of each group."""
        return (KeptState(self.given, self.input), KeptState(self.kept, self.rel))


def _by_group(rel: Rel, key: tuple[Expr, ...]) -> Arrangement:
    hashed = hashed_keys(rel, key)
    return contents(rel, hashed) if hashed else whole_row(rel)


def grouped_aggregate(rel: Aggregate) -> Grouped:
    """The groups of an aggregate; without keys all rows are one."""
    return Grouped(
        rel=rel,
        input=rel.input,
        inside=tuple(key.expr for key in rel.keys),
        outside=tuple(key.column.ref() for key in rel.keys),
        apply=lambda table: replace(rel, input=table),
    )


def grouped_window(rel: Window | GroupLimit) -> Grouped:
    """The partitions of a window or of a limit of each; without PARTITION BY all rows are one."""

    def apply(table: Rel) -> Rel:
        return replace(rel, input=table)

    return Grouped(rel, rel.input, rel.partition, rel.partition, apply)


def grouped_limit(rel: Limit) -> Grouped:
    """A limit with the order below it: all rows are one group."""
    order = rel.input

    def apply(table: Rel) -> Rel:
        ordered = replace(order, input=table) if isinstance(order, Sort) else table
        return replace(rel, input=ordered)

    return Grouped(rel, order.input if isinstance(order, Sort) else order, (), (), apply)
