"""The first rows of each partition: what a filter by rank leaves of a window."""

from __future__ import annotations

from slackwater.algebra.operators import GroupLimit
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_window
from slackwater.plan.facts import Facts, is_bounded
from slackwater.plan.view_plan import KeptState
from slackwater.plan.weighted import groupable


class RedoGroupLimit(Rule[GroupLimit]):
    """D(group_limit(R)): every touched partition is ordered and cut again from its rows.

    Without PARTITION BY all rows are one partition.
    """

    name = "group_limit"
    operator = GroupLimit
    unstable = True
    """Ties at the cut may fall either way."""

    def recomputes(self, rel: GroupLimit) -> str | None:
        """One partition in all means all rows."""
        if not grouped_window(rel).is_one or is_bounded(rel.input):
            return None
        if rel.partition:
            return "partitions of such keys are not indexed"
        return "the first rows are those of the whole input"

    def state(self, rel: GroupLimit) -> tuple[KeptState, ...]:
        """The rows of each partition, and those that passed."""
        return grouped_window(rel).state


class GuardGroupPrefix(RedoGroupLimit):
    """D(group_limit(R)): of each partition the first of those so far and of what arrived.

    A deleted row that was not among the first changes nothing. Only a partition that loses one of
    them is read again; the proof is with the lowering.
    """

    name = "group_prefix"

    def refuses(self, rel: GroupLimit, _facts: Facts) -> str | None:
        """The rows that are kept can be held against those that go."""
        if not all(groupable(column.dtype) for column in rel.columns):
            return "rows with such columns cannot be held against those that are taken away"
        return None

    def recomputes(self, rel: GroupLimit) -> str | None:
        """Only first rows are read in most runs; those of all partitions if none is indexed."""
        return super().recomputes(rel) if rel.partition else None
