"""Says what went wrong in Spark in one line, without Java's class names and stack traces."""

from __future__ import annotations

import re

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from slackwater.errors import ExecutionError
from slackwater.frontend.sql.spark_errors import sql_error
from slackwater.spark.failures import memory_error

_JAVA_CLASS = re.compile(r"\b(?:[a-z]\w*\.){2,}[A-Z][\w$]*:?\s*")
_TASK = re.compile(r"^Job aborted .*\(TID \d+\) \([^)]*\):\s*")
_CONDITION = re.compile(r"^\[[A-Z0-9_.]+\]\s*|\s*SQLSTATE: \w+")


def spark_error(problem: BaseException) -> ExecutionError | None:
    """The error a user can read for an exception of Spark's; None if it is none of Spark's."""
    if isinstance(problem, PySparkException):
        return memory_error(problem) or ExecutionError(sql_error(problem, None, ()).what)
    if isinstance(problem, Py4JJavaError):
        return _java_failure(problem)
    return _spark_is_gone() if lost_spark(problem) else None


def lost_spark(problem: BaseException) -> bool:
    """Tell whether the exception, or one it hides, says that Spark does not answer any more.

    py4j raises the same class when Spark does answer, but has no such method; a trace of
    Java's tells the two apart.
    """
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, Py4JError) and not any("Trace:" in str(arg) for arg in seen.args):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def clean_java_message(message: str) -> str:
    """The first line of what Java says, without class names, task numbers and error codes.

    >>> clean_java_message("org.apache.spark.SparkException: [NO_DISK] disk full. SQLSTATE: 53100")
    'disk full.'
    """
    first_line = next(iter(message.strip().splitlines()), "")
    without_task = _TASK.sub("", _JAVA_CLASS.sub("", first_line))
    return _CONDITION.sub("", without_task).strip() or "Spark gave no reason"


def _java_failure(problem: Py4JJavaError) -> ExecutionError:
    """Spark's own message; asking for it fails where Spark has died meanwhile."""
    try:
        message = str(problem.java_exception.getMessage())
    except (Py4JError, OSError):
        return _spark_is_gone()
    return memory_error(problem) or ExecutionError(f"Spark failed: {clean_java_message(message)}")


def _spark_is_gone() -> ExecutionError:
    return ExecutionError(
        "Spark stopped while it was working",
        hint="It may have run out of memory: raise SLACKWATER_SPARK_DRIVER_MEMORY, now 2g "
        "unless you set it.",
    )
