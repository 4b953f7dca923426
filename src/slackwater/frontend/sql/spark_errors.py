"""Turns Spark's exceptions about a query into errors that show the place in the user's SQL."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from slackwater.errors import Span, SqlError

_POSITION = re.compile(r"\(line (\d+), pos (\d+)\)|; line (\d+) pos (\d+)")
_PREFIX = re.compile(r"^\s*\[[A-Z0-9_.]+\]\s*")
_STATE = re.compile(r"\s*SQLSTATE: \w+")
_WORD = re.compile(r"[\w`]+|\S")


def sql_error(problem: PySparkException, sql: str | None, tables: Iterable[str]) -> SqlError:
    """The error for a query that Spark cannot parse or analyse."""
    condition = problem.getCondition()
    text = str(problem)
    return SqlError(
        _message(text, condition),
        condition=condition,
        where=_span(problem, text, sql),
        hint=_hint(condition, problem, tables),
    )


def spark_failure(problem: Py4JJavaError) -> SqlError:
    """The error for a query on which Spark itself breaks."""
    text = str(problem.java_exception.getMessage() or problem.java_exception.toString())
    return SqlError(
        f"Spark fails to analyse the query: {_message(text, None)}",
        hint="Spark reports this as a fault of its own; write the query another way. "
        "Arguments that must be constants, such as options, cannot be columns.",
    )


def _message(text: str, condition: str | None) -> str:
    """Spark's sentences without its condition, state, position and plan."""
    sentences = _STATE.split(text.split("== SQL", 1)[0], maxsplit=1)[0]
    found = _POSITION.search(sentences)
    if found:
        sentences = sentences[: found.start()]
    lines = [line.strip() for line in _PREFIX.sub("", sentences).splitlines() if line.strip()]
    if (condition or "").startswith("TABLE_OR_VIEW_NOT_FOUND"):
        # The rest is advice about schemas and DROP statements; our hint names the tables.
        return lines[0].split(". ", 1)[0] + "."
    return " ".join(lines).rstrip("; ")


def _span(problem: PySparkException, text: str, sql: str | None) -> Span | None:
    if sql is None:
        return None
    for context in problem.getQueryContext():
        start = context.startIndex()
        if 0 <= start < len(sql):
            return Span(sql, start, context.stopIndex() + 1)
    found = _POSITION.search(text)
    if not found:
        return None
    line, position = (int(part) for part in found.groups() if part is not None)
    start = sum(len(each) + 1 for each in sql.split("\n")[: line - 1]) + position
    start = min(start, max(len(sql) - 1, 0))
    word = _WORD.match(sql, start)
    return Span(sql, start, word.end() if word else start + 1)


def _hint(condition: str | None, problem: PySparkException, tables: Iterable[str]) -> str | None:
    if condition is None:
        return None
    if condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        return _table_hint(problem, sorted(tables))
    if condition.startswith("UNRESOLVED_COLUMN"):
        return "Check the spelling, and that the table it belongs to is in FROM."
    if condition.startswith("UNRESOLVED_ROUTINE"):
        return (
            "Check the spelling; a Python function must be registered, by spark.udf.register, "
            "in the session that the home was opened with."
        )
    if condition.startswith("DATATYPE_MISMATCH"):
        return "Use CAST to bring both sides to one type."
    return None


def _table_hint(problem: PySparkException, tables: list[str]) -> str:
    if not tables:
        return "No tables are known; check the folder or create a source."
    wanted = (problem.getMessageParameters() or {}).get("relationName", "").replace("`", "")
    close = difflib.get_close_matches(wanted, tables, n=1)
    guess = f"Did you mean {close[0]}? " if close else ""
    return f"{guess}Known tables: {', '.join(tables)}."
