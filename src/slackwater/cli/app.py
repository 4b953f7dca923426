"""The commands of the program and where each is defined."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from slackwater.cli.bench import bench_app
from slackwater.cli.calibrate import calibrate
from slackwater.cli.demo import demo
from slackwater.cli.explain import explain
from slackwater.cli.failures import hush_libraries
from slackwater.cli.history import history
from slackwater.cli.init import init
from slackwater.cli.output import tolerate_narrow_encodings
from slackwater.cli.read import read
from slackwater.cli.refresh import refresh
from slackwater.cli.status import status
from slackwater.cli.verify import verify

app = typer.Typer(
    name="slackwater",
    help="Standing SQL on Apache Spark: exact, on time, and as cheap as the deadline allows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (init, refresh, read, status, history, verify, explain, calibrate, demo):
    app.command()(command)
app.add_typer(bench_app, name="bench")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"slackwater {version('slackwater')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options of the program itself."""


def run_app(argv: Sequence[str] | None) -> None:
    """Run the command that `argv`, or else the command line, names."""
    hush_libraries()
    tolerate_narrow_encodings()
    app(args=None if argv is None else list(argv), prog_name="slackwater")
