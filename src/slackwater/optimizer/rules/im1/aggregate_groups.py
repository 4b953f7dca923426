"""Aggregates that only the rows of their group can tell."""

from __future__ import annotations

from slackwater.algebra.operators import Aggregate
from slackwater.expr.nodes import AggregateCall
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_aggregate
from slackwater.plan.facts import is_bounded
from slackwater.plan.view_plan import KeptState


class RedoGroups(Rule[Aggregate]):
    """D(aggregate(R)): touched groups are aggregated again from their rows.

    It serves every aggregate Spark has: minimum and maximum under deletes, DISTINCT,
    approximate percentiles, collected lists, sketches, user-defined functions. The rows are kept
    by the group key; without keys there is one group, and all rows are read.
    """

    name = "aggregate_groups"
    operator = Aggregate
    unstable = True
    """Floating-point sums and collected lists follow the order of rows."""

    def recomputes(self, rel: Aggregate) -> str | None:
        """One group in all means all rows, unless there can only be a few."""
        if not grouped_aggregate(rel).is_one or is_bounded(rel.input) or _holds_one_row(rel):
            return None
        return "groups of such keys are not indexed" if rel.keys else "the whole input is one group"

    def state(self, rel: Aggregate) -> tuple[KeptState, ...]:
        """The rows and the answers of each group."""
        return grouped_aggregate(rel).state


def _holds_one_row(rel: Aggregate) -> bool:
    """A scalar subquery: a second row of its input is an error."""
    calls = [output.expr for output in rel.aggregates]
    return any(isinstance(e, AggregateCall) and e.function == "single_value" for e in calls)
