"""NOT IN, where a NULL comparison also removes the row."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.affected_keys import join_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.optimizer.rules.join_keys import join_needs


class NotInChanges(Rule[Join]):
    """D(L NOT IN R): a NULL on the right removes every left row, a NULL on the left all but over
    nothing. So a key alone tells nothing; only equalities of the correlated condition confine
    a change.
    """

    name = "not_in"
    operator = Join

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only its own kinds of join."""
        return None if rel.kind is JoinKind.NULL_AWARE_ANTI else "another kind of join"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> str | None:
        """The join redone for the keys, or else the rows, that changed."""
        return join_delta(rel, builder)
