"""Minimum and maximum under deletes: the rows are read again only when the extreme itself goes."""

from __future__ import annotations

from slackwater.algebra.operators import Aggregate
from slackwater.optimizer.rules.arrangement_keys import contents, hashed_keys, whole_row
from slackwater.optimizer.rules.im1.aggregate_sums import AdjustSums, running_values
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import KeptState
from slackwater.plan.weighted import adds_up
from slackwater.types import is_collated
from slackwater.types.storage import needs_encoding


class GuardExtremes(AdjustSums):
    """D(aggregate(R)) with min and max: adjusted like sums, but for groups that lost their extreme.

    Let m be the stored minimum of a group's rows R, and D the net changes, which take the values
    D- away and add D+. Claim: if min(D-) > m, or min(D+) <= m, then min(R + D) is the lesser of m
    and min(D+). Proof: if min(D-) > m, every copy of m stays, so that min(R - D-) is m. If
    min(D+) <= m, then min(D+) is there, and nothing of R is smaller. A maximum likewise. Where R
    has no value, m is NULL and nothing can be taken away. Only groups for which neither holds
    have their rows gathered, and their extremes found again. Without keys all rows are one
    group: they are read again only by the run that takes an extreme away.
    """

    name = "aggregate_extremes"

    def refuses(self, rel: Aggregate, facts: Facts) -> str | None:
        """Every aggregate must be a sum or an extreme, and changes must be known net."""
        reason = super().refuses(rel, facts)
        if reason is not None:
            return reason
        if not all(adds_up(column.dtype) for column in rel.input.columns):
            return "changes of such columns cannot be added up before they are used"
        state = running_values(rel)
        if any(one.lost and is_collated(one.dtype) for one in state.accumulators):
            return "of texts that a collation calls equal the one that is left must be shown"
        if any(map(needs_encoding, state.types)):
            return "a running value is stored in another form than it is computed in"
        return None

    def grows(self, _rel: Aggregate, _facts: Facts) -> bool:
        """Extremes count as running values: a lost one is found again."""
        return True

    def state(self, rel: Aggregate) -> tuple[KeptState, ...]:
        """One row per group, and the rows of each group for when its extreme goes."""
        return (*super().state(rel), KeptState(rows_by_group(rel), rel.input))


def rows_by_group(rel: Aggregate) -> Arrangement:
    """The rows of each group; row by row if there is only one."""
    if not rel.keys:
        return whole_row(rel.input)
    return contents(rel.input, hashed_keys(rel.input, tuple(key.expr for key in rel.keys)))
