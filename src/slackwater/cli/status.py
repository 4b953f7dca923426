"""`slackwater status`: what a project's home holds, and what waits to be taken in."""

from __future__ import annotations

from pathlib import Path

from slackwater.api import ProjectStatus, open_project
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder
from slackwater.cli.output import page_console, plain_table, print_json, size_of, unbroken


def status(project: ProjectFolder = Path(), as_json: AsJson = False) -> None:
    """Show the sources and views of a project, and how far the views are."""
    with guarded(as_json=as_json):
        with open_project(project) as opened:
            found = opened.status()
        if as_json:
            print_json({**found.home.as_dict(), "waiting_files": dict(found.waiting)})
        else:
            show_status(found)


def show_status(status: ProjectStatus) -> None:
    """The status for a reader."""
    console, found, waiting = page_console(), status.home, status.waiting
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
