"""State as rows: key columns, operator and part by number, integers and numbers as lists.

The layout is that of an arrangement keyed by the group: a run looks up the rows of its groups and
writes them anew. Its version changes if a pipeline could read old rows as something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.errors import SignalError
from slackwater.signals.arrays import Ints, Ragged, counting, offsets_of
from slackwater.signals.group_state import OperatorState, Part, empty_part
from slackwater.signals.groups import Groups

OPERATOR, PART, NUMBERS, VALUES = "_operator", "_part", "_numbers", "_values"
LAYOUT = 1


def state_schema(keys: Sequence[pa.Field]) -> pa.Schema:
    """The columns of state for groups with these keys."""
    return pa.schema(
        [
            *keys,
            pa.field(OPERATOR, pa.int32(), nullable=False),
            pa.field(PART, pa.int32(), nullable=False),
            pa.field(NUMBERS, pa.large_list(pa.int64()), nullable=False),
            pa.field(VALUES, pa.large_list(pa.float64()), nullable=False),
        ],
        metadata={"layout": str(LAYOUT)},
    )


class StateRows:
    """State rows before a run, found by operator and part."""

    def __init__(self, rows: pa.Table | None, groups: Groups) -> None:
        """No rows is the state before the first event."""
        self._count = groups.count
        self._rows: pa.Table | None = None
        if rows is None or not rows.num_rows:
            return
        _check_layout(rows)
        number = groups.number(rows)
        known = number >= 0
        self._rows = rows if bool(known.all()) else rows.filter(pa.array(known))
        self._number = number[known]
        self._operator = self._rows[OPERATOR].to_numpy()
        self._part = self._rows[PART].to_numpy()

    def operator(self, operator: int, parts: int) -> OperatorState:
        """All parts of an operator's state, for all groups of the run."""
        return tuple(self._read(operator, part) for part in range(parts))

    def _read(self, operator: int, part: int) -> Part:
        if self._rows is None:
            return empty_part(self._count)
        mask = (self._operator == operator) & (self._part == part)
        chosen = self._rows.filter(pa.array(mask))
        number = self._number[mask]
        return Part(
            _lists(chosen[NUMBERS], number, self._count, np.dtype(np.int64)),
            _lists(chosen[VALUES], number, self._count, np.dtype(np.float64)),
        )


def _check_layout(rows: pa.Table) -> None:
    found = (rows.schema.metadata or {}).get(b"layout", b"").decode()
    if found != str(LAYOUT):
        raise SignalError(
            f"signal state has layout {found or 'none'}, and this version reads {LAYOUT}",
            hint="Compute the signal anew from its relation.",
        )


def _lists(column: pa.ChunkedArray, number: Ints, groups: int, dtype: np.dtype[Any]) -> Ragged:
    """The lists of all groups, in the order of groups."""
    if not len(column):
        return Ragged(np.zeros(groups + 1, dtype=np.int64), np.empty(0, dtype=dtype))
    array = pa.concat_arrays(column.chunks)
    starts = array.offsets.to_numpy()
    counts = np.zeros(groups, dtype=np.int64)
    begin = np.zeros(groups, dtype=np.int64)
    counts[number] = np.diff(starts)
    begin[number] = starts[:-1]
    rows = np.repeat(begin, counts) + counting(counts)
    return Ragged(offsets_of(counts), array.values.to_numpy()[rows])


def write_states(groups: Groups, states: Sequence[OperatorState]) -> pa.Table:
    """All parts of all operators, without rows for parts that are empty."""
    keys = [groups.keys.schema.field(name) for name in groups.keys.column_names]
    schema = state_schema(keys)
    tables = [
        _write_part(groups, schema, operator, number, part)
        for operator, state in enumerate(states)
        for number, part in enumerate(state)
    ]
    return pa.concat_tables([schema.empty_table(), *tables])


def _write_part(
    groups: Groups, schema: pa.Schema, operator: int, number: int, part: Part
) -> pa.Table:
    filled = np.flatnonzero((part.numbers.counts > 0) | (part.values.counts > 0))
    arrays = [groups.keys[name].take(pa.array(filled)) for name in groups.keys.column_names]
    same = np.ones(len(filled), dtype=np.int32)
    arrays += [pa.array(same * operator), pa.array(same * number)]
    arrays += [_list_array(each, filled) for each in (part.numbers, part.values)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _list_array(ragged: Ragged, filled: Ints) -> pa.Array:
    """Groups left out have empty lists, so that the values of the others follow one another."""
    offsets = np.append(ragged.offsets[:-1][filled], ragged.offsets[-1])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(ragged.values))


def replace_state(before: pa.Table | None, touched: Groups, after: pa.Table) -> pa.Table:
    """All state after a run: new rows for its groups, the old ones for others."""
    if before is None:
        return after
    others = before.filter(pa.array(touched.number(before) < 0))
    return pa.concat_tables([others, after.cast(others.schema)])
