"""What Spark's own plan of a DataFrame is asked for."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame


def plan_now(frame: DataFrame) -> None:
    """Have Spark plan a frame, which it would do only when a row is asked for."""
    frame._jdf.queryExecution().executedPlan()


def checkpointed_rdd(frame: DataFrame) -> Any:
    """The cached rows behind a frame that was checkpointed."""
    return frame._jdf.queryExecution().logical().rdd()


def expected_bytes(frame: DataFrame) -> int:
    """How large a frame will be, as its own session estimates it."""
    return int(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())
