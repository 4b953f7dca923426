"""Reads the changes of a source or of another view."""

from __future__ import annotations

from slackwater.algebra.operators import Scan
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.plan.frames import Frame


class ReadChanges(Rule[Scan]):
    """The changes of a source are the batches it received since the last run, net.

    The builder knows which frames hold them, so it answers for scans itself.
    """

    name = "scan"
    operator = Scan

    def delta(self, rel: Scan, builder: Builder) -> Frame | None:
        """What the source received."""
        return builder.scan_delta(rel)

    def rows(self, rel: Scan, builder: Builder) -> Frame:
        """All rows of the source."""
        return builder.scan_rows(rel)
