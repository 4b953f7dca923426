"""Joins: both sides are kept by the join key; one table of kinds."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.algebra.rel import Rel
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.join_keys import join_state
from slackwater.plan.view_plan import KeptState


class JoinByKey(Rule[Join]):
    """A join of some kinds, with both sides kept by the key.

    - INNER, CROSS: D(L ⋈ R) = D(L) ⋈ R + L ⋈ D(R) + D(L) ⋈ D(R), where L and R are as before
      the run. Weights multiply. Without an equality between the sides every row is read.
    - All others depend on the existence of matches: the join is redone for the keys, or else
      the rows, that changed.

    For a JOIN b ON a.k = b.k AND a.v < b.v:

        keeps     the rows of a by a hash of k, the rows of b by a hash of k
        INNER     a changed row of a meets the rows of b under its hash; then k and v are compared
        LEFT      where b changes, rows of a under its hashes are joined to b as it was and as it is
    """

    operator = Join

    def __init__(self, name: str, *kinds: JoinKind):
        """The rule of some kinds of join."""
        self.name = name
        self._kinds = kinds

    def concerns(self, rel: Rel) -> bool:
        """Only its own kinds of join."""
        return isinstance(rel, Join) and rel.kind in self._kinds

    def state(self, rel: Join) -> tuple[KeptState, ...]:
        """Both sides by the join key."""
        return join_state(rel)


JOINS = (
    JoinByKey("inner_join", JoinKind.INNER, JoinKind.CROSS),
    JoinByKey("outer_join", JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL),
    JoinByKey("semi_join", JoinKind.SEMI, JoinKind.ANTI),
    JoinByKey("mark_join", JoinKind.MARK),
    JoinByKey("single_join", JoinKind.SINGLE),
    JoinByKey("not_in", JoinKind.NULL_AWARE_ANTI),
)
