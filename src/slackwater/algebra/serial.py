"""Plans as JSON and back: what a view's definition keeps between processes.

Every frozen record becomes an object that names its class; the field that is derived is left
out and derived again, so that a plan that was tampered with is refused by its own checks.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from slackwater.algebra import columns, operators
from slackwater.algebra.rel import Rel
from slackwater.errors import DataError, InvariantError
from slackwater.expr import nodes
from slackwater.types import datatypes

LAYOUT = 1
_KIND = "@"


def _known_classes() -> dict[str, type[Any]]:
    found = {}
    for module in (columns, operators, nodes, datatypes):
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__:
                found[name] = value
    return found


_CLASSES = _known_classes()


def dump_plan(rel: Rel) -> str:
    """The plan as JSON text."""
    return json.dumps({"layout": LAYOUT, "plan": encode(rel)}, separators=(",", ":"))


def load_plan(text: str) -> Rel:
    """The plan that `dump_plan` wrote."""
    document = json.loads(text)
    if document["layout"] != LAYOUT:
        raise DataError(
            f"a stored plan has layout {document['layout']}; this version reads {LAYOUT}",
            hint="Use a newer version of Slackwater, or create the view again.",
        )
    plan = decode(document["plan"])
    if not isinstance(plan, Rel):
        raise InvariantError(f"a stored plan is a {type(plan).__name__}")
    return plan


def renumbered(rel: Rel, by: int) -> Rel:
    """The same plan with all column ids moved, so that it can stand beside itself."""
    plan = decode(_shifted(encode(rel), by))
    if not isinstance(plan, Rel):
        raise InvariantError(f"renumbering made a {type(plan).__name__}")
    return plan


def _shifted(value: Any, by: int) -> Any:
    if isinstance(value, list):
        return [_shifted(each, by) for each in value]
    if not isinstance(value, dict):
        return value
    moved = {name: _shifted(each, by) for name, each in value.items()}
    if moved[_KIND] in ("Column", "ColumnRef"):
        moved["id"] += by
    return moved


def encode(value: object) -> Any:
    """A value of the algebra, its expressions or types in a form that JSON has."""
    if isinstance(value, tuple):
        return [encode(each) for each in value]
    if isinstance(value, Enum):
        return {_KIND: type(value).__name__, "value": value.value}
    if is_dataclass(value) and not isinstance(value, type):
        content = {
            each.name: encode(getattr(value, each.name)) for each in fields(value) if each.init
        }
        return {_KIND: type(value).__name__, **content}
    if value is None or isinstance(value, str | int | bool | float):
        return value
    raise InvariantError(f"a plan holds a {type(value).__name__}, which has no JSON form")


def decode(value: Any) -> Any:
    """The value that `encode` gave the form of."""
    if isinstance(value, list):
        return tuple(decode(each) for each in value)
    if isinstance(value, dict):
        content = {name: decode(each) for name, each in value.items() if name != _KIND}
        return _CLASSES[value[_KIND]](**content)
    return value
