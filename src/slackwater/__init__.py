"""Slackwater: standing SQL on Apache Spark, kept exact and delivered on time."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slackwater.api import Session, Source, View
    from slackwater.api import open_home as open  # noqa: A004
    from slackwater.catalog.goals import Goal
    from slackwater.engine.declare import NewSource, NewView
    from slackwater.frontend.signal.define import signal
    from slackwater.state.metadata.collect import Retention

__all__ = [
    "Goal",
    "NewSource",
    "NewView",
    "Retention",
    "Session",
    "Source",
    "View",
    "open",
    "signal",
]

_PLACES = {
    "Goal": ("slackwater.catalog.goals", "Goal"),
    "NewSource": ("slackwater.engine.declare", "NewSource"),
    "NewView": ("slackwater.engine.declare", "NewView"),
    "Retention": ("slackwater.state.metadata.collect", "Retention"),
    "Session": ("slackwater.api", "Session"),
    "Source": ("slackwater.api", "Source"),
    "View": ("slackwater.api", "View"),
    "open": ("slackwater.api", "open_home"),
    "signal": ("slackwater.frontend.signal.define", "signal"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: Spark's workers import this package at every start."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(import_module(module), attribute)
