"""Window functions, partition by partition."""

from __future__ import annotations

from slackwater.algebra.operators import Window
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_window
from slackwater.plan.facts import is_bounded
from slackwater.plan.view_plan import KeptState


class RedoPartitions(Rule[Window]):
    """D(window(R)): every row of a touched partition is given its functions again.

    Rows whose functions come out as before cancel, so that only real changes go on. Without
    PARTITION BY all rows are one partition.
    """

    name = "window"
    operator = Window
    unstable = True
    """Ties in the window's order may fall either way."""

    def recomputes(self, rel: Window) -> str | None:
        """One partition in all means all rows."""
        if not grouped_window(rel).is_one or is_bounded(rel.input):
            return None
        if rel.partition:
            return "partitions of such keys are not indexed"
        return "the window has no PARTITION BY"

    def state(self, rel: Window) -> tuple[KeptState, ...]:
        """The rows and the answers of each partition."""
        return grouped_window(rel).state
