"""Window functions that see only rows nearby, range by range."""

from __future__ import annotations

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Window
from slackwater.expr.properties import may_raise
from slackwater.optimizer.rules.base import Rule, unstorable
from slackwater.optimizer.rules.order_buckets import has_bucket
from slackwater.optimizer.rules.ranged import has_plain_partition, has_ties, ranged_window
from slackwater.optimizer.rules.reach import reach_of
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import Alternative, Refusal


class RedoRanges(Rule[Window]):
    """D(window(R)): in large partitions, only rows that see a change are given functions again.

    The order is cut into buckets. An index of the rows in each says which buckets have rows that
    see a changed one, and which rows those see; the proof is with the lowering.
    """

    name = "window_ranges"
    operator = Window
    unstable = True
    """Sums of doubles may be added up in another order."""

    def alternative(self, rel: Window, facts: Facts) -> Alternative | Refusal:
        """The window by ranges, with buckets as wide as the facts say."""
        reason = self.refuses(rel, facts)
        if reason is not None:
            return Refusal(self.name, reason)
        shift = facts.bucket_shift(fingerprint(rel))
        if shift is None:
            return Refusal(self.name, "its partitions are not known to be large")
        state = ranged_window(rel, shift).state
        reason = unstorable(state)
        if reason is not None:
            return Refusal(self.name, reason)
        return Alternative(self.name, state, None, self.unstable, shift)

    def refuses(self, rel: Window, _facts: Facts) -> str | None:
        """Functions see rows nearby, in an order that has buckets."""
        if not rel.order:
            return "the window has no ORDER BY"
        if not has_bucket(rel.order[0].expr.dtype):
            return f"an order by {rel.order[0].expr.dtype.sql()} has no buckets"
        if any(map(may_raise, (*rel.partition, rel.order[0].expr))):
            return "the keys of the window may fail for rows that are not there"
        if not has_plain_partition(rel):
            return "keys of PARTITION BY have no single form"
        reach = reach_of(rel)
        if isinstance(reach, str):
            return reach
        if has_ties(rel):
            return "rows of equal keys stay in no order"
        return None
