"""LIMIT below the root: the first rows of an order.

At the root of a view no rule is needed: there order and limit apply when it is read.
"""

from __future__ import annotations

from slackwater.algebra.operators import Limit
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_limit
from slackwater.plan.facts import Facts, is_bounded
from slackwater.plan.view_plan import KeptState
from slackwater.plan.weighted import groupable

_MOST_KEPT = 10_000
"""A longer beginning is not worth reading in every run."""


class RedoLimit(Rule[Limit]):
    """D(limit(R)): the whole input is one group, so it is ordered and cut again from state."""

    name = "limit"
    operator = Limit
    unstable = True
    """Ties at the cut may fall either way."""

    def recomputes(self, rel: Limit) -> str | None:
        """Any row may move up."""
        if is_bounded(rel.input):
            return None
        return "a LIMIT below the root takes the first rows of its whole input"

    def state(self, rel: Limit) -> tuple[KeptState, ...]:
        """All rows, and those that passed."""
        return grouped_limit(rel).state


class GuardPrefix(RedoLimit):
    """D(limit(R)): the first rows are those of the first rows so far and of what arrived.

    A deleted row that was not among them changes nothing. Only a run in which one of them goes
    reads all rows again; the proof is with the lowering.
    """

    name = "limit_prefix"

    def refuses(self, rel: Limit, _facts: Facts) -> str | None:
        """The rows to keep are a short beginning, and can be held against those that go."""
        if rel.count is None or rel.offset or rel.count > _MOST_KEPT:
            return "the rows to keep are not a short beginning of their order"
        if not all(groupable(column.dtype) for column in rel.columns):
            return "rows with such columns cannot be held against those that are taken away"
        return None

    def recomputes(self, _rel: Limit) -> str | None:
        """Only the first rows are read in most runs."""
        return None
