"""`slackwater bench shapes`: everyday views over events, beside computing them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from slackwater.bench.machine import bench_spark
from slackwater.bench.shape_home import ENGINES
from slackwater.bench.shape_views.catalogue import choose_shapes
from slackwater.bench.shapes import measure_shapes
from slackwater.bench.shapes_flat import FlatReport, measure_flat
from slackwater.bench.shapes_report import ShapesPlan, ShapesReport
from slackwater.cli.bench_queries import scratch_folder
from slackwater.cli.bench_shapes_page import flat_data, shapes_data, show_flat, show_shapes
from slackwater.cli.exit_codes import FAILED
from slackwater.cli.failures import guarded
from slackwater.cli.output import measuring, page_console, print_json
from slackwater.config import load_settings
from slackwater.errors import CatalogError
from slackwater.workloads.event_changes import ChangeKind
from slackwater.workloads.event_tables import EventSpec, ensure_events

_Value = TypeVar("_Value")
_FLAT = "Rows of several logs, such as 1000000,10000000: measures growth instead."


def shapes(  # noqa: PLR0913, PLR0917 - options of a command, each with a default
    rows: Annotated[int, typer.Option(min=100, help="Events in the log.")] = 5_000_000,
    changes: Annotated[str, typer.Option(help="Shares of the events that change.")] = "0.0002,0.01",
    kinds: Annotated[str, typer.Option(help="Kinds of changes.")] = "inserts,mixed",
    only: Annotated[str, typer.Option(help="Views; if left out, all.")] = "",
    repeat: Annotated[int, typer.Option(min=1, help="Runs behind each median.")] = 3,
    engine: Annotated[str, typer.Option(help=f"One of {', '.join(ENGINES)}.")] = "auto",
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds that a run may take.")] = 600.0,
    flat: Annotated[str, typer.Option(help=_FLAT)] = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each view with plain Spark in the end.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure everyday views over a log of events, beside plain Spark and DuckDB."""
    with guarded(as_json=as_json):
        plan = ShapesPlan(
            rows,
            choose_shapes(only),
            _read("--changes", changes, _share),
            _read("--kinds", kinds, ChangeKind),
            repeat,
            _engine(engine),
            verify,
            limit,
            _read("--flat", flat, _rows) if flat else (),
        )
        if plan.sizes:
            _show_growth(plan, as_json=as_json)
            return
        report = run_shapes(plan)
        if as_json:
            print_json(shapes_data(report))
        else:
            show_shapes(page_console(), report)
        if report.failed:
            raise typer.Exit(FAILED)


def _show_growth(plan: ShapesPlan, *, as_json: bool) -> None:
    report = run_flat(plan)
    if as_json:
        print_json(flat_data(report))
    else:
        show_flat(page_console(), report)


def run_shapes(plan: ShapesPlan) -> ShapesReport:
    """Make the data, start Spark and measure in a home that is deleted afterwards."""
    with (
        measuring("making the data, unless it is in the cache") as say,
        scratch_folder() as scratch,
    ):
        folder = ensure_events(EventSpec(plan.rows), load_settings().cache_dir)
        say("starting Spark")
        with bench_spark() as spark:
            return measure_shapes(spark, scratch, folder, plan, say)


def run_flat(plan: ShapesPlan) -> FlatReport:
    """Start Spark and measure in homes that are deleted afterwards."""
    cache = load_settings().cache_dir
    with measuring("starting Spark") as say, scratch_folder() as scratch, bench_spark() as spark:
        return measure_flat(spark, scratch, cache, plan, say)


def _read(option: str, text: str, read: Callable[[str], _Value]) -> tuple[_Value, ...]:
    """The values between the commas."""
    try:
        return tuple(read(each.strip()) for each in text.split(","))
    except ValueError as problem:
        raise CatalogError(f"{option} {text}: {problem}", hint="See bench shapes --help.") from None


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 0.05:
        raise ValueError(f"{text} is not a share above 0 and up to 0.05")
    return share


def _rows(text: str) -> int:
    rows = int(text)
    if rows < 100:
        raise ValueError(f"{text} is fewer than 100 events")
    return rows


def _engine(name: str) -> str:
    if name not in ENGINES:
        raise CatalogError(f"there is no engine {name}", hint=f"Choose among {', '.join(ENGINES)}.")
    return name
