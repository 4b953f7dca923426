"""A limit to the seconds that a piece of work may take."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from slackwater.errors import ExecutionError

_AGAIN = 0.5
"""Seconds between two attempts to cancel: the work may start further jobs."""


class TooSlowError(ExecutionError):
    """The work took longer than it may."""


@contextmanager
def time_limit(spark: SparkSession, seconds: float) -> Iterator[None]:
    """Cancel Spark's jobs after so many seconds, and raise TooSlowError at the end of the block.

    What this process computes itself is not interrupted, since a call to Java that is left
    half-way would give its answer to the next one.
    """
    done = threading.Event()
    watch = threading.Thread(target=_cancel_jobs, args=(spark, seconds, done), daemon=True)
    started = time.perf_counter()
    watch.start()
    problem: Exception | None = None
    try:
        yield
    except Exception as error:
        problem = error
    finally:
        done.set()
        watch.join()
    if time.perf_counter() - started > seconds:
        raise TooSlowError(f"it took longer than {seconds:g} s") from problem
    if problem is not None:
        raise problem


def _cancel_jobs(spark: SparkSession, seconds: float, done: threading.Event) -> None:
    if done.wait(seconds):
        return
    while not done.wait(_AGAIN):
        spark.sparkContext.cancelAllJobs()
