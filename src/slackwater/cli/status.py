"""`slackwater status`: what a project's home holds, and what waits to be taken in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from slackwater.cli.failures import guarded
from slackwater.cli.output import page_console, plain_table, print_json, size_of, unbroken
from slackwater.cli.project_session import AsJson, ProjectFolder, look_at_project
from slackwater.cli.project_sources import waiting_files
from slackwater.engine.status import Status, read_status
from slackwater.project.load import load_project


def status(project: ProjectFolder = Path(), as_json: AsJson = False) -> None:
    """Show the sources and views of a project, and how far the views are."""
    with guarded(as_json=as_json):
        with look_at_project(project) as home:
            found = read_status(home)
            waiting = waiting_files(home, load_project(project))
        if as_json:
            print_json({**found.as_dict(), "waiting_files": waiting})
        else:
            show_status(found, waiting)


def show_status(found: Status, waiting: Mapping[str, int]) -> None:
    """The status for a reader; `waiting` are files that the next refresh takes in, by source."""
    console = page_console()
    console.print(f"home {found.home}, commit {found.commit}", soft_wrap=True)
    console.print()
    titles = ("source", "batches", "rows", "size", "pending rows", "new files")
    sources = plain_table(*titles, right=_NUMBERS)
    for source in found.sources:
        counts = (f"{source.offset:,}", f"{source.rows:,}", size_of(source.bytes))
        files = f"{waiting[source.name]:,}" if source.name in waiting else "-"
        sources.add_row(source.name, *counts, f"{source.pending_rows:,}", files)
    console.print(unbroken(sources))
    console.print()
    views = plain_table("view", "reads", "refresh", "goal", "rows", "size", "", right=_NUMBERS)
    for view in found.views:
        numbers = (f"{view.rows:,}", size_of(view.bytes))
        state = "behind" if view.behind else "up to date"
        reads = ", ".join(view.reads)
        views.add_row(view.name, reads, view.refresh, view.goal or "-", *numbers, state)
    console.print(unbroken(views))
    console.print()
    console.print(f"state beside the answers: {size_of(found.state_bytes)}")


_NUMBERS = ("batches", "rows", "size", "pending rows", "new files")
