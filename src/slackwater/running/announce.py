"""Tells listeners what a run decides, and what it warns of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slackwater.catalog.definitions import ViewDefinition
from slackwater.events import Events, ViewDecided, Warned
from slackwater.running.decide import Decision
from slackwater.running.results import RunResult


def announce_decisions(
    events: Events, decisions: Iterable[Decision], changed: Callable[[ViewDefinition], int]
) -> None:
    """Tell what is about to be done with each view; `changed` counts the rows that wait for it."""
    if not events.heard:
        return
    for each in decisions:
        rows = changed(each.view)
        events.tell(ViewDecided(each.view.name, each.action.value, each.reason, rows))


def announce_warnings(events: Events, result: RunResult) -> None:
    """Tell what the owners of views and of the home should know."""
    for view in result.views:
        if view.warning is not None:
            events.tell(Warned(view.warning, view.view))
    for note in result.notes:
        events.tell(Warned(note))
