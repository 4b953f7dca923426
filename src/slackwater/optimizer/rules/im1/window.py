"""Window functions, partition by partition."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.operators import Window
from slackwater.algebra.rel import Rel
from slackwater.optimizer.facts import Facts, is_bounded
from slackwater.optimizer.rules.affected_groups import Grouped, group_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.plan.frames import Frame


class RedoPartitions(Rule[Window]):
    """D(window(R)): every row of a touched partition is given its functions again.

    Rows whose functions come out as before cancel, so that only real changes go on. Without
    PARTITION BY all rows are one partition.
    """

    name = "window"
    operator = Window

    def recomputes(self, rel: Window) -> str | None:
        """One partition in all means all rows."""
        if not _grouped(rel).is_one or is_bounded(rel.input):
            return None
        if rel.partition:
            return "partitions of such keys are not indexed"
        return "the window has no PARTITION BY"

    def unstable(self, _rel: Window) -> bool:
        """Ties in the window's order may fall either way."""
        return True

    def needs(self, rel: Window, _facts: Facts) -> tuple[Need, ...]:
        """The rows and the answers of each partition."""
        return _grouped(rel).needs

    def delta(self, rel: Window, builder: Builder) -> Frame | None:
        """The touched partitions as they are, less as they were."""
        return group_delta(_grouped(rel), builder)


def _grouped(rel: Window) -> Grouped:
    def apply(table: Rel) -> Rel:
        return replace(rel, input=table)

    return Grouped(rel, rel.input, rel.partition, rel.partition, apply)
