"""Aggregates that are sums: changed groups are adjusted, their rows never read again."""

from __future__ import annotations

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Aggregate
from slackwater.errors import InvariantError
from slackwater.expr.nodes import Expr
from slackwater.optimizer.rules.accumulators import GroupState, group_state
from slackwater.optimizer.rules.base import Rule
from slackwater.plan.arrangements import Arrangement, Role, hashable, stored_column
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import KeptState
from slackwater.types import is_collated


class AdjustSums(Rule[Aggregate]):
    """D(aggregate(R)): each touched group is taken out as it was and put back as it is.

    State is one row per group: keys, exact running values, the number of rows. min and max are
    kept this way only while their input never loses a row.
    """

    name = "aggregate_sums"
    operator = Aggregate

    def refuses(self, rel: Aggregate, facts: Facts) -> str | None:
        """Every aggregate must have exact running values, and every group one key."""
        if any(is_collated(key.column.dtype) for key in rel.keys):
            return "of keys that a collation calls equal a group shows one that its rows have"
        found = group_state(rel, grows=self.grows(rel, facts), facts=facts)
        return found if isinstance(found, str) else None

    def grows(self, rel: Aggregate, facts: Facts) -> bool:
        """Tell if running extremes will do, because no row goes or because it is noticed."""
        return facts.never_retracts(rel.input)

    def state(self, rel: Aggregate) -> tuple[KeptState, ...]:
        """One row per group."""
        return (KeptState(stored_groups(running_values(rel)), rel),)


def running_values(rel: Aggregate) -> GroupState:
    """The stored row of a group, for an aggregate that has one."""
    found = group_state(rel, grows=True, facts=Facts())
    if isinstance(found, str):
        raise InvariantError(f"no running values for this aggregate: {found}")
    return found


def group_key(state: GroupState) -> tuple[Expr, ...]:
    """The key that stored groups are found by."""
    keys = enumerate(key.column.dtype for key in state.rel.keys)
    found = (hashable(stored_column(n, dtype)) for n, dtype in keys)
    return tuple(key for key in found if key is not None)


def stored_groups(state: GroupState) -> Arrangement:
    """The arrangement with one row per group."""
    return Arrangement(fingerprint(state.rel), Role.ACCUMULATORS, state.types, group_key(state))
