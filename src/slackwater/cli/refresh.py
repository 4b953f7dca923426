"""`slackwater refresh`: take in what is new and bring every view of a project up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import Applied, Engine, Ingested, Refreshed, cost_lines
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder, opened_project
from slackwater.cli.output import (
    count_of,
    page_console,
    plain_table,
    print_json,
    size_of,
    unbroken,
    working,
)


def refresh(
    project: ProjectFolder = Path(),
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Build changed views anew and drop those the project no longer has."
        ),
    ] = False,
    profile: Annotated[
        bool,
        typer.Option("--profile", help="Show where the time of the run went. JSON always says so."),
    ] = False,
    engine: Annotated[
        Engine | None,
        typer.Option(
            help="Where work is done: on the driver, in Spark, or, with auto, where it is cheaper; "
            "by default as the project says."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take in new files and bring every view up to date, in one commit."""
    with guarded(as_json=as_json):
        with (
            working("reading the project") as say,
            opened_project(project, say, engine) as opened,
        ):
            done = opened.refresh(replace=replace)
        if as_json:
            print_json(refreshed_data(done))
        else:
            show_refreshed(done)
            if profile:
                typer.echo("\n".join(cost_lines(done.run.metrics.as_dict())))


def refreshed_data(done: Refreshed) -> dict[str, object]:
    """The refresh as the JSON object that docs/reference/cli.md describes."""
    return {
        "created": {"sources": list(done.applied.sources), "views": list(done.applied.views)},
        "dropped": list(done.applied.dropped),
        "left": list(done.applied.left),
        "left_sources": list(done.applied.left_sources),
        "ingested": [_ingested_data(each) for each in done.ingested],
        **done.run.as_dict(),
    }


def _ingested_data(done: Ingested) -> dict[str, object]:
    return {
        "source": done.source,
        "files": list(done.names),
        "inserted": done.inserted,
        "deleted": done.deleted,
    }


def show_refreshed(done: Refreshed) -> None:
    """The refresh for a reader."""
    console = page_console()
    for line in _notes(done.applied):
        console.print(line)
    if done.ingested:
        sources = plain_table("source", "files", "inserted", "deleted", right=_COUNTS)
        for each in done.ingested:
            counts = (len(each.names), each.inserted, each.deleted)
            sources.add_row(each.source, *(f"{count:,}" for count in counts))
        console.print(unbroken(sources))
        console.print()
    views = plain_table("view", "action", "rows in", "rows out", "why", right=_COUNTS)
    for view in done.run.views:
        rows_in, rows_out = f"{view.rows_in:,}", f"{view.rows_out:,}"
        views.add_row(view.view, view.action, rows_in, rows_out, view.reason)
    console.print(unbroken(views))
    console.print()
    for line in _predictions(done):
        console.print(line)
    console.print(f"commit {done.run.commit}, {done.run.seconds:.1f} s")
    for warning in done.run.warnings:
        console.print(f"warning: {warning}")


_COUNTS = ("files", "inserted", "deleted", "rows in", "rows out")


def _predictions(done: Refreshed) -> list[str]:
    """The predicted state of new views, beside their state."""
    return [
        f"new view {each.view} keeps {size_of(each.state_bytes)} of state, "
        f"about {size_of(each.predicted_bytes)} predicted"
        for each in done.run.views
        if each.view in done.applied.views
    ]


def _notes(applied: Applied) -> list[str]:
    notes = []
    if applied.dropped:
        notes.append(f"dropped {', '.join(applied.dropped)}")
    created = [
        count_of(len(names), noun)
        for names, noun in ((applied.sources, "source"), (applied.views, "view"))
        if names
    ]
    if created:
        notes.append(f"created {' and '.join(created)}")
    notes += [
        f"view {name} is no longer in the project; `refresh --replace` drops it"
        for name in applied.left
    ]
    notes += [
        f"source {name} is no longer in the project; its rows stay in the home"
        for name in applied.left_sources
    ]
    return [*notes, ""] if notes else []
