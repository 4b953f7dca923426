"""Arrow tables to frames and back: complex numbers are structs of `re` and `im`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import SignalError
from slackwater.signals.arrays import START, Column, Ints, offsets_of, order_events
from slackwater.signals.formulas import Number
from slackwater.signals.frame import Frame
from slackwater.signals.groups import Groups
from slackwater.signals.schema import Field, SignalSchema, TimeUnit
from slackwater.signals.source import GroupError, MissingValue, Source

COMPLEX = pa.struct([("re", pa.float64()), ("im", pa.float64())])


def read_events(source: Source, table: pa.Table, codes: Ints, groups: int) -> Frame:
    """The rows of a relation, each with its group, as events by group and time.

    Nothing is final yet.
    """
    start = _times(source, table, source.time)
    columns = tuple(_payload(table, names) for _, names in source.payload)
    ends = None
    if isinstance(source.lasts, str):
        ends = _times(source, table, source.lasts)
    elif source.lasts > 1:
        ends = start + source.lasts
    order = order_events(codes, start, groups)
    if order is not None:
        start = start[order]
        ends = None if ends is None else ends[order]
        columns = tuple(column[order] for column in columns)
    counts = np.array([len(start)]) if groups == 1 else np.bincount(codes, minlength=groups)
    offsets = offsets_of(counts)
    bound = np.full(groups, START, dtype=np.int64)
    frame = _complete(source, Frame(offsets, start, ends, columns, bound))
    _check_times(source, frame)
    return frame


def _times(source: Source, table: pa.Table, name: str) -> Ints:
    column = table[name]
    if column.null_count:
        raise SignalError(
            f"column {name!r} of {source.relation} has events without a time",
            hint="Leave them out where the relation is defined.",
        )
    if pa.types.is_timestamp(column.type) and source.unit is not TimeUnit.TICK:
        column = pc.cast(column, pa.timestamp(source.unit.value, column.type.tz))
    elif not pa.types.is_integer(column.type) or source.unit is not TimeUnit.TICK:
        raise SignalError(
            f"column {name!r} of {source.relation} is {column.type}, and times count "
            f"{source.unit.value}",
            hint="Give unit= s, ms, us or ns for timestamps, and none for whole numbers.",
        )
    return np.ascontiguousarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _payload(table: pa.Table, names: tuple[str, ...]) -> Column:
    parts = [_doubles(table[name]) for name in names]
    return parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]


def _doubles(column: pa.ChunkedArray) -> Column:
    doubles = column.cast(pa.float64())
    if doubles.null_count:
        doubles = pc.fill_null(doubles, np.nan)
    found: Column = doubles.to_numpy()
    return found


def _complete(source: Source, frame: Frame) -> Frame:
    """The events after the policy on missing values."""
    policy = source.policy.missing
    missing = np.isnan(frame.columns[0])
    for each in frame.columns[1:]:
        missing |= np.isnan(each)
    if policy is MissingValue.KEEP or not bool(missing.any()):
        return frame
    if policy is MissingValue.ERROR:
        at = int(np.argmax(missing))
        raise GroupError(
            f"an event of {source.relation} at {frame.start[at]} has no value",
            group=int(frame.group[at]),
            hint="Say missing= drop, keep or zero.",
        )
    if policy is MissingValue.DROP:
        return frame.keep(~missing)
    return frame.with_columns(tuple(np.where(np.isnan(each), 0.0, each) for each in frame.columns))


def _check_times(source: Source, frame: Frame) -> None:
    if frame.ends is not None and bool((frame.ends <= frame.start).any()):
        at = int(np.argmax(frame.ends <= frame.start))
        raise GroupError(
            f"an event of {source.relation} ends at {frame.ends[at]}, before it has lived: it "
            f"starts at {frame.start[at]}",
            group=int(frame.group[at]),
            hint="An event lives from its start up to, not including, its end.",
        )
    grid = source.grid
    if grid is None or grid.period == 1:
        return
    beats = grid.holds(frame.start)
    if not bool(beats.all()):
        at = int(np.argmin(beats))
        raise GroupError(
            f"an event of {source.relation} at {frame.start[at]} lies on no beat {grid}",
            group=int(frame.group[at]),
            hint="Leave the period out and call sample.",
        )


def write_events(schema: SignalSchema, frame: Frame, groups: Groups) -> pa.Table:
    """Final events as rows: keys, time, end unless they are samples, and the stored fields."""
    group = pa.array(frame.group)
    columns = {name: groups.keys[name].take(group) for name in schema.keys}
    columns[schema.time] = _time_array(frame.start, schema.unit)
    if schema.grid is None:
        columns[f"{schema.time}_end"] = _time_array(frame.end, schema.unit)
    for field, column in zip(schema.fields, frame.columns, strict=True):
        columns[field.name] = _array(field, column)
    return pa.table(columns)


def _time_array(times: Ints, unit: TimeUnit) -> pa.Array:
    array = pa.array(times, pa.int64())
    return array if unit is TimeUnit.TICK else array.cast(pa.timestamp(unit.value))


def _array(field: Field, column: Column) -> pa.Array:
    flat = np.ascontiguousarray(column).reshape(-1)
    if field.kind is Number.COMPLEX:
        parts = (pa.array(np.ascontiguousarray(each)) for each in (flat.real, flat.imag))
        values = pa.StructArray.from_arrays(list(parts), fields=list(COMPLEX))
    else:
        values = pa.array(flat, pa.float64())
    return values if field.size is None else pa.FixedSizeListArray.from_arrays(values, field.size)
