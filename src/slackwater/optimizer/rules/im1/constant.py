"""Relations that never change."""

from __future__ import annotations

from slackwater.algebra.operators import Range, Values
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.plan.frames import Frame


class KeepValues(Rule[Values]):
    """D(values) = nothing: constant rows arrive once, when the view is first filled."""

    name = "values"
    operator = Values

    def delta(self, _rel: Values, _builder: Builder) -> Frame | None:
        """Never any."""
        return None


class KeepRange(Rule[Range]):
    """D(range) = nothing, as for constant rows."""

    name = "range"
    operator = Range

    def delta(self, _rel: Range, _builder: Builder) -> Frame | None:
        """Never any."""
        return None
