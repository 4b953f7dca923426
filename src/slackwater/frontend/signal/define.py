"""Defines signals over relations: which column is the time, which the payload, which the group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slackwater.errors import SignalError
from slackwater.frontend.signal.signal import Signal
from slackwater.frontend.signal.words import Duration, ticks, word
from slackwater.signals.formulas import Number
from slackwater.signals.grid import Grid
from slackwater.signals.schema import Field, TimeUnit
from slackwater.signals.source import EventPolicy, LateEvent, MissingValue, Source

Value = str | Sequence[str] | Mapping[str, str | tuple[str, str]]
"""A column, several, or fields by name with their column or their real and imaginary columns."""


def signal(  # noqa: PLR0913 - each has a default that suits most signals
    relation: str,
    *,
    time: str,
    value: Value,
    by: str | Sequence[str] = (),
    lasts: Duration = 1,
    until: str | None = None,
    period: Duration | None = None,
    offset: Duration = 0,
    unit: str = "tick",
    lateness: Duration = 0,
    late: str = "error",
    missing: str = "drop",
) -> Signal:
    """The events of a relation as a signal, one for each group of `by`.

    An event lives from its `time` for as long as it `lasts`, or `until` the time in a column. Lives
    of one group must not overlap. `period` promises samples at offset + k * period. `lateness` is
    how far events may be behind their group's newest; `late` (error, drop) and `missing` (drop,
    keep, zero, error) say what becomes of later events and of events without a value.
    """
    if not relation:
        raise SignalError("a signal needs the name of a relation")
    clock = word(TimeUnit, unit, "a unit of time")
    policy = EventPolicy(
        ticks(lateness, clock),
        word(LateEvent, late, "late"),
        word(MissingValue, missing, "missing"),
    )
    life = ticks(lasts, clock) if until is None else until
    keys = (by,) if isinstance(by, str) else tuple(by)
    grid = None if period is None else Grid(ticks(period, clock), ticks(offset, clock))
    return Signal(Source(relation, keys, time, _payload(value), life, grid, clock, policy))


def _payload(value: Value) -> tuple[tuple[Field, tuple[str, ...]], ...]:
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, Mapping):
        value = {name: name for name in value}
    found: list[tuple[Field, tuple[str, ...]]] = []
    for name, columns in value.items():
        if isinstance(columns, str):
            found.append((Field(name), (columns,)))
            continue
        if len(columns) != 2:
            raise SignalError(
                f"field {name!r} is made of {len(columns)} columns",
                hint="Give one, or the real and the imaginary one.",
            )
        found.append((Field(name, Number.COMPLEX), tuple(columns)))
    return tuple(found)
