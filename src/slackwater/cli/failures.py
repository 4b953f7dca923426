"""Turns whatever goes wrong in a command into a message and an exit code, never a stack trace.

`SLACKWATER_DEBUG=1` prints the trace as well.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from slackwater.api import spark_error
from slackwater.cli.exit_codes import DEFECT, FAILED, INTERRUPTED
from slackwater.cli.output import print_error, print_json
from slackwater.errors import SetupError, SlackwaterError

_DEBUG = "SLACKWATER_DEBUG"


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
        if isinstance(problem, BrokenPipeError) and spark_error(problem) is None:
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
    of_spark = spark_error(problem)
    if of_spark is not None:
        return of_spark
    if isinstance(problem, OSError):
        what = f"the system refused: {problem.strerror or problem}"
        return SetupError(what, where=problem.filename and str(problem.filename))
    first_line = next(iter(str(problem).splitlines()), "")
    return DefectError(
        f"unexpected {type(problem).__name__}: {first_line}".rstrip(": "),
        hint=f"This is a defect in Slackwater. Run again with {_DEBUG}=1 to see the trace, "
        "and report it together with the command.",
    )


def _report(error: SlackwaterError, *, as_json: bool) -> None:
    if as_json:
        print_json(error.as_dict())
    else:
        print_error(f"error: {error.render()}")
