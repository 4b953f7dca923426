"""The demo's output: one line per run, readable without colour, at most 100 columns wide."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from slackwater.bench.demo import DemoPlan, DemoResult, DemoRun
from slackwater.bench.demo_views import DEMO_VIEWS
from slackwater.cli.output import hang, heading

_HEADER = (
    f"{'batch':>5}  {'changed':>9}  {'what was done':<26}  {'refresh':>8}  {'cpu':>6}"
    f"  {'recompute':>9}  {'cpu':>6}  {'ratio':>5}"
)


def show_start(console: Console, plan: DemoPlan) -> None:
    """Print what is about to happen."""
    console.print(Text("Slackwater: five standing queries over tables that change", "bold"))
    about = (
        f"TPC-H at scale factor {plan.scale:g} arrives in {plan.batches} batches of inserts, "
        "updates and deletes. After each, the views are refreshed; beside it plain Spark computes "
        "the same five queries from Parquet files. Seconds are wall-clock, cpu is processor time."
    )
    console.print(hang(about, console.width))
    console.print(hang(f"Views: {', '.join(DEMO_VIEWS)}", console.width))
    heading(console, "Runs")
    console.print(Text(_HEADER, "bold"))


def show_run(console: Console, run: DemoRun) -> None:
    """One run on one line."""
    console.print(run_line(run))


def run_line(run: DemoRun) -> str:
    """Format what a run did and cost, beside what recomputing would have cost."""
    done = ", ".join(f"{count} {action}" for action, count in run.actions.items())
    ratio = run.refresh_seconds / run.recompute_seconds if run.recompute_seconds else 0.0
    return (
        f"{run.number:>5}  {run.changed_rows:>9,}  {done:<26}  {run.refresh_seconds:>7.1f}s"
        f"  {run.refresh_cpu:>6.1f}  {run.recompute_seconds:>8.1f}s  {run.recompute_cpu:>6.1f}"
        f"  {ratio:>5.2f}"
    )


def show_end(console: Console, result: DemoResult) -> None:
    """Print the verdict, and the size of the state."""
    heading(console, "The check")
    console.print(hang(verdict(result), console.width))
    console.print(f"State beside sources and answers: {result.state_bytes:,} bytes.")
    console.print(f"Machine load at the end: {result.load:.1f}.")


def verdict(result: DemoResult) -> str:
    """The verdict in words: if plain Spark agrees."""
    if not result.different:
        return f"verify: all {len(DEMO_VIEWS)} views equal what plain Spark computes from scratch."
    lines = [f"{name}: {difference}" for name, difference in result.different.items()]
    return "verify: plain Spark gives other answers.\n" + "\n".join(lines)
