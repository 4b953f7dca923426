"""Source: events of a relation, checked to be a signal and put in order.

A group's events are final once one has come that starts `lateness` ticks after them; the others
wait in the state. An event that comes when events as old as it are final already is late. Each
group has a clock of its own: a sensor that is silent holds nobody up, and a run touches the state
of the groups it has events of, no others.

    lateness 10, one group    comes: 0, 7, 4, 15        final: 0, 4        waits: 7, 15
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import (
    END,
    START,
    Column,
    Ints,
    Ragged,
    interleave,
    last_in_group,
    order_events,
    owners,
)
from slackwater.signals.frame import Frame
from slackwater.signals.grid import Grid
from slackwater.signals.group_state import (
    OperatorState,
    header_part,
    read_header,
    read_rows,
    rows_part,
)
from slackwater.signals.operator import Operator
from slackwater.signals.schema import Field, SignalSchema, TimeUnit


class MissingValue(Enum):
    """What becomes of an event with a NULL or NaN in its payload."""

    DROP = "drop"
    """It counts as not there, and an interpolation may fill its place."""
    KEEP = "keep"
    """It goes on as NaN."""
    ZERO = "zero"
    """Its missing fields are zero."""
    ERROR = "error"


class LateEvent(Enum):
    """What becomes of an event that comes too late."""

    ERROR = "error"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """How long events are waited for, and what happens to those that are late or incomplete."""

    lateness: int = 0
    """Events that are less ticks than this behind their group's newest are waited for."""
    late: LateEvent = LateEvent.ERROR
    missing: MissingValue = MissingValue.DROP

    def __post_init__(self) -> None:
        """Nobody waits for less than no time."""
        if self.lateness < 0:
            raise SignalError(f"lateness is {self.lateness}", hint="Give 0 or more ticks.")

    def __str__(self) -> str:
        """For a page."""
        return f"lateness {self.lateness}, late {self.late.value}, missing {self.missing.value}"


@dataclass(frozen=True, slots=True)
class Source(Operator):
    """The events of a relation, by name until it is bound to rows."""

    relation: str
    keys: tuple[str, ...]
    time: str
    payload: tuple[tuple[Field, tuple[str, ...]], ...]
    """Each field with its column, or its real and its imaginary column."""
    lasts: int | str = 1
    """How many ticks an event lives, or the column that says when it ends."""
    grid: Grid | None = None
    unit: TimeUnit = TimeUnit.TICK
    policy: EventPolicy = EventPolicy()

    parts: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Events live, and samples live for one tick."""
        if isinstance(self.lasts, int) and self.lasts < 1:
            raise SignalError(f"events of {self.relation} last {self.lasts} ticks", hint="Give 1.")
        if self.grid is not None and self.lasts != 1:
            raise SignalError(
                f"samples last one tick, and events of {self.relation} do not",
                hint="Leave out either the period or how long events last.",
            )
        _ = self.schema

    @property
    def schema(self) -> SignalSchema:
        """The payload fields, by group and time."""
        fields = tuple(field for field, _ in self.payload)
        return SignalSchema(self.keys, fields, self.grid, unit=self.unit, time=self.time)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """A source reads a relation, no signal."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the relation it reads."""
        ends = (self.lasts,) if isinstance(self.lasts, str) else ()
        payload = (name for _, names in self.payload for name in names)
        return tuple(dict.fromkeys((*self.keys, self.time, *ends, *payload)))

    def describe(self) -> str:
        """The relation, its groups and its payload."""
        by = f" by {', '.join(self.keys)}" if self.keys else ""
        return f"Source {self.relation}{by} {self.schema}; {self.policy}"

    def advance(
        self, frames: tuple[Frame, ...], state: OperatorState
    ) -> tuple[Frame, OperatorState]:
        """Release what is final of the events that waited and came; keep the rest."""
        (arrived,) = frames
        header, waiting = state
        high, last_start, last_end = read_header(header, (START, START, START))
        stored = read_rows(waiting, 2, self.schema.blanks)
        start, end = stored.times
        old = Frame(stored.offsets, start, end, stored.columns, arrived.bound)
        events = merge_events(old, arrived)
        overlap = first_overlap(events, last_end)
        if overlap is not None:
            raise OverlapError(self, events, overlap, last_start, last_end)
        high = last_in_group(events.offsets, events.start, high)
        bound = np.where(arrived.bound == END, END, final_bound(high, self.policy.lateness))
        released, rest = divide(events, bound)
        last_start = last_in_group(released.offsets, released.start, last_start)
        last_end = released.last_end(last_end)
        after = (
            header_part((high, last_start, last_end)),
            rows_part(rest.offsets, (rest.start, rest.end), rest.columns),
        )
        return replace(released, bound=np.maximum(bound, last_end)), after

    def admit(self, arrived: Frame, state: OperatorState) -> tuple[Frame, int]:
        """The events that are not late, and how many are; an error if the policy says so."""
        high, _, _ = read_header(state[0], (START, START, START))
        if bool((high == START).all()):
            return arrived, 0
        bound = final_bound(high, self.policy.lateness)
        late = arrived.start < bound[arrived.group]
        count = int(np.count_nonzero(late))
        if count and self.policy.late is LateEvent.ERROR:
            raise LateEventError(self, arrived, int(np.argmax(late)), bound)
        return (arrived.keep(~late) if count else arrived), count


class GroupError(SignalError):
    """An error in the events of one group, known by its number until its keys are added."""

    def __init__(self, what: str, *, group: int, hint: str) -> None:
        """State what is wrong in which group."""
        super().__init__(what, hint=hint)
        self.group = group


class LateEventError(GroupError):
    """An event came after its time was final, and the policy does not drop it."""

    def __init__(self, source: Source, arrived: Frame, at: int, bound: Ints) -> None:
        """Name its time and the first that would not have been late."""
        group = int(arrived.group[at])
        super().__init__(
            f"an event of {source.relation} at {arrived.start[at]} is late: events before "
            f"{bound[group]} are final",
            group=group,
            hint="Raise lateness, or drop late events.",
        )


class OverlapError(GroupError):
    """Two events of a group live at the same time: the relation is no signal."""

    def __init__(
        self, source: Source, events: Frame, at: int, last_start: Ints, last_end: Ints
    ) -> None:
        """Name the times of both."""
        group = int(events.group[at])
        one = (events.start[at - 1], events.end[at - 1])
        if at == events.offsets[group]:
            one = (last_start[group], last_end[group])
        super().__init__(
            f"two events of {source.relation} overlap: [{one[0]}, {one[1]}) and "
            f"[{events.start[at]}, {events.end[at]})",
            group=group,
            hint="Aggregate events of the same time first, or shorten how long events last.",
        )


def final_bound(high: Ints, lateness: int) -> Ints:
    """The first time at which events may still come, by the newest event of each group."""
    return np.where(high == START, START, np.where(high == START, 0, high) - lateness + 1)


def divide(events: Frame, bound: Ints) -> tuple[Frame, Frame]:
    """The events that start before their group's bound, and the others."""
    newest = last_in_group(events.offsets, events.start, np.full_like(bound, START))
    if bool(((newest < bound) | (newest == START)).all()):
        return events, events.without_events()
    final = events.start < bound[events.group]
    return events.keep(final), events.keep(~final)


def merge_events(one: Frame, other: Frame) -> Frame:
    """The events of both, by group and time."""
    if not len(one.start):
        return other
    start = interleave(Ragged(one.offsets, one.start), Ragged(other.offsets, other.start))
    order = order_events(owners(start.offsets), start.values, one.groups)
    return Frame(
        start.offsets,
        _sorted(start.values, order),
        None if other.ends is None else _merged(one, other, one.end, other.ends, order),
        tuple(
            _merged(one, other, left, right, order)
            for left, right in zip(one.columns, other.columns, strict=True)
        ),
        other.bound,
    )


def _merged(one: Frame, other: Frame, left: Column, right: Column, order: Ints | None) -> Column:
    joined = interleave(Ragged(one.offsets, left), Ragged(other.offsets, right))
    return _sorted(joined.values, order)


def _sorted(values: Column, order: Ints | None) -> Column:
    return values if order is None else values[order]


def first_overlap(events: Frame, before: Ints) -> int | None:
    """The first event that starts before the one ahead of it has ended, if there is one."""
    overlaps = np.empty(len(events.start), dtype=np.bool_)
    before_it = events.start[:-1] if events.ends is None else events.ends[:-1] - 1
    np.less_equal(events.start[1:], before_it, out=overlaps[1:])
    filled = events.offsets[:-1] < events.offsets[1:]
    heads = events.offsets[:-1][filled]
    overlaps[heads] = events.start[heads] < before[filled]
    return int(np.argmax(overlaps)) if bool(overlaps.any()) else None
