"""How the demo looks: one page, readable without colour, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from decimal import Decimal

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from slackwater.cli.demo_run import DEMO_SCALE, DemoRun
from slackwater.cli.output import count_of, hang, heading, plain_table

_INDENT = 2
_STAGES = {
    "the query": "SQL as Spark understands it. Spark itself resolves its names and types.",
    "our algebra": "The same query as a plan of Slackwater's own: what can be kept up to date "
    "piece by piece. A part that has no place in it is left to Spark, and `explain` says why.",
    "the Spark statement": "The plan written back as one SQL statement, one step an operator. "
    "Spark runs it.",
    "the check": "The query as given, run by plain Spark on the same files: same columns, types, "
    "rows and order, or the demo fails.",
}


def show_demo(console: Console, run: DemoRun) -> None:
    """Print the whole page."""
    _show_data(console, run)
    heading(console, "1  The query")
    _show_text(console, run.sql, "sql")
    heading(console, "2  Our algebra")
    _show_text(console, run.plan)
    heading(console, "3  The Spark statement")
    _show_text(console, run.statement, "sql")
    heading(console, "4  The answer")
    _show(console, _answer_table(run))
    heading(console, "5  The check")
    _show_text(console, verdict(run))
    heading(console, "Seconds")
    _show(console, _seconds_table(run))
    heading(console, "What each stage is")
    _show(console, _stage_table())


def demo_data(run: DemoRun) -> dict[str, object]:
    """The same as data, for `--json`."""
    return {
        "data": {"folder": str(run.folder), "rows": dict(run.table_rows)},
        "sql": run.sql,
        "plan": run.plan,
        "statement": run.statement,
        "columns": list(run.columns),
        "answer": [[_json_value(value) for value in row] for row in run.answer],
        "same_as_spark": run.difference is None,
        "difference": run.difference and run.difference.render(),
        "seconds": dict(run.seconds),
    }


def verdict(run: DemoRun) -> str:
    """Whether plain Spark agrees, in words."""
    if run.difference is None:
        rows = count_of(len(run.answer), "row")
        return f"Plain Spark gives the same {rows}: columns, types, values and order agree."
    return f"Plain Spark gives another answer.\n{run.difference.render()}"


def _show(console: Console, content: Table) -> None:
    console.print(Padding(content, (0, 0, 0, _INDENT), expand=False))


def _show_text(console: Console, text: str, language: str | None = None) -> None:
    """Text with its own line structure; SQL is coloured where there are colours."""
    wrapped = textwrap.indent(hang(text, console.width - _INDENT), " " * _INDENT)
    content = Text(wrapped)
    if language is not None:
        syntax = Syntax("", language, theme="ansi_dark", background_color="default")
        content = syntax.highlight(wrapped)
        content.rstrip()
    console.print(content)


def _show_data(console: Console, run: DemoRun) -> None:
    console.print(Text("Slackwater: one query on its way from SQL to a checked answer", "bold"))
    sizes = ", ".join(f"{name} {rows:,}" for name, rows in run.table_rows.items())
    data = f"Data: TPC-H at scale factor {DEMO_SCALE}; rows: {sizes}"
    console.print(hang(data, console.width))


def _answer_table(run: DemoRun) -> Table:
    numbers = tuple(
        name
        for position, name in enumerate(run.columns)
        if all(isinstance(row[position], int | Decimal) for row in run.answer)
    )
    table = plain_table(*run.columns, right=numbers)
    for row in run.answer:
        table.add_row(*(_cell(value) for value in row))
    return table


def _cell(value: object) -> str:
    if isinstance(value, int | Decimal):
        return f"{value:,}"
    return "NULL" if value is None else str(value)


def _json_value(value: object) -> object:
    """Decimals become text: JSON's numbers would lose their digits."""
    return value if isinstance(value, int | float | str | None) else str(value)


def _seconds_table(run: DemoRun) -> Table:
    table = plain_table("step", "s", right=("s",))
    for name, seconds in run.seconds.items():
        table.add_row(name, f"{seconds:.1f}")
    table.add_row("in all", f"{sum(run.seconds.values()):.1f}")
    return table


def _stage_table() -> Table:
    table = plain_table("stage", "meaning")
    for name, meaning in _STAGES.items():
        table.add_row(name, meaning)
    return table
