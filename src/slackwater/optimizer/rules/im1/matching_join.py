"""Joins whose rows depend on whether a match exists: one rule a kind, one way for all."""

from __future__ import annotations

from slackwater.algebra.operators import Join, JoinKind
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.affected_keys import join_delta
from slackwater.optimizer.rules.base import Builder, Need, Rule
from slackwater.optimizer.rules.join_keys import join_needs
from slackwater.plan.frames import Frame


class MatchingJoinChanges(Rule[Join]):
    """D(join(L, R)): the join redone for the keys, or else the rows, that changed.

    - LEFT, RIGHT, FULL: a first or last match flips a row between a pair and padding with NULLs.
      Weights of a pair multiply, a padded row keeps its own.
    - SEMI, ANTI: a left row counts as often as it did; a match only switches it.
    - MARK: every left row stays; its mark flips with its matches.
    - SINGLE: as LEFT; a second match of a left row raises Spark's error.
    - NULL_AWARE_ANTI: a NULL on the right removes every left row, a NULL on the left all but over
      nothing. Only equalities of the correlated condition confine a change.
    """

    operator = Join

    def __init__(self, name: str, *kinds: JoinKind):
        """The rule of some kinds of join."""
        self.name = name
        self._kinds = kinds

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only its own kinds of join."""
        return None if rel.kind in self._kinds else "another kind of join"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> Frame | None:
        """The join redone for the keys, or else the rows, that changed."""
        return join_delta(rel, builder)


MATCHING_JOINS = (
    MatchingJoinChanges("outer_join", JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL),
    MatchingJoinChanges("semi_join", JoinKind.SEMI, JoinKind.ANTI),
    MatchingJoinChanges("mark_join", JoinKind.MARK),
    MatchingJoinChanges("single_join", JoinKind.SINGLE),
    MatchingJoinChanges("not_in", JoinKind.NULL_AWARE_ANTI),
)
