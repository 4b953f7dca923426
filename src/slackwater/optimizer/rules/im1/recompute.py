"""The rule of last resort: compute everything again and compare."""

from __future__ import annotations

from slackwater.algebra.operators import Recompute
from slackwater.algebra.rel import Rel
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.base import Builder, Need, Rule, compute_changes
from slackwater.optimizer.rules.keys import whole_row
from slackwater.optimizer.rules.weighted import (
    consolidated,
    counted_once,
    difference,
    read_changes,
)
from slackwater.plan.frames import Frame, Fresh, read_rows


class RecomputeAll(Rule[Rel]):
    """D(Q) = Q after the run less Q before it, the latter as it was kept.

    Whatever Spark can run can be kept this way. Only the answer is state.
    """

    name = "recompute"
    operator = Rel

    def recomputes(self, rel: Rel) -> str | None:
        """By definition; a part that Spark runs itself says why it is one."""
        return rel.reason if isinstance(rel, Recompute) else "no rule keeps it incrementally"

    def unstable(self, _rel: Rel) -> bool:
        """Spark may give ties and sums in another order each time."""
        return True

    def needs(self, rel: Rel, _facts: Facts) -> tuple[Need, ...]:
        """The answer."""
        return (Need(whole_row(rel), rel),)

    def rows(self, rel: Rel, builder: Builder) -> Frame:
        """A part that has no form in the algebra is Spark's own plan over whole tables."""
        if isinstance(rel, Recompute):
            return builder.fragment_rows(rel)
        return super().rows(rel, builder)

    def delta(self, rel: Rel, builder: Builder) -> Frame | None:
        """New answer less old answer."""
        if not builder.touched(rel):
            return None
        fresh = Fresh(rel)
        now = counted_once(read_rows(rel, builder.rows(rel)), fresh)
        before = builder.state_rows(rel, "before", whole_row(rel))
        both = difference(now, read_changes(rel, before, fresh), fresh)
        return compute_changes(rel, "delta", consolidated(both, fresh), builder)
