"""Patterns of dates and times that both engines write alike."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(
    r"(?P<letters>([A-Za-z])\2*)|'(?P<quoted>[^'\0]+)'|(?P<mark>[^A-Za-z'\[\]{}#\0])"
)
_WRITTEN: Mapping[str, str] = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%-m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "d": "%-d",
    "E": "%a",
    "EEE": "%a",
    "EEEE": "%A",
    "HH": "%H",
    "H": "%-H",
    "hh": "%I",
    "h": "%-I",
    "mm": "%M",
    "m": "%-M",
    "ss": "%S",
    "s": "%-S",
    "SSS": "%g",
    "SSSSSS": "%f",
    "a": "%p",
}
"""The text of each letter, in the years 1 to 9999."""
READ: Mapping[str, str] = {
    "yyyy-MM-dd": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "yyyy-MM-dd HH:mm:ss": "[0-9]{4}-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]",
}
"""Patterns by which DuckDB reads texts without being told, each with the texts that have it."""


def strftime_pattern(pattern: str) -> str | None:
    """A pattern of Spark's as DuckDB writes it; None if they may differ.

    >>> strftime_pattern("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """
    written, at = "", 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        if token["letters"]:
            form = _WRITTEN.get(token["letters"])
            if form is None:
                return None
            written += form
        else:
            written += (token["quoted"] or token["mark"]).replace("%", "%%")
        at = token.end()
    return written
