"""`slackwater explain`: a query over a folder of Parquet tables, at a stage of its way."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import QueryExplanation, explain_query
from slackwater.cli.explain_view import Kind, explain_view, names_view
from slackwater.cli.failures import guarded
from slackwater.cli.output import print_json, working
from slackwater.errors import DataError

_STANDARD_INPUT = "-"


class Stage(StrEnum):
    """A stage of a query's way through Slackwater that can be shown."""

    REL = "rel"
    SPARK = "spark"


def explain(  # noqa: PLR0913, PLR0917 - the options of a command
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL", help="The query, - for standard input, or a view of the project."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Read the query from this file.", exists=True, dir_okay=False, allow_dash=True
        ),
    ] = None,
    data: Annotated[
        Path,
        typer.Option(help="Folder of tables, each NAME.parquet or a folder NAME of Parquet files."),
    ] = Path(),
    stage: Annotated[
        Stage, typer.Option(help="rel: our algebra; spark: the Spark SQL compiled from it.")
    ] = Stage.REL,
    kind: Annotated[
        Kind | None,
        typer.Option(
            help="Of a view of a project: plan, program, why it is refreshed as it is, or "
            "the cost of the last run."
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Explain the view of this project called SQL."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show how Slackwater reads a query, or how it keeps a view of a project."""
    if sql is not None and names_view(sql, project, kind):
        with guarded(as_json=as_json):
            explain_view(sql, project or Path(), kind or Kind.PLAN, as_json=as_json)
        return
    source = _query_source(sql, file)
    with guarded(as_json=as_json):
        text = source if isinstance(source, str) else _read_query(source)
        with working("looking for the tables") as say:
            found = explain_query(text, data, lambda progress: say(str(progress)))
        if as_json:
            print_json(explanation_data(found, stage))
        else:
            typer.echo(explanation_text(found, stage))


def explanation_data(found: QueryExplanation, stage: Stage) -> dict[str, object]:
    """The explanation as the JSON object that docs/reference/cli.md describes."""
    text = {"plan": found.rel} if stage is Stage.REL else {"statement": found.statement}
    return {
        "sql": found.sql,
        "stage": stage.value,
        **text,
        "fingerprint": found.fingerprint,
        "columns": [asdict(each) for each in found.columns],
        "sources": list(found.sources),
        "recomputed": [
            {"reason": each.reason, "sources": list(each.sources)} for each in found.left_to_spark
        ],
        "notes": list(found.notes),
        "timings": {name: round(value, 3) for name, value in found.timings.items()},
    }


def explanation_text(found: QueryExplanation, stage: Stage) -> str:
    """The stage for a reader, then the remarks; below a statement they are SQL comments."""
    if stage is Stage.REL:
        return str(found)
    return "\n".join([found.statement, *(f"-- {remark}" for remark in found.remarks)])


def _query_source(sql: str | None, file: Path | None) -> str | Path:
    """The query's text, or the file that holds it; typer explains any other combination."""
    if (sql is None) == (file is None):
        raise typer.BadParameter("Give the query as an argument or with --file, one of the two.")
    if sql is None or sql == _STANDARD_INPUT:
        return file or Path(_STANDARD_INPUT)
    return sql


def _read_query(file: Path) -> str:
    if str(file) == _STANDARD_INPUT:
        return typer.get_text_stream("stdin").read()
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise DataError(
            "the query file is not UTF-8 text",
            where=f"{file}, byte {problem.start}",
            hint="Save the file as UTF-8.",
        ) from None
