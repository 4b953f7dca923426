"""Slackwater: standing SQL on Apache Spark, kept exact and delivered on time."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slackwater.api import (
        Goal,
        NewSource,
        NewView,
        Project,
        Retention,
        Session,
        Source,
        View,
        open_project,
    )
    from slackwater.api import open_home as open  # noqa: A004
    from slackwater.frontend.signal.define import signal

__all__ = [
    "Goal",
    "NewSource",
    "NewView",
    "Project",
    "Retention",
    "Session",
    "Source",
    "View",
    "open",
    "open_project",
    "signal",
]

_PLACES = {
    "Goal": ("slackwater.api", "Goal"),
    "NewSource": ("slackwater.api", "NewSource"),
    "NewView": ("slackwater.api", "NewView"),
    "Project": ("slackwater.api", "Project"),
    "Retention": ("slackwater.api", "Retention"),
    "Session": ("slackwater.api", "Session"),
    "Source": ("slackwater.api", "Source"),
    "View": ("slackwater.api", "View"),
    "open": ("slackwater.api", "open_home"),
    "open_project": ("slackwater.api", "open_project"),
    "signal": ("slackwater.frontend.signal.define", "signal"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: Spark's workers import this package at every start."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(import_module(module), attribute)
