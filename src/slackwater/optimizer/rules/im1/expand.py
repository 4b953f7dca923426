"""Repeats each change once per grouping set."""

from __future__ import annotations

from slackwater.algebra.operators import Expand
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.optimizer.rules.rowwise import rowwise_delta
from slackwater.plan.frames import Frame


class ExpandChanges(Rule[Expand]):
    """D(expand(R)) = expand(D(R)): every row becomes the same rows whatever else there is."""

    name = "expand"
    operator = Expand

    def delta(self, rel: Expand, builder: Builder) -> Frame | None:
        """The operator over the changes of its input."""
        return rowwise_delta(rel, builder)
