"""The streams of commands: answers on stdout, progress and errors on stderr.

Text that a user may copy or pipe onwards (plans, SQL, JSON, errors) is written as it is.
Pages for reading, such as the demo, go through rich and never need more than 100 columns.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper

import typer
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

PAGE_WIDTH = 100

_BREAKS = re.compile(r"(?<=,) | (?=(?:AND|OR|FROM|WHERE|ON|GROUP BY|ORDER BY) )")

Say = Callable[[str], None]
"""Tells the user what is being done at the moment."""


def print_json(value: object) -> None:
    """Write one JSON value to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_error(text: str) -> None:
    """Write a message to stderr."""
    typer.echo(text, err=True)


def tolerate_narrow_encodings() -> None:
    """Let streams that lack a character print a substitute, as a failed print helps nobody."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def page_console() -> Console:
    """A console for pages: as wide as the terminal, at most 100 columns."""
    found = Console()
    width = min(found.width, PAGE_WIDTH) if found.is_terminal else PAGE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


@contextmanager
def working(message: str) -> Iterator[Say]:
    """Show what goes on while the block runs, on a terminal only; the value changes the message."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_nothing
        return
    with console.status(Text(message)) as status:
        yield lambda text: status.update(Text(text))


@contextmanager
def measuring(message: str) -> Iterator[Say]:
    """Like `working`, but each message is a line of stderr where nobody watches.

    Measurements may take an hour: their log tells how far they are, and what they found so far.
    """
    started = time.monotonic()

    def log(text: str) -> None:
        typer.echo(f"{time.monotonic() - started:7.1f} s  {text}", err=True)

    if not Console(stderr=True).is_terminal:
        log(message)
        yield log
        return
    with working(message) as say:
        yield say


def _say_nothing(_message: str) -> None:
    """Progress for a reader who is not there."""


def heading(console: Console, title: str) -> None:
    """Start a section of a page."""
    console.print()
    console.rule(Text(title, style="bold"), align="left", style="dim")


def hang(text: str, width: int) -> str:
    """Break long lines where a clause or a list item begins; the rest is indented below.

    >>> print(hang("  Scan t [a INT, b INT NOT NULL]", 24))
      Scan t [a INT,
          b INT NOT NULL]
    """
    return "\n".join(part for line in text.splitlines() for part in _hang_line(line, width))


def _hang_line(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())] + "    "
    parts = [""]
    for piece in _BREAKS.split(line):
        longer = f"{parts[-1]} {piece}" if parts[-1] else piece
        if len(longer) <= width or not parts[-1]:
            parts[-1] = longer
        else:
            parts.append(indent + piece)
    return [short for part in parts for short in _wrap(part, width, indent)]


def _wrap(part: str, width: int, indent: str) -> list[str]:
    """A part that has no good place to break is broken at any blank."""
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.wrap(part) or [""]


def plain_table(*headers: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table; the columns named in `right` hold numbers."""
    table = Table(header_style="bold", pad_edge=False, box=None, padding=(0, 3, 0, 0))
    for header in headers:
        justify: JustifyMethod = "right" if header in right else "left"
        table.add_column(Text(header), justify=justify, overflow="fold")
    return table


def unbroken(table: Table) -> Table:
    """The table with only its last column, which holds sentences, broken into lines."""
    for column in table.columns[:-1]:
        column.no_wrap = True
    return table


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the plural where it must be.

    >>> count_of(1, "row"), count_of(15000, "row"), count_of(0, "query", "queries")
    ('1 row', '15,000 rows', '0 queries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size_of(count: int) -> str:
    """A number of bytes for a reader.

    >>> size_of(900), size_of(1536), size_of(3 << 30)
    ('900 B', '1.5 kB', '3.0 GB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"
