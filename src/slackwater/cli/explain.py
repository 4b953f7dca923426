"""`slackwater explain`: a query over a folder of Parquet tables, at a stage of its way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Recompute
from slackwater.algebra.printer import print_plan
from slackwater.cli.explain_view import Kind, explain_view, names_view
from slackwater.cli.failures import guarded
from slackwater.cli.output import print_json, working
from slackwater.compiler.batch import compile_batch
from slackwater.errors import DataError
from slackwater.frontend.sql.planner import Planner, Query, Timings
from slackwater.runtime.session import open_spark
from slackwater.sources.parquet_folder import find_tables, open_tables

_STANDARD_INPUT = "-"


class Stage(StrEnum):
    """A stage of a query's way through Slackwater that can be shown."""

    REL = "rel"
    SPARK = "spark"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A planned query and the text of the stage asked for."""

    sql: str
    stage: Stage
    text: str
    query: Query


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
        explanation = explain_query(text, data, stage)
        if as_json:
            print_json(explanation_data(explanation))
        else:
            typer.echo(explanation_text(explanation))


def explain_query(sql: str, folder: Path, stage: Stage) -> Explanation:
    """Plan a query over the tables of a folder and print the stage to text."""
    entries = find_tables(folder)
    with working("starting Spark") as say, open_spark() as spark:
        say("reading the tables")
        tables = open_tables(spark, entries)
        say("planning the query")
        query = Planner(spark, [each.definition for each in tables.values()]).plan_sql(sql)
        return Explanation(sql, stage, stage_text(query, stage), query)


def stage_text(query: Query, stage: Stage) -> str:
    """A planned query as it looks at a stage."""
    match stage:
        case Stage.REL:
            return print_plan(query.rel)
        case Stage.SPARK:
            return compile_batch(query.rel, query.names).sql


def explanation_data(explanation: Explanation) -> dict[str, object]:
    """The explanation as the JSON object that docs/reference/cli.md describes."""
    query = explanation.query
    return {
        "sql": explanation.sql,
        "stage": explanation.stage.value,
        "plan" if explanation.stage is Stage.REL else "statement": explanation.text,
        "fingerprint": fingerprint(query.rel),
        "columns": [
            {"name": name, "type": column.dtype.sql(), "nullable": column.nullable}
            for name, column in zip(query.names, query.rel.columns, strict=True)
        ],
        "sources": list(query.sources),
        "recomputed": [
            {"reason": each.reason, "sources": list(each.sources)} for each in query.recomputed
        ],
        "notes": list(query.notes),
        "timings": _timings(query.timings),
    }


def _timings(timings: Timings) -> dict[str, float]:
    milliseconds = {**asdict(timings), "own": timings.own}
    return {name: round(value, 3) for name, value in milliseconds.items()}


def explanation_text(explanation: Explanation) -> str:
    """The stage for a reader, then the remarks; below a statement they are SQL comments."""
    query = explanation.query
    remarks = [_recompute_remark(each) for each in query.recomputed]
    remarks += [f"note: {note}" for note in query.notes]
    mark = "-- " if explanation.stage is Stage.SPARK else ""
    return "\n".join([explanation.text, *(mark + remark for remark in remarks)])


def _recompute_remark(part: Recompute) -> str:
    read = ", ".join(part.sources) or "constants"
    return f"left to Spark: {part.fragment} (reads {read}): {part.reason}"


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
