"""Pipeline: a tree of operators, numbered, and run on from the state it left.

The state of a run is a table with one row for each group, operator and part. A pipeline numbers
its distinct operators, inputs first; equal subtrees are one operator and computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from slackwater.errors import SignalError
from slackwater.signals.arrays import END, Ints
from slackwater.signals.event_tables import read_events, write_events
from slackwater.signals.frame import Frame
from slackwater.signals.group_state import OperatorState
from slackwater.signals.groups import Groups, find_groups
from slackwater.signals.operator import Operator
from slackwater.signals.source import GroupError, Source
from slackwater.signals.state_table import StateRows, replace_state, write_states


@dataclass(frozen=True)
class Pipeline:
    """A signal and everything it is computed from."""

    root: Operator

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """Every distinct operator, inputs before those that read them."""
        found: dict[Operator, None] = {}
        _collect(self.root, found)
        return tuple(found)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What is read, each once."""
        return tuple(each for each in self.operators if isinstance(each, Source))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the groups."""
        return self.root.schema.keys

    def __str__(self) -> str:
        """The pipeline as an indented tree."""
        return str(self.root)


def _collect(operator: Operator, found: dict[Operator, None]) -> None:
    if operator in found:
        return
    for each in operator.inputs:
        _collect(each, found)
    found[operator] = None


@dataclass(frozen=True, slots=True)
class Advanced:
    """What a run gives."""

    rows: pa.Table
    """Events of the result that are final now and were not before."""
    touched: pa.Table
    """State rows of the groups that had events; all they had before are void."""
    groups: Groups
    late: int
    """Events that were dropped because they came too late."""

    def after(self, before: pa.Table | None) -> pa.Table:
        """All state, given all state before the run."""
        return replace_state(before, self.groups, self.touched)


def advance(
    pipeline: Pipeline,
    relations: Mapping[str, pa.Table],
    state: pa.Table | None = None,
    *,
    closing: bool = False,
) -> Advanced:
    """Take the next events of each relation in, on from the state of their groups.

    State of other groups may be there and is not looked at. With `closing` everything is final,
    and groups that have state but no events give what they hold. The state before stays as good as
    it was: to close and throw the new state away tells what the result would be if no event came
    any more.
    """
    tables = {each: _relation(each, relations) for each in pipeline.sources}
    held = [state] if closing and state is not None else []
    groups, codes = find_groups(pipeline.keys, [*tables.values(), *held])
    rows_of = {each: (tables[each], codes[at]) for at, each in enumerate(tables)}
    run = _Run(groups, StateRows(state, groups), closing)
    with np.errstate(all="ignore"):
        try:
            root = run.operators(pipeline.operators, rows_of)
        except GroupError as error:
            error.where = groups.describe(error.group)
            raise
    rows = write_events(pipeline.root.schema, root, groups)
    return Advanced(rows, write_states(groups, run.states), groups, run.late)


def batch(pipeline: Pipeline, relations: Mapping[str, pa.Table]) -> pa.Table:
    """The result over these events, as if no more would come."""
    return advance(pipeline, relations, closing=True).rows


Rows = tuple[pa.Table, Ints]
"""Rows of a relation, and the group of each."""


class _Run:
    """One pass over the operators; collects their new states."""

    def __init__(self, groups: Groups, before: StateRows, closing: bool) -> None:
        """Nothing has been computed yet."""
        self.states: list[OperatorState] = []
        self.late = 0
        self._groups = groups
        self._before = before
        self._closing = closing

    def operators(self, operators: Iterable[Operator], rows_of: Mapping[Source, Rows]) -> Frame:
        """Run all in order; gives the frame of the last."""
        frames: dict[Operator, Frame] = {}
        found = None
        for number, operator in enumerate(operators):
            state = self._before.operator(number, operator.parts)
            if isinstance(operator, Source):
                inputs: tuple[Frame, ...] = (self._arrived(operator, rows_of[operator], state),)
            else:
                inputs = tuple(frames[each] for each in operator.inputs)
            found, after = operator.advance(inputs, state)
            frames[operator] = found
            self.states.append(after)
        assert found is not None
        return found

    def _arrived(self, source: Source, rows: Rows, state: OperatorState) -> Frame:
        events, late = source.admit(read_events(source, *rows, self._groups.count), state)
        self.late += late
        if not self._closing:
            return events
        return replace(events, bound=np.full(events.groups, END, dtype=np.int64))


def _relation(source: Source, relations: Mapping[str, pa.Table]) -> pa.Table:
    if source.relation not in relations:
        known = ", ".join(sorted(relations)) or "none"
        raise SignalError(
            f"the pipeline reads {source.relation!r}, which is not there", hint=f"There is {known}."
        )
    table = relations[source.relation]
    missing = [name for name in source.columns if name not in table.column_names]
    if missing:
        raise SignalError(
            f"{source.relation} has no column {missing[0]!r}",
            hint=f"It has {', '.join(table.column_names)}.",
        )
    return table
