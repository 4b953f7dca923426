"""Finds texts that Spark takes for the present moment: TIMESTAMP 'now', CAST('today' AS DATE).

Spark replaces them by constants while it plans, so that nothing in the plan tells them from
moments that were written out.
"""

from __future__ import annotations

import re

_WORDS = r"(?:now|today|tomorrow|yesterday)"
_MENTIONED = re.compile(rf"\b{_WORDS}\b", re.IGNORECASE)
_MOMENT = re.compile(rf"\s*({_WORDS})(?:\s+\S+)?\s*", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<left_out>\s+|--[^\n]*|/\*.*?\*/)
    |(?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    |(?P<word>\w+)
    |`[^`]*`
    |.""",
    re.VERBOSE | re.DOTALL,
)
_TYPES = ("date", "timestamp", "timestamp_ntz", "timestamp_ltz")
_CONVERTED = re.compile(
    rf"\b(?:(?:try_)?cast\(\s*({_WORDS})(?:\s+\S+)?\s+as\s+(?:date|timestamp)"
    rf"|(?:try_)?to_(?:date|timestamp)(?:_ntz|_ltz)?\(\s*({_WORDS})(?:\s+[^\s,)]+)?\s*[,)])",
    re.IGNORECASE,
)


def may_name_moment(sql: str) -> bool:
    """Tell if a text has one of the words at all, wherever they stand."""
    return _MENTIONED.search(sql) is not None


def moment_in_text(sql: str) -> str | None:
    """The word in a typed literal of a statement.

    >>> moment_in_text("SELECT timestamp 'now'")
    'now'
    >>> moment_in_text("SELECT 'date', 'today' -- date 'today'")
    """
    before = ""
    for token in _TOKEN.finditer(sql):
        if token["left_out"]:
            continue
        if token["text"] and before in _TYPES:
            found = _MOMENT.fullmatch(token["text"][1:-1])
            if found:
                return found[1].lower()
        before = (token["word"] or "").lower()
    return None


def moment_in_plan(analysed: str) -> str | None:
    """The word in a conversion from text, as Spark prints its plans.

    >>> moment_in_plan("Project [cast(now as timestamp) AS n#1, cast(now#7 as date) AS d#2]")
    'now'
    """
    found = _CONVERTED.search(analysed)
    return (found[1] or found[2]).lower() if found else None
