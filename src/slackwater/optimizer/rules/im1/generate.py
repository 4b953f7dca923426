"""Unnests each change by itself."""

from __future__ import annotations

from slackwater.algebra.operators import Generate
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.optimizer.rules.rowwise import rowwise_delta
from slackwater.plan.frames import Frame


class GenerateChanges(Rule[Generate]):
    """D(generate(R)) = generate(D(R)): a generator sees one row at a time.

    An outer generator that gives nothing keeps its row, and so does the change.
    """

    name = "generate"
    operator = Generate

    def delta(self, rel: Generate, builder: Builder) -> Frame | None:
        """The operator over the changes of its input."""
        return rowwise_delta(rel, builder)
