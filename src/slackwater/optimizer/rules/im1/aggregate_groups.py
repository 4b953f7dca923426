"""Aggregates that only the rows of their group can tell."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.operators import Aggregate
from slackwater.expr.nodes import AggregateCall
from slackwater.optimizer.facts import Facts, is_bounded
from slackwater.optimizer.rules.affected_groups import Grouped, group_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.plan.frames import Frame


class RedoGroups(Rule[Aggregate]):
    """D(aggregate(R)): touched groups are aggregated again from their rows.

    It serves every aggregate Spark has: minimum and maximum under deletes, DISTINCT,
    percentiles, collected lists, sketches, floating-point sums, user-defined functions. The
    rows are kept by the group key; without keys there is one group, and all rows are read.
    """

    name = "aggregate_groups"
    operator = Aggregate

    def recomputes(self, rel: Aggregate) -> str | None:
        """One group in all means all rows, unless there can only be a few."""
        if not _grouped(rel).is_one or is_bounded(rel.input) or _holds_one_row(rel):
            return None
        return "groups of such keys are not indexed" if rel.keys else "the whole input is one group"

    def unstable(self, _rel: Aggregate) -> bool:
        """Floating-point sums and collected lists follow the order of rows."""
        return True

    def needs(self, rel: Aggregate, _facts: Facts) -> tuple[Need, ...]:
        """The rows and the answers of each group."""
        return _grouped(rel).needs

    def delta(self, rel: Aggregate, builder: Builder) -> Frame | None:
        """The new answers of the touched groups, less the old ones."""
        return group_delta(_grouped(rel), builder)


def _holds_one_row(rel: Aggregate) -> bool:
    """A scalar subquery: a second row of its input is an error."""
    calls = [output.expr for output in rel.aggregates]
    return any(isinstance(e, AggregateCall) and e.function == "single_value" for e in calls)


def _grouped(rel: Aggregate) -> Grouped:
    return Grouped(
        rel=rel,
        input=rel.input,
        inside=tuple(key.expr for key in rel.keys),
        outside=tuple(key.column.ref() for key in rel.keys),
        apply=lambda table: replace(rel, input=table),
    )
