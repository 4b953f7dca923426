"""Adds up the changes of all branches."""

from __future__ import annotations

from slackwater.algebra.operators import Union
from slackwater.optimizer.rules.base import Builder, Rule, positions


class UnionChanges(Rule[Union]):
    """D(R + S) = D(R) + D(S): columns go by position, weights stay as they are."""

    name = "union"
    operator = Union

    def delta(self, rel: Union, builder: Builder) -> str | None:
        """The changes of the branches that have any."""
        frames = [frame for each in rel.branches if (frame := builder.delta(each)) is not None]
        if not frames:
            return None
        columns = ", ".join([*positions(rel), "_w"])
        text = " UNION ALL ".join(f"SELECT {columns} FROM {frame}" for frame in frames)
        return builder.sql(rel, "delta", text, tuple(dict.fromkeys(frames)))
