"""Semi and anti joins: EXISTS, IN and NOT EXISTS."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.affected_keys import join_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.optimizer.rules.join_keys import join_needs


class SemiJoinChanges(Rule[Join]):
    """D(L ⋉ R) and D(L ▷ R): a left row counts as often as it did; matches only switch it.

    How many matches there are does not matter, only whether there is one under the residual
    condition, before the run and after it.
    """

    name = "semi_join"
    operator = Join

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only its own kinds of join."""
        return None if rel.kind in (JoinKind.SEMI, JoinKind.ANTI) else "another kind of join"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> str | None:
        """The join redone for the keys, or else the rows, that changed."""
        return join_delta(rel, builder)
