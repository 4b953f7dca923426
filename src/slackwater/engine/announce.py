"""Tells listeners what a run decides, and what it warns of."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.engine.decide import Decision
from slackwater.engine.results import RunResult
from slackwater.events import Events, ViewDecided, Warned


def announce_decisions(events: Events, decisions: Iterable[Decision]) -> None:
    """Tell what is about to be done with each view."""
    for each in decisions:
        events.tell(ViewDecided(each.view.name, each.action.value, each.reason, each.changed))


def announce_warnings(events: Events, result: RunResult) -> None:
    """Tell what the owners of views and of the home should know."""
    for view in result.views:
        if view.warning is not None:
            events.tell(Warned(view.warning, view.view))
    for note in result.notes:
        events.tell(Warned(note))
