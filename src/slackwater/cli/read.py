"""`slackwater read`: the current answer of a view, or an older one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

import typer
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import BinaryType, DecimalType

from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder, opened_project
from slackwater.cli.output import print_json, working


@dataclass(frozen=True, slots=True)
class Answer:
    """Some rows of a view: as JSON values, or as texts for a reader."""

    view: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    complete: bool


def read(
    view: Annotated[str, typer.Argument(metavar="VIEW", help="The view to read.")],
    limit: Annotated[int, typer.Option(min=1, help="The most rows to show.")] = 20,
    commit: Annotated[
        int | None, typer.Option(min=1, help="Read the answer as of this commit.")
    ] = None,
    project: ProjectFolder = Path(),
    as_json: AsJson = False,
) -> None:
    """Show the answer of a view."""
    with guarded(as_json=as_json):
        with working("reading the project") as say, opened_project(project, say) as opened:
            frame = opened.read(view, commit)
            say(f"reading {view}")
            answer = fetch_answer(view, frame, limit, as_json=as_json)
        if as_json:
            print_json(answer_data(answer))
        else:
            show_answer(answer)


def fetch_answer(view: str, frame: DataFrame, limit: int, *, as_json: bool) -> Answer:
    """The first rows of an answer; Python knows not every type of Spark's, so Spark writes them."""
    columns = tuple((f.name, f.dataType.simpleString().upper()) for f in frame.schema.fields)
    types = [field.dataType for field in frame.schema.fields]
    few = frame.toDF(*(f"c{at}" for at in range(len(types)))).limit(limit + 1)
    if as_json:
        exact = [
            sf.col(f"c{at}").cast("string") if isinstance(dtype, DecimalType) else sf.col(f"c{at}")
            for at, dtype in enumerate(types)
        ]
        values = sf.struct(*(each.alias(f"c{at}") for at, each in enumerate(exact)))
        lines = few.select(sf.to_json(values, {"ignoreNullFields": "false"})).collect()
        rows = [tuple(json.loads(line[0]).values()) for line in lines]
    else:
        texts = [_text(f"c{at}", isinstance(d, BinaryType)) for at, d in enumerate(types)]
        rows = [tuple(row) for row in few.select(*texts).collect()]
    return Answer(view, columns, tuple(rows[:limit]), complete=len(rows) <= limit)


def answer_data(answer: Answer) -> dict[str, object]:
    """The answer as the JSON object that docs/reference/cli.md describes."""
    names = _distinct([name for name, _ in answer.columns])
    return {
        "view": answer.view,
        "columns": [{"name": name, "type": dtype} for name, dtype in answer.columns],
        "rows": [dict(zip(names, row, strict=True)) for row in answer.rows],
        "complete": answer.complete,
    }


def _distinct(names: list[str]) -> list[str]:
    """Names under which JSON keeps the values of all columns: `n`, then `n_2` for another `n`."""
    found: list[str] = []
    for name in names:
        free = (f"{name}_{number}" for number in count(2))
        found.append(next(each for each in chain([name], free) if each not in found))
    return found


def show_answer(answer: Answer) -> None:
    """The rows below their names; lines are as long as they must be, so that nothing is cut."""
    lines = [tuple(name for name, _ in answer.columns)]
    lines += [tuple("NULL" if value is None else value for value in row) for row in answer.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
    if not answer.complete:
        typer.echo(f"(there are more than {len(answer.rows)} rows; --limit shows more)")


def _text(name: str, binary: bool) -> Column:
    return sf.hex(name) if binary else sf.col(name).cast("string")
