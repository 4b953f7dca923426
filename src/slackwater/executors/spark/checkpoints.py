"""Frames that Spark computes once, however often they are read."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame


class Checkpoints:
    """The rows that a piece of work has Spark hold, until they are released."""

    def __init__(self) -> None:
        """Nothing is held yet."""
        self._held: list[Any] = []
        # Frames own the counters that their tasks report to, also once they are checkpointed.
        self._origins: list[DataFrame] = []

    def once(self, frame: DataFrame) -> DataFrame:
        """The frame, computed when it is first read, and only then."""
        self._origins.append(frame)
        held = frame.localCheckpoint(eager=False)
        self._held.append(_checkpointed_rdd(held))
        return held

    def release(self) -> None:
        """Let go of the rows."""
        for rdd in self._held:
            rdd.unpersist(False)


def _checkpointed_rdd(frame: DataFrame) -> Any:
    """The cached rows behind a frame that was checkpointed."""
    return frame._jdf.queryExecution().logical().rdd()
