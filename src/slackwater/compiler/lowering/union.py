"""Lowers unions: adds up the changes of all branches."""

from __future__ import annotations

from slackwater.algebra.operators import Union
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes
from slackwater.plan.frames import Frame, Fresh
from slackwater.plan.weighted import added, read_changes


class LowerUnion(Lowering[Union]):
    """D(R + S) = D(R) + D(S): columns go by position, weights stay as they are."""

    def delta(self, rel: Union, builder: Builder) -> Frame | None:
        """The changes of the branches that have any."""
        fresh = Fresh(rel)
        changes = [(each, builder.delta(each)) for each in rel.branches]
        tables = [read_changes(each, found, fresh) for each, found in changes if found is not None]
        if not tables:
            return None
        return compute_changes(rel, "delta", added(tables, fresh), builder)
