"""The door is complete: whatever a result carries can be named by `slackwater.api`."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import slackwater
from slackwater import api, events
from slackwater.plan.forms import Engine

INTERNAL = {"definition", "keeper"}
"""What sessions give to tests and benchmarks: definitions hold plans of the engine's."""
PARAMETERS = {"Listener", "Marks"}


def classes_in(hint: Any) -> Iterator[type]:
    """The classes of ours that a type hint names."""
    if isinstance(hint, type) and hint.__module__.startswith("slackwater."):
        yield hint
    for argument in typing.get_args(hint):
        yield from classes_in(argument)


def carried(kind: type, seen: set[type]) -> None:
    """A class with all that its fields, or the results of its methods, carry."""
    if kind in seen:
        return
    seen.add(kind)
    for hint in hints_of(kind):
        for each in classes_in(hint):
            carried(each, seen)


def hints_of(kind: type) -> Iterator[Any]:
    if is_dataclass(kind):
        known = typing.get_type_hints(kind)
        yield from (known[field.name] for field in fields(kind))
        return
    for name, member in vars(kind).items():
        function = member.fget if isinstance(member, property) else member
        function = inspect.unwrap(getattr(function, "__func__", function))
        if isinstance(function, types.FunctionType) and not name.startswith("_"):
            yield from () if name in INTERNAL else (result_of(function),)


def result_of(function: types.FunctionType) -> Any:
    return typing.get_type_hints(function).get("return")


@pytest.mark.parametrize("root", [api.Session, api.Source, api.View, api.Project])
def test_results_carry_only_what_has_a_name(root: type) -> None:
    found: set[type] = set()
    carried(root, found)
    assert len(found) > 1
    assert {each.__name__ for each in found} - set(api.__all__) == set()


def test_every_name_exists_and_is_that_of_the_package() -> None:
    assert [name for name in api.__all__ if not hasattr(api, name)] == []
    assert [name for name in slackwater.__all__ if getattr(slackwater, name, None) is None] == []


def test_every_kind_of_event_has_a_name() -> None:
    kinds = {each.__name__ for each in typing.get_args(events.Event)}
    assert kinds - set(api.__all__) == set()


def test_the_engines_are_three() -> None:
    assert [str(each) for each in Engine] == ["auto", "driver", "spark"]
