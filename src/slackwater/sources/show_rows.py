"""Prints a few rows as a small table, for messages about bad data."""

from __future__ import annotations

from collections.abc import Sequence

_CELL = 24
_LINE = 96


def show_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The rows below their column names, in lines of at most 96 characters.

    >>> print(show_rows(["id", "name"], [(1, None), (22, "Bo")]))
    id  name
    1   NULL
    22  Bo
    """
    columns = [[_cell(name), *(_cell(row[at]) for row in rows)] for at, name in enumerate(names)]
    widths = [max(map(len, column)) for column in columns]
    shown = _fitting(widths)
    lines = [
        "  ".join(
            column[at].ljust(width) for column, width in zip(columns[:shown], widths, strict=False)
        )
        for at in range(len(rows) + 1)
    ]
    left = len(columns) - shown
    more = [f"({left} more column{'s' if left > 1 else ''})"] if left else []
    return "\n".join([*(line.rstrip() for line in lines), *more])


def _fitting(widths: Sequence[int]) -> int:
    """How many columns fit on a line; the first is always shown."""
    used = -2
    for number, width in enumerate(widths):
        used += width + 2
        if used > _LINE:
            return max(1, number)
    return len(widths)


def _cell(value: object) -> str:
    """A value on one line, shortened; NULL stands out from the text by its case alone."""
    if value is None:
        return "NULL"
    text = value.hex() if isinstance(value, bytes | bytearray) else str(value)
    printable = "".join(
        each if each.isprintable() else _escaped(each) for each in text[: 2 * _CELL]
    )
    return printable if len(printable) <= _CELL else printable[: _CELL - 3] + "..."


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
