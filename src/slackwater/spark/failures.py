"""Spark's failures as errors that tell whose fault it is and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from slackwater.errors import ExecutionError, NumberTooLargeError, SlackwaterError

SPARK_FAILURES = (PySparkException, Py4JJavaError)
"""Spark's reports of failures: errors of data by condition, lost workers and tasks as Java's."""

_TOO_LARGE = ("ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
_NO_MEMORY = ("OutOfMemoryError", "Java heap space", "GC overhead limit exceeded")


def execution_error(problem: PySparkException | Py4JJavaError) -> SlackwaterError:
    """Translate Spark's error about data, workers, memory or a statement into one of ours."""
    shortage = memory_error(problem)
    if shortage is not None:
        return shortage
    if isinstance(problem, Py4JJavaError):
        wrapped = _wrapped_condition(problem)
        if wrapped is not None:
            return _of_data(*wrapped)
        said = str(problem.java_exception.getMessage()).strip().splitlines()
        return ExecutionError(
            f"the run failed in Spark and changed nothing: {said[0] if said else 'no message'}",
            hint="Spark lost tasks or workers; refresh again, and look at its logs if it recurs.",
        )
    return _of_data(problem.getCondition() or "", str(problem))


def _of_data(condition: str, text: str) -> ExecutionError:
    """The error for rows that a statement fails on."""
    message = text.split("\n\nJVM stacktrace", 1)[0].split("== SQL", 1)[0].strip()
    kind = NumberTooLargeError if condition.startswith(_TOO_LARGE) else ExecutionError
    return kind(
        f"the run failed in Spark and changed nothing: {message}",
        where=condition or None,
        hint="Correct or delete the rows that cause it, then refresh again.",
    )


def memory_error(problem: PySparkException | Py4JJavaError) -> ExecutionError | None:
    """The error for a heap that ran out, wherever in the chain of causes Java says so."""
    for text in _said(problem):
        if any(word in text for word in _NO_MEMORY):
            return ExecutionError(
                "Java ran out of memory in Spark; nothing was changed",
                hint="Give it more and try again: spark.driver.memory for the driver and all of a "
                "local session (SLACKWATER_SPARK_DRIVER_MEMORY if Slackwater starts it), "
                "spark.executor.memory on a cluster. A batch may also come in smaller parts.",
            )
    return None


def _wrapped_condition(problem: Py4JJavaError) -> tuple[str, str] | None:
    """The condition of data inside another failure, as where rows are broadcast, and its text."""
    for cause in _causes(problem):
        try:
            condition = cause.getCondition()
        except (Py4JError, TypeError):
            continue  # Not every failure has one.
        if condition:
            return str(condition), str(cause.getMessage())
    return None


def _said(problem: PySparkException | Py4JJavaError) -> Iterator[str]:
    """The failure and its causes, as Java prints each: its class, then its message."""
    yield str(problem)
    for cause in _causes(problem):
        try:
            yield str(cause.toString())
        except (Py4JError, OSError):
            return  # Spark has died meanwhile; what is known is told.


def _causes(problem: PySparkException | Py4JJavaError) -> Iterator[Any]:
    """Java's failure and what it was caused by, as long as Spark answers."""
    cause = getattr(problem, "java_exception", None) or getattr(problem, "_origin", None)
    while cause is not None:
        yield cause
        try:
            cause = cause.getCause()
        except (Py4JError, OSError):
            return
