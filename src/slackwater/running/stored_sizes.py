"""Sizes of the stored state a run finds, as far as they are known without reading it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from slackwater.catalog.step_statistics import Observations
from slackwater.executors.places import StateFiles
from slackwater.plan.costs import Extent
from slackwater.plan.observations import Observed
from slackwater.plan.program import Origin
from slackwater.state.segments import SegmentFile, open_segment

_SAMPLED_BATCHES = 16
_SAMPLED_ROWS = 2_048


class StoredSizes:
    """The sizes of sources and state, each looked at once."""

    def __init__(self, home: Path, files: StateFiles, observations: Observations):
        """Nothing is looked at yet."""
        self._observations = observations
        self._home = home
        self._files = files
        self._pending: dict[str, Extent] = {}
        self._contents: dict[str, Extent] = {}
        self._state: dict[str, Extent] = {}

    def pending(self, source: str) -> Extent:
        """Changes of a source that the run takes in."""
        if source not in self._pending:
            self._pending[source] = _extent(self._files.pending(source))
        return self._pending[source]

    def contents(self, source: str) -> Extent:
        """All rows of a source."""
        if source not in self._contents:
            self._contents[source] = _extent(self._files.contents(source))
        return self._contents[source]

    def arrangement(self, arrangement_id: str) -> Extent:
        """State as of the last commit."""
        if arrangement_id not in self._state:
            files = self._files.arrangement(arrangement_id)
            self._state[arrangement_id] = _extent(files, self._rows_per_key(files))
        return self._state[arrangement_id]

    def observed(self, origin: Origin | None, engine: str | None = None) -> Observed | None:
        """The last run of a step; on any engine, or on one of them."""
        return self._observations.find(origin, engine)

    def _rows_per_key(self, files: tuple[SegmentFile, ...]) -> float:
        """The number of rows with one hash, by a sample of the largest file's batches."""
        largest = max(files, key=lambda file: file.rows, default=None)
        if largest is None or not largest.rows:
            return 1.0
        hashes = open_segment(str(self._home), largest).hashes
        step = max(1, len(hashes) // _SAMPLED_BATCHES)
        samples = [each[:_SAMPLED_ROWS] for each in hashes[::step]]
        keys = sum(1 + int(np.count_nonzero(each[1:] != each[:-1])) for each in samples)
        return sum(map(len, samples)) / keys


def _extent(files: tuple[SegmentFile, ...], rows_per_key: float = 1.0) -> Extent:
    rows = tuple(file.rows for file in files)
    return Extent(rows, sum(file.bytes for file in files), rows_per_key)
