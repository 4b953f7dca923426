"""`slackwater demo`: see it work on this machine, with data of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from slackwater.bench.demo import BATCHES, DEMO_SCALE, DemoPlan, DemoRun, run_demo
from slackwater.cli.demo_page import show_end, show_run, show_start
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import page_console, print_json, working
from slackwater.config import load_settings


def demo(
    scale: Annotated[float, typer.Option(help="The scale factor of the data.")] = DEMO_SCALE,
    batches: Annotated[int, typer.Option(min=2, help="How many batches arrive.")] = BATCHES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Keep five views over changing tables up to date, and check them against plain Spark."""
    console = page_console()
    plan = DemoPlan(scale, batches)

    def show(run: DemoRun) -> None:
        if not as_json:
            show_run(console, run)

    with guarded(as_json=as_json):
        if not as_json:
            show_start(console, plan)
        with working("looking for the data") as say:
            result = run_demo(plan, load_settings().cache_dir, say, show)
        if as_json:
            print_json(result.as_dict())
        else:
            show_end(console, result)
        if result.different:
            raise typer.Exit(FAILED)
