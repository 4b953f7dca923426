"""EXISTS as a column of every left row."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.affected_keys import join_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.optimizer.rules.join_keys import join_needs


class MarkJoinChanges(Rule[Join]):
    """D(mark(L, R)): every left row stays; the mark of a key's rows flips with its matches."""

    name = "mark_join"
    operator = Join

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only its own kinds of join."""
        return None if rel.kind is JoinKind.MARK else "another kind of join"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> str | None:
        """The join redone for the keys, or else the rows, that changed."""
        return join_delta(rel, builder)
