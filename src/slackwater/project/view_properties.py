"""The properties of a view that are Slackwater's own, and what each may say."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from slackwater.project.quantities import parse_duration

PREFIX = "slackwater."


def _one_of(*choices: str) -> Callable[[str], object]:
    def check(text: str) -> object:
        if text not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text

    return check


def _scope(text: str) -> object:
    if text == "window":
        raise ValueError("'window' is not kept yet; use 'all'")
    return _one_of("all")(text)


def _fraction(text: str) -> object:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise ValueError(f"{text!r} is not a fraction above 0 and at most 1")
    return value


VIEW_PROPERTIES: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "slackwater.slack": parse_duration,
        "slackwater.final_work": _fraction,
        "slackwater.fresh": _one_of("true"),
        "slackwater.refresh": _one_of("auto", "incremental", "strict", "full"),
        "slackwater.scope": _scope,
    }
)
"""Each property with the function that refuses, by `ValueError`, what it may not be."""

GOALS = ("slackwater.slack", "slackwater.final_work", "slackwater.fresh")
"""The properties that say when an answer is needed; a view has at most one of them."""


def check_properties(properties: Mapping[str, str]) -> None:
    """Raise `ValueError` for a property of ours that does not exist or has a wrong value."""
    for name, value in properties.items():
        if not name.startswith(PREFIX):
            continue
        check = VIEW_PROPERTIES.get(name)
        if check is None:
            close = difflib.get_close_matches(name, VIEW_PROPERTIES, 1)
            raise ValueError(
                f"there is no {name}" + (f"; did you mean {close[0]}?" if close else "")
            )
        try:
            check(value)
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
    goals = [name for name in GOALS if name in properties]
    if len(goals) > 1:
        raise ValueError(f"{' and '.join(goals)} exclude each other")
