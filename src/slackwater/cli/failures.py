"""Turns whatever goes wrong in a command into a message and an exit code, never a stack trace.

`SLACKWATER_DEBUG=1` prints the trace as well.
"""

from __future__ import annotations

import logging
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from slackwater.cli.exit_codes import DEFECT, FAILED, INTERRUPTED
from slackwater.cli.output import print_error, print_json
from slackwater.errors import ExecutionError, SetupError, SlackwaterError
from slackwater.frontend.sql.spark_errors import sql_error
from slackwater.runtime.spark_failures import memory_error

_DEBUG = "SLACKWATER_DEBUG"
_JAVA_CLASS = re.compile(r"\b(?:[a-z]\w*\.){2,}[A-Z][\w$]*:?\s*")
_TASK = re.compile(r"^Job aborted .*\(TID \d+\) \([^)]*\):\s*")
_CONDITION = re.compile(r"^\[[A-Z0-9_.]+\]\s*|\s*SQLSTATE: \w+")


class DefectError(SlackwaterError):
    """Something that no part of Slackwater foresaw."""

    stage = "unexpected"


@contextmanager
def guarded(*, as_json: bool) -> Iterator[None]:
    """Run a command's work; on failure print the message and end with the right exit code.

    With `as_json` the message goes to stdout as the one JSON value a program waits for.
    """
    try:
        yield
    except KeyboardInterrupt:
        print_error("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except typer.Exit:
        raise
    except Exception as problem:
        if isinstance(problem, BrokenPipeError) and not _lost_spark(problem):
            raise  # The reader of our output has left; typer ends the program quietly.
        if _debugging():
            print_error("".join(traceback.format_exception(problem)))
        error = explain_failure(problem)
        _report(error, as_json=as_json)
        raise typer.Exit(DEFECT if isinstance(error, DefectError) else FAILED) from None


def hush_libraries() -> None:
    """Keep Python's logging off the terminal: py4j logs every interrupted call with its stack."""
    if not _debugging():
        logging.basicConfig(handlers=[logging.NullHandler()])


def _debugging() -> bool:
    return os.environ.get(_DEBUG, "0") not in ("", "0")


def explain_failure(problem: Exception) -> SlackwaterError:
    """The error a user can read for any exception."""
    if isinstance(problem, SlackwaterError):
        return problem
    if isinstance(problem, PySparkException):
        return memory_error(problem) or ExecutionError(sql_error(problem, None, ()).what)
    if isinstance(problem, Py4JJavaError):
        return _java_failure(problem)
    if _lost_spark(problem):
        return _spark_is_gone()
    if isinstance(problem, OSError):
        what = f"the system refused: {problem.strerror or problem}"
        return SetupError(what, where=problem.filename and str(problem.filename))
    first_line = next(iter(str(problem).splitlines()), "")
    return DefectError(
        f"unexpected {type(problem).__name__}: {first_line}".rstrip(": "),
        hint=f"This is a defect in Slackwater. Run again with {_DEBUG}=1 to see the trace, "
        "and report it together with the command.",
    )


def clean_java_message(message: str) -> str:
    """The first line of what Java says, without class names, task numbers and error codes.

    >>> clean_java_message("org.apache.spark.SparkException: [NO_DISK] disk full. SQLSTATE: 53100")
    'disk full.'
    """
    first_line = next(iter(message.strip().splitlines()), "")
    without_task = _TASK.sub("", _JAVA_CLASS.sub("", first_line))
    return _CONDITION.sub("", without_task).strip() or "Spark gave no reason"


def _report(error: SlackwaterError, *, as_json: bool) -> None:
    if as_json:
        print_json(error.as_dict())
    else:
        print_error(f"error: {error.render()}")


def _java_failure(problem: Py4JJavaError) -> ExecutionError:
    """Spark's own message; asking for it fails where Spark has died meanwhile."""
    try:
        message = str(problem.java_exception.getMessage())
    except (Py4JError, OSError):
        return _spark_is_gone()
    return memory_error(problem) or ExecutionError(f"Spark failed: {clean_java_message(message)}")


def _lost_spark(problem: BaseException) -> bool:
    """Whether the exception, or one it hides, says that Spark does not answer any more.

    py4j raises the same class when Spark does answer, but has no such method; a trace of
    Java's tells the two apart.
    """
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, Py4JError) and not any("Trace:" in str(arg) for arg in seen.args):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _spark_is_gone() -> ExecutionError:
    return ExecutionError(
        "Spark stopped while it was working",
        hint="It may have run out of memory: raise SLACKWATER_SPARK_DRIVER_MEMORY, now 2g "
        "unless you set it.",
    )
