"""LIMIT below the root: the first rows of an order.

At the root of a view no rule is needed: there order and limit apply when it is read.
"""

from __future__ import annotations

from slackwater.algebra.operators import Limit
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_limit
from slackwater.plan.facts import is_bounded
from slackwater.plan.view_plan import KeptState


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
