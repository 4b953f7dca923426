"""Left, right and full outer joins."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.affected_keys import join_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.optimizer.rules.join_keys import join_needs

_KINDS = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)


class OuterJoinChanges(Rule[Join]):
    """D(L ⟕ R): pairs come and go as in an inner join; a first or last match flips a row.

    A key whose matches go from none to some loses its NULL-padded rows and gains pairs, and
    the other way round; a residual condition decides matches too. Weights of a pair multiply,
    a padded row keeps its own.
    """

    name = "outer_join"
    operator = Join

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only its own kinds of join."""
        return None if rel.kind in _KINDS else "another kind of join"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> str | None:
        """The join redone for the keys, or else the rows, that changed."""
        return join_delta(rel, builder)
