"""The figures of `bench shapes` as a page and as data."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from slackwater.bench.shapes_flat import WARM_UPS, FlatReport
from slackwater.bench.shapes_report import FIGURES, Change, ShapeFigures, ShapesReport
from slackwater.cli.bench_refresh import NO_INGEST
from slackwater.cli.bench_targets import show_targets, targets_data
from slackwater.cli.output import hang, heading, plain_table, size_of

_NONE = "-"


def shapes_data(report: ShapesReport) -> dict[str, object]:
    """The report as data."""
    plan = report.plan
    return {
        "rows": plan.rows,
        "repeat": plan.repeat,
        "engine": plan.engine,
        "limit": plan.limit,
        "plain": asdict(report.plain) | {"properties": report.plain.properties},
        "geometric_means": {
            str(change): {figure: report.mean(change, figure) for figure in FIGURES}
            | {"duckdb": report.duckdb_mean(change), "worst": report.worst(change)[0]}
            for change in plan.changes
        },
        "fill_ratios": {"geometric_mean": report.fill_mean, "worst": report.fill_worst},
        "failed": list(report.failed),
        "targets": targets_data(report.targets),
        "ingest_seconds": report.ingest_seconds,
        "source_bytes": report.source_bytes,
        "views": [_view_data(view) for view in report.views],
        "machine": asdict(report.machine),
    }


def _view_data(view: ShapeFigures) -> dict[str, object]:
    shown = {name: getattr(view, name) for name in view.__slots__ if name != "refreshes"}
    return {
        **{name: _plain(value) for name, value in shown.items()},
        "fill_ratio": view.fill_ratio,
        "refreshes": {
            str(change): asdict(each)
            | {"main_part": each.main_part}
            | {"ratios": {figure: view.ratio(change, figure) for figure in FIGURES}}
            | {"duckdb_ratio": view.duckdb_ratio(change)}
            for change, each in view.refreshes.items()
        },
    }


def _plain(value: object) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value  # type: ignore[call-overload]


def show_shapes(console: Console, report: ShapesReport) -> None:
    """Print one line a view, where its time goes, and what all add up to."""
    heading(console, f"{report.plan.rows:,} events: refreshes in recomputations by plain Spark")
    console.print(_ratio_table(report))
    heading(console, "The slowest refresh of each view, by recomputation")
    console.print(_engine_table(report))
    for view in report.views:
        for remark in _remarks(view):
            console.print(hang(f"{view.name}: {remark}", console.width))
    _show_sums(console, report)
    show_targets(console, report.targets)
    console.print(str(report.plain))
    console.print(NO_INGEST)
    console.print(str(report.machine))


def _ratio_table(report: ShapesReport) -> Table:
    changes = report.plan.changes
    figures = ("plain s", "fill", *(str(change) for change in changes), "duckdb s")
    table = plain_table("view", *figures, right=figures)
    for view in report.views:
        plain, duckdb = (
            None if each is None else each.seconds for each in (view.recompute, view.duckdb)
        )
        ratios = [_number(view.ratio(change), 3) for change in changes]
        cells = (_number(plain), _number(view.fill_ratio), *ratios, _number(duckdb, 3))
        table.add_row(view.name, *cells)
    return table


def _engine_table(report: ShapesReport) -> Table:
    table = plain_table("view", "change", "seconds", "engine", "action", "most of it")
    for view in report.views:
        change = view.slowest_change
        if change is not None:
            each = view.refreshes[change]
            engines, actions = ", ".join(each.engines), ", ".join(each.actions)
            seconds = f"{each.refresh.seconds:.2f}"
            table.add_row(view.name, str(change), seconds, engines, actions, each.main_part)
    return table


def _remarks(view: ShapeFigures) -> list[str]:
    found = [view.problem] if view.problem else []
    if view.exact is False:
        found.append(f"WRONG: {view.difference}")
    change = view.slowest_change
    if change is not None:
        each = view.refreshes[change]
        if each.refresh.remark:
            found.append(f"{change}: {each.refresh.remark}")
        if set(each.actions) != {"incremental"}:
            found.append(f"{change}: {', '.join(each.actions)}, {'; '.join(each.reasons)}")
    return found


def _show_sums(console: Console, report: ShapesReport) -> None:
    plan = report.plan
    for change in plan.changes:
        _show_change(console, report, change)
    console.print(
        f"first fills, in recomputations: geometric mean {report.fill_mean:.2f}, "
        f"slowest {report.fill_worst:.2f}"
    )
    ingested = sum(report.ingest_seconds.values())
    console.print(f"sources: {size_of(report.source_bytes)}, ingested in {ingested:.1f} s")
    if report.failed:
        console.print(hang(f"failed: {', '.join(report.failed)}", console.width))
    console.print(
        f"medians of {plan.repeat} refreshes and recomputations, each after one to warm up; "
        f"one first fill; engine {plan.engine}"
    )


def _show_change(console: Console, report: ShapesReport, change: Change) -> None:
    seconds, cpu, ingest = (report.mean(change, figure) for figure in FIGURES)
    ratio, name = report.worst(change)
    text = (
        f"{change}: geometric means of seconds {seconds:.3f}, cpu {cpu:.3f}, with ingest "
        f"{ingest:.3f}; of DuckDB's seconds {report.duckdb_mean(change):.3f}; "
        f"worst {ratio:.2f} ({name})"
    )
    console.print(hang(text, console.width))


def _number(value: float | None, digits: int = 2) -> str:
    return _NONE if value is None else f"{value:.{digits}f}"


def flat_data(report: FlatReport) -> dict[str, object]:
    """The report of growing logs as data."""
    return {
        "sizes": list(report.plan.sizes),
        "changed_events": report.changed,
        "repeat": report.plan.repeat,
        "kind": report.plan.kinds[-1].value,
        "views": {
            view.name: {
                "seconds": {str(rows): each for rows, each in view.seconds.items()},
                "spread": view.spread,
                "problem": view.problem,
            }
            for view in report.views
        },
        "targets": targets_data(report.targets),
        "machine": asdict(report.machine),
    }


def show_flat(console: Console, report: FlatReport) -> None:
    """Print one line a view: seconds of a refresh at every size."""
    kind = report.plan.kinds[-1].value
    heading(console, f"A change of {report.changed:,} events ({kind}): seconds of a refresh")
    sizes = [f"{rows:,}" for rows in report.plan.sizes]
    table = plain_table("view", *sizes, "slowest/quickest", right=(*sizes, "slowest/quickest"))
    for view in report.views:
        cells = [_number(view.seconds.get(rows)) for rows in report.plan.sizes]
        table.add_row(view.name, *cells, _number(view.spread))
    console.print(table)
    for view in report.views:
        if view.problem:
            console.print(hang(f"{view.name}: {view.problem}", console.width))
    show_targets(console, report.targets)
    console.print(
        f"medians of {report.plan.repeat} refreshes after {WARM_UPS} to warm up; sizes took turns"
    )
    console.print(str(report.machine))
