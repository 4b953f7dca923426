"""What a run reads and where it is."""

from __future__ import annotations

from typing import Protocol

from slackwater.state.segments import SegmentFile
from slackwater.types import DataType


class StateFiles(Protocol):
    """Where a run finds what is stored."""

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        """The files of an arrangement as of the last commit."""

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        """The files of the batches that the run takes in."""

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        """All files of a source as of this run."""

    def types(self, source: str) -> tuple[DataType, ...]:
        """The types of a source's columns."""
