"""`slackwater verify`: recompute views with plain Spark and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from slackwater.api import VerifyResult
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.opened_project import AsJson, ProjectFolder, opened_project
from slackwater.cli.output import print_json, working


def verify(
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="The view; all of them by default.")
    ] = None,
    project: ProjectFolder = Path(),
    as_json: AsJson = False,
) -> None:
    """Recompute views with plain Spark and compare; differences end with exit code 1."""
    with guarded(as_json=as_json):
        with working("reading the project") as say, opened_project(project, say) as opened:
            names = opened.views() if view is None else (view,)
            results = [opened.verify(name) for name in names]
        if as_json:
            print_json({"views": [asdict(each) for each in results]})
        else:
            show_results(results)
        if not all(each.equal for each in results):
            raise typer.Exit(FAILED)


def show_results(results: Sequence[VerifyResult]) -> None:
    """One line a view; a difference in full below its line."""
    for each in results:
        verdict = "equal" if each.equal else "DIFFERENT"
        typer.echo(f"{each.view}: {verdict} ({each.seconds:.1f} s)")
        if each.difference is not None:
            typer.echo(each.difference)
    if not results:
        typer.echo("no views yet")
