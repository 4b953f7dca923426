"""`slackwater demo`: see it work on this machine, with data of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from slackwater.cli.demo_page import demo_data, show_demo
from slackwater.cli.demo_run import DEMO_SQL, run_demo
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import page_console, print_json, working
from slackwater.config import load_settings


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Follow one query from SQL to a checked answer, on generated data."""
    with guarded(as_json=as_json):
        with working("looking for the data") as say:
            run = run_demo(DEMO_SQL, load_settings().cache_dir, say)
        if as_json:
            print_json(demo_data(run))
        else:
            show_demo(page_console(), run)
        if run.difference is not None:
            raise typer.Exit(FAILED)
