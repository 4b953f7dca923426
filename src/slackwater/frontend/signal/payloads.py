"""Payloads as users write them: functions that get fields and give formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slackwater.errors import SignalError
from slackwater.signals.formulas import FieldRef, Formula, as_formula
from slackwater.signals.schema import SignalSchema

Rule = Formula | float | complex | Callable[[Any], Any]
"""A formula, or a function that makes one of the payload."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The fields of a payload with several: `p.speed` or `p["speed"]`."""

    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Formula:
        """A field by its name."""
        if name not in self.names:
            raise SignalError(
                f"the signal has no field {name!r}", hint=f"It has {', '.join(self.names)}."
            )
        return FieldRef(name)

    def __getattr__(self, name: str) -> Formula:
        """A field by its name."""
        return self[name]


def formula(rule: Rule, schema: SignalSchema) -> Formula:
    """The formula of a rule; a function gets the only field, or all of them."""
    if not callable(rule):
        return as_formula(rule)
    names = tuple(each.name for each in schema.values)
    return as_formula(rule(FieldRef(names[0]) if len(names) == 1 else Payload(names)))


def outputs(
    rule: Rule | None, named: Mapping[str, Rule], schema: SignalSchema
) -> tuple[tuple[str, Formula], ...]:
    """Fields of a new payload: the only one under its old name, and those that are named."""
    found = {name: formula(each, schema) for name, each in named.items()}
    if rule is not None:
        if len(schema.values) != 1:
            raise SignalError(
                "a payload with several fields needs names for what is selected",
                hint="Write select(name=...).",
            )
        found = {schema.values[0].name: formula(rule, schema), **found}
    return tuple(found.items())
