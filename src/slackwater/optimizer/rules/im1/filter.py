"""Keeps the changes that pass a condition."""

from __future__ import annotations

from slackwater.algebra.operators import Filter
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.optimizer.rules.rowwise import rowwise_delta
from slackwater.plan.frames import Frame


class FilterChanges(Rule[Filter]):
    """D(filter(R)) = filter(D(R)): whether a row passes depends on that row alone."""

    name = "filter"
    operator = Filter

    def delta(self, rel: Filter, builder: Builder) -> Frame | None:
        """The operator over the changes of its input."""
        return rowwise_delta(rel, builder)
