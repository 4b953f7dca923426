"""Compares two results as bags: the same rows, each as often, whatever their order.

This is what "exact" means in Slackwater: equal column names and types; equal rows with equal
multiplicities; integers, decimals, strings, dates and binaries to the last digit; floating
numbers within the error that another order of addition makes. Both results are collected on
the driver, so they must fit there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from pyspark.sql import Column, DataFrame, functions, types

from slackwater.reading.close_vectors import Vector, is_close, unmatched

SAMPLE_ROWS = 5


class _Float(Enum):
    """Stands for a floating number where a row is compared exactly."""

    FLOAT = "float"
    DOUBLE = "double"
    NAN = "NaN"
    INFINITY = "Infinity"
    MINUS_INFINITY = "-Infinity"


_TOLERANCES = {_Float.FLOAT: 1e-6, _Float.DOUBLE: 1e-9}

# Python's own values of these types are too narrow (years 1 to 9999) or missing altogether.
_CARRIED_AS_TEXT = (
    types.DateType,
    types.TimestampNTZType,
    types.TimeType,
    types.DayTimeIntervalType,
    types.YearMonthIntervalType,
    types.CalendarIntervalType,
)


@dataclass(frozen=True, slots=True)
class BagDifference:
    """The difference of two results: one sentence, and rows only one of them has, as text."""

    what: str
    columns: tuple[str, ...] = ()
    only_actual: tuple[tuple[str, ...], ...] = ()
    only_expected: tuple[tuple[str, ...], ...] = ()

    def render(self) -> str:
        """The difference for a reader, one line a row: `+` is only actual, `-` only expected.

        >>> print(BagDifference("1 row is missing", ("id", "name"), (), (("1", "'x'"),)).render())
        1 row is missing
          - id=1, name='x'
        """
        signed = [("+", row) for row in self.only_actual] + [("-", r) for r in self.only_expected]
        return "\n".join([self.what, *(f"  {sign} {self._line(row)}" for sign, row in signed)])

    __str__ = render

    def _line(self, row: tuple[str, ...]) -> str:
        return ", ".join(f"{name}={cell}" for name, cell in zip(self.columns, row, strict=True))


@dataclass(frozen=True, slots=True)
class _Row:
    """A collected row: its exact part, the floats taken out of it, and its cells as collected."""

    exact: tuple[Hashable, ...]
    floats: Vector
    cells: tuple[Any, ...]


_Sides = tuple[list[_Row], list[_Row]]


@dataclass(frozen=True, slots=True)
class Bag:
    """A result that has been collected, so that several others can be compared with it."""

    schema: types.StructType
    rows: list[_Row]


def collect_bag(frame: DataFrame) -> Bag:
    """Compute a result and bring it to the driver."""
    return Bag(frame.schema, _collect(frame))


def compare_bags(
    actual: DataFrame, expected: DataFrame | Bag, *, ordered: bool = False
) -> BagDifference | None:
    """Find how `actual` differs from `expected`; None if they are the same bag of rows.

    Column names and data types must agree in order; nullability and metadata are ignored at
    every level. A FLOAT may differ by 1e-6 and a DOUBLE by 1e-9 of its size; NaN equals NaN and
    -0.0 equals 0.0; maps have no order. With `ordered`, rows must also come in the same order.
    """
    problem = _schema_problem(actual.schema, expected.schema)
    if problem is not None:
        return BagDifference(problem)
    actual_rows = _collect(actual)
    expected_rows = expected.rows if isinstance(expected, Bag) else _collect(expected)
    surplus, missing = _unmatched(actual_rows, expected_rows)
    if surplus or missing:
        what = (
            f"rows differ: {len(surplus)} of {len(actual_rows)} actual rows are unexpected, "
            f"{len(missing)} of {len(expected_rows)} expected rows are missing"
        )
        return _difference(what, actual.schema, surplus, missing)
    if ordered:
        return _order_difference(actual.schema, actual_rows, expected_rows)
    return None


def _order_difference(
    schema: types.StructType, actual: list[_Row], expected: list[_Row]
) -> BagDifference | None:
    for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
        if not _same(left, right):
            what = f"the same rows come in another order, first at row {index + 1}"
            return _difference(what, schema, actual[index:], expected[index:])
    return None


def _difference(
    what: str, schema: types.StructType, surplus: Sequence[_Row], missing: Sequence[_Row]
) -> BagDifference:
    def sample(rows: Sequence[_Row]) -> tuple[tuple[str, ...], ...]:
        return tuple(
            tuple(
                _text(cell, field.dataType) for cell, field in zip(row.cells, schema, strict=True)
            )
            for row in rows[:SAMPLE_ROWS]
        )

    return BagDifference(what, tuple(schema.names), sample(surplus), sample(missing))


# Schemas ------------------------------------------------------------------------------------


def _schema_problem(actual: types.StructType, expected: types.StructType) -> str | None:
    if len(actual) != len(expected):
        return (
            f"columns differ: {len(actual)} ({', '.join(actual.names)}) "
            f"instead of {len(expected)} ({', '.join(expected.names)})"
        )
    for position, (mine, theirs) in enumerate(zip(actual, expected, strict=True), start=1):
        if (mine.name, _bare(mine.dataType)) != (theirs.name, _bare(theirs.dataType)):
            return (
                f"column {position} differs: {mine.name} {mine.dataType.simpleString()} "
                f"instead of {theirs.name} {theirs.dataType.simpleString()}"
            )
    return None


def _bare(kind: types.DataType) -> Hashable:
    """A data type without nullability and metadata."""
    match kind:
        case types.StructType():
            return "struct", tuple((field.name, _bare(field.dataType)) for field in kind)
        case types.ArrayType():
            return "array", _bare(kind.elementType)
        case types.MapType():
            return "map", _bare(kind.keyType), _bare(kind.valueType)
    return kind


# From Spark to rows -------------------------------------------------------------------------


def _collect(frame: DataFrame) -> list[_Row]:
    """All rows, in the frame's order; columns are taken by position, as names may repeat."""
    kinds = [field.dataType for field in frame.schema]
    renamed = frame.toDF(*(f"c{index}" for index in range(len(kinds))))
    carried = renamed.select(
        *(
            _carried(functions.col(f"c{index}"), kind).alias(f"c{index}")
            for index, kind in enumerate(kinds)
        )
    )
    return [_row(tuple(row), kinds) for row in carried.collect()]


def _needs_carrying(kind: types.DataType) -> bool:
    match kind:
        case types.StructType():
            return any(_needs_carrying(field.dataType) for field in kind)
        case types.ArrayType():
            return _needs_carrying(kind.elementType)
    exotic = (types.MapType, types.TimestampType, types.VariantType)
    return isinstance(kind, (*exotic, *_CARRIED_AS_TEXT))


def _carried(column: Column, kind: types.DataType) -> Column:
    """The column in a form that Python receives without loss.

    Instants travel as microseconds because Python's local times repeat when clocks go back; a
    map travels as its entries because Python cannot hash every key.
    """
    if not _needs_carrying(kind):
        return column
    match kind:
        case types.TimestampType():
            return functions.unix_micros(column)
        case types.VariantType():
            return functions.concat(
                functions.schema_of_variant(column), functions.lit(" "), functions.to_json(column)
            )
        case types.ArrayType():
            return functions.transform(column, lambda item: _carried(item, kind.elementType))
        case types.MapType():
            return functions.transform(functions.map_entries(column), _entry(kind))
        case types.StructType():
            members = (_carried(column.getField(f.name), f.dataType).alias(f.name) for f in kind)
            return functions.when(column.isNotNull(), functions.struct(*members))
    return column.cast("string")


def _entry(kind: types.MapType) -> Callable[[Column], Column]:
    def entry(item: Column) -> Column:
        return functions.struct(
            _carried(item.getField("key"), kind.keyType).alias("key"),
            _carried(item.getField("value"), kind.valueType).alias("value"),
        )

    return entry


def _row(cells: tuple[Any, ...], kinds: Sequence[types.DataType]) -> _Row:
    floats: list[float] = []
    exact = tuple(_exact(cell, kind, floats) for cell, kind in zip(cells, kinds, strict=True))
    return _Row(exact, tuple(floats), cells)


def _exact(value: Any, kind: types.DataType, floats: list[float]) -> Hashable:
    """The value with its finite floats moved to `floats` and a mark left in their place."""
    if value is None:
        return None
    match kind:
        case types.FloatType():
            return _exact_float(value, _Float.FLOAT, floats)
        case types.DoubleType():
            return _exact_float(value, _Float.DOUBLE, floats)
        case types.BinaryType():
            return bytes(value)
        case types.ArrayType():
            return tuple(_exact(item, kind.elementType, floats) for item in value)
        case types.StructType():
            members = zip(value, kind, strict=True)
            return tuple(_exact(item, field.dataType, floats) for item, field in members)
        case types.MapType():
            return _exact_map(value, kind, floats)
    hashable: Hashable = value
    return hashable


def _exact_float(value: float, mark: _Float, floats: list[float]) -> _Float:
    if math.isnan(value):
        return _Float.NAN
    if math.isinf(value):
        return _Float.INFINITY if value > 0 else _Float.MINUS_INFINITY
    floats.append(value + 0.0)  # turns -0.0 into 0.0
    return mark


def _exact_map(entries: Any, kind: types.MapType, floats: list[float]) -> Hashable:
    """A map's entries ordered by key, so that equal maps look equal."""
    keyed = []
    for key, value in entries:
        key_floats: list[float] = []
        key_exact = _exact(key, kind.keyType, key_floats)
        keyed.append((repr(key_exact), key_floats, key_exact, value))
    keyed.sort(key=lambda entry: entry[:2])
    ordered = []
    for _, key_floats, key_exact, value in keyed:
        floats.extend(key_floats)
        ordered.append((key_exact, _exact(value, kind.valueType, floats)))
    return tuple(ordered)


# Matching -----------------------------------------------------------------------------------


def _unmatched(actual: list[_Row], expected: list[_Row]) -> _Sides:
    """The rows of either side that have no partner on the other."""
    groups: defaultdict[Hashable, _Sides] = defaultdict(lambda: ([], []))
    for row in actual:
        groups[row.exact][0].append(row)
    for row in expected:
        groups[row.exact][1].append(row)
    surplus: list[_Row] = []
    missing: list[_Row] = []
    for exact, (mine, theirs) in groups.items():
        left, right = unmatched(
            [row.floats for row in mine], [row.floats for row in theirs], _tolerances(exact)
        )
        surplus += [mine[index] for index in left]
        missing += [theirs[index] for index in right]
    return surplus, missing


def _same(left: _Row, right: _Row) -> bool:
    return left.exact == right.exact and is_close(
        left.floats, right.floats, _tolerances(left.exact)
    )


def _tolerances(exact: Hashable) -> Vector:
    """The tolerance of each float taken out of a row, in order."""
    if isinstance(exact, tuple):
        return tuple(tolerance for part in exact for tolerance in _tolerances(part))
    return (_TOLERANCES[exact],) if isinstance(exact, _Float) and exact in _TOLERANCES else ()


# Text ---------------------------------------------------------------------------------------


def _text(value: Any, kind: types.DataType) -> str:
    """A collected value as a reader would write it; instants in UTC."""
    if value is None:
        return "NULL"
    match kind:
        case types.TimestampType():
            return _instant(value)
        case types.ArrayType():
            return f"[{', '.join(_text(item, kind.elementType) for item in value)}]"
        case types.MapType():
            pairs = (f"{_text(k, kind.keyType)}: {_text(v, kind.valueType)}" for k, v in value)
            return f"{{{', '.join(pairs)}}}"
        case types.StructType():
            members = zip(kind, value, strict=True)
            return f"({', '.join(f'{f.name}={_text(v, f.dataType)}' for f, v in members)})"
        case types.BinaryType():
            return f"X'{bytes(value).hex().upper()}'"
        case types.StringType():
            return repr(value)
    return str(value)


def _instant(micros: int) -> str:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)).isoformat()
    except OverflowError:
        return f"{micros} microseconds after 1970"
