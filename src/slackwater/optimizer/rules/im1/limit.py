"""LIMIT below the root: the first rows of an order.

At the root of a view no rule is needed: there order and limit apply when it is read.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.operators import Limit, Sort
from slackwater.algebra.rel import Rel
from slackwater.optimizer.facts import Facts, is_bounded
from slackwater.optimizer.rules.affected_groups import Grouped, group_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.plan.frames import Frame, positions, read_rows


class RedoLimit(Rule[Limit]):
    """D(limit(R)): the whole input is one group, so it is ordered and cut again from state."""

    name = "limit"
    operator = Limit

    def recomputes(self, rel: Limit) -> str | None:
        """Any row may move up."""
        if is_bounded(rel.input):
            return None
        return "a LIMIT below the root takes the first rows of its whole input"

    def unstable(self, _rel: Limit) -> bool:
        """Ties at the cut may fall either way."""
        return True

    def needs(self, rel: Limit, _facts: Facts) -> tuple[Need, ...]:
        """All rows, and those that passed."""
        return _grouped(rel).needs

    def delta(self, rel: Limit, builder: Builder) -> Frame | None:
        """The rows that pass now, less those that passed."""
        return group_delta(_grouped(rel), builder)

    def rows(self, rel: Limit, builder: Builder) -> Frame:
        """Order and limit in one statement: an order does not survive between statements."""
        grouped = _grouped(rel)
        source = read_rows(grouped.input, builder.rows(grouped.input))
        return builder.compute(rel, "rows", grouped.apply(source), positions(rel))


def _grouped(rel: Limit) -> Grouped:
    order = rel.input

    def apply(table: Rel) -> Rel:
        ordered = replace(order, input=table) if isinstance(order, Sort) else table
        return replace(rel, input=ordered)

    return Grouped(rel, order.input if isinstance(order, Sort) else order, (), (), apply)


class IgnoreOrder(Rule[Sort]):
    """D(sort(R)) = D(R): a relation has no order; only a LIMIT above reads it, from its rows."""

    name = "sort"
    operator = Sort

    def delta(self, rel: Sort, builder: Builder) -> Frame | None:
        """The changes of the input."""
        return builder.delta(rel.input)
