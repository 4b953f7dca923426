"""The targets of benchmarks as tables."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from slackwater.bench.targets import Target


def show_targets(console: Console, targets: Iterable[Target]) -> None:
    """One line each."""
    for target in targets:
        console.print(str(target))


def targets_data(targets: Iterable[Target]) -> list[dict[str, object]]:
    """The targets as data."""
    return [target.data() for target in targets]
