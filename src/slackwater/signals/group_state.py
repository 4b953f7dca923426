"""Per-group state of an operator: a few parts, each a list of integers and a list of numbers.

A part of one group is one row of an arrangement: integers (times, beats, counts) as `numbers`,
payloads as `values` of double precision, complex ones as two. A group without a row has empty
lists, which every operator reads as its state before the first event. So a run needs the rows of
the groups it has events of, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.signals.arrays import Column, Ints, Ragged

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part of the state of all groups in a run."""

    numbers: Ragged
    values: Ragged

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.numbers.offsets) - 1


OperatorState = tuple[Part, ...]


def empty_part(groups: int) -> Part:
    """Before the first event."""
    offsets = np.zeros(groups + 1, dtype=np.int64)
    return Part(
        Ragged(offsets, np.empty(0, dtype=np.int64)), Ragged(offsets, np.empty(0, dtype=np.float64))
    )


def header_part(fields: Sequence[Ints]) -> Part:
    """The same few integers for every group."""
    table = np.stack(list(fields), axis=1)
    groups, width = table.shape
    numbers = Ragged(np.arange(groups + 1, dtype=np.int64) * width, table.reshape(-1))
    return Part(numbers, empty_part(groups).values)


def read_header(part: Part, default: Sequence[int]) -> tuple[Ints, ...]:
    """The integers of `header_part`, with defaults for groups that have none yet."""
    table = np.tile(np.array(default, dtype=np.int64), (part.groups, 1))
    known = part.numbers.counts > 0
    table[known] = part.numbers.values.reshape(-1, len(default))
    return tuple(np.ascontiguousarray(table[:, place]) for place in range(len(default)))


def rows_part(offsets: Ints, times: Sequence[Ints], columns: Sequence[Column]) -> Part:
    """Rows of every group, with so many integers and columns each."""
    count = int(offsets[-1])
    numbers = np.stack(list(times), axis=1) if times else np.empty((count, 0), dtype=np.int64)
    values = flatten_columns(columns, count)
    return Part(
        Ragged(offsets * numbers.shape[1], numbers.reshape(-1)),
        Ragged(offsets * values.shape[1], values.reshape(-1)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class StoredRows:
    """Rows of `rows_part`, read back."""

    offsets: Ints
    times: tuple[Ints, ...]
    columns: tuple[Column, ...]

    def ragged(self, values: Column) -> Ragged:
        """One of its arrays by group."""
        return Ragged(self.offsets, values)


def read_rows(part: Part, times: int, shapes: Sequence[Column]) -> StoredRows:
    """The rows of `rows_part`: so many integers each, and columns shaped like the given ones."""
    width = sum(_width(each) for each in shapes)
    lists, each_row = (part.numbers, times) if times else (part.values, max(width, 1))
    offsets = lists.offsets // each_row
    numbers = part.numbers.values.reshape(-1, times) if times else np.empty((0, 0), dtype=np.int64)
    columns = restore_columns(part.values.values.reshape(int(offsets[-1]), width), shapes)
    return StoredRows(
        offsets, tuple(np.ascontiguousarray(numbers[:, at]) for at in range(times)), columns
    )


def flatten_columns(columns: Sequence[Column], count: int) -> Doubles:
    """The columns side by side as double precision numbers, a row for each of theirs."""
    parts = [_as_doubles(each) for each in columns]
    return np.concatenate(parts, axis=1) if parts else np.empty((count, 0), dtype=np.float64)


def restore_columns(table: Doubles, shapes: Sequence[Column]) -> tuple[Column, ...]:
    """The columns that `flatten_columns` laid side by side."""
    found, place = [], 0
    for each in shapes:
        width = _width(each)
        part = np.ascontiguousarray(table[:, place : place + width])
        found.append(part.view(each.dtype).reshape(len(table), *each.shape[1:]))
        place += width
    return tuple(found)


def _as_doubles(column: Column) -> Doubles:
    flat = np.ascontiguousarray(column)
    return flat.view(np.float64).reshape(len(flat), _width(column))


def _width(column: Column) -> int:
    numbers = int(np.prod(column.shape[1:], dtype=np.int64))
    return numbers * (2 if np.iscomplexobj(column) else 1)
