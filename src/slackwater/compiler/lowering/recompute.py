"""Lowers the last resort: compute everything again and compare."""

from __future__ import annotations

from slackwater.algebra.operators import Recompute
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes
from slackwater.optimizer.rules.arrangement_keys import whole_row
from slackwater.plan.frames import Frame, Fresh, read_rows
from slackwater.plan.weighted import (
    consolidated,
    counted_once,
    difference,
    read_changes,
)


class LowerRecompute(Lowering[Rel]):
    """D(Q) = Q after the run less Q before it, the latter as it was kept."""

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
