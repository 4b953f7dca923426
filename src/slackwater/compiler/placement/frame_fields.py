"""The columns of frames, as far as statements tell of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.compiler.placement.unfuse import scans_of
from slackwater.plan.program import ComputeStep, Step
from slackwater.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    SMALLINT,
    TINYINT,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    MapType,
    StringType,
    StructType,
)

Fields = Mapping[str, Mapping[str, Field]]
"""By frame and name."""

_NARROW: Mapping[DataType, int] = {
    BOOLEAN: 1,
    TINYINT: 1,
    SMALLINT: 2,
    INTEGER: 4,
    DATE: 4,
    FLOAT: 4,
}
_TEXT, _ITEMS = 20, 4


def find_fields(steps: Iterable[Step]) -> Fields:
    """The columns that statements give and those that they read."""
    found: dict[str, dict[str, Field]] = {}
    for step in steps:
        if isinstance(step, ComputeStep):
            found[step.name] = {each.name: each for each in step.statement.fields}
            for scan in scans_of(step.statement.rel):
                known = found.setdefault(scan.source, {})
                for each in scan.columns:
                    known.setdefault(each.name, Field(each.name, each.dtype, each.nullable))
    return found


def width_of(fields: Iterable[Field]) -> int:
    """About how many bytes a row with these columns takes."""
    return max(1, sum(_width(each.dtype) for each in fields))


def _width(dtype: DataType) -> int:
    match dtype:
        case StringType():
            return _TEXT
        case DecimalType():
            return 16
        case ArrayType(element=element):
            return _ITEMS * _width(element)
        case MapType(key=key, value=value):
            return _ITEMS * (_width(key) + _width(value))
        case StructType(fields=fields):
            return sum(_width(each.dtype) for each in fields)
        case _:
            return _NARROW.get(dtype, 8)
