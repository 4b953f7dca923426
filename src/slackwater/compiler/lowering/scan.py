"""Lowers scans: the builder knows which frames hold the rows of sources and views."""

from __future__ import annotations

from slackwater.algebra.operators import Scan
from slackwater.compiler.lowering.base import Builder, Lowering
from slackwater.plan.frames import Frame


class LowerScan(Lowering[Scan]):
    """The changes of a source are the batches it received since the last run, net."""

    def delta(self, rel: Scan, builder: Builder) -> Frame | None:
        """The rows that the source received."""
        return builder.scan_delta(rel)

    def rows(self, rel: Scan, builder: Builder) -> Frame:
        """All rows of the source."""
        return builder.scan_rows(rel)
