"""The adversarial tables as the generator sees them; limits and samples come from their data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow as pa

from slackwater.workloads.adversarial import adversarial_tables

from .core import Kind, Relation, Value

_KINDS: dict[str, Kind] = {
    "int32": Kind.INT,
    "int64": Kind.LONG,
    "string": Kind.STRING,
    "double": Kind.DOUBLE,
    "float": Kind.FLOAT,
    "date32[day]": Kind.DATE,
    "timestamp[us, tz=UTC]": Kind.TIMESTAMP,
    "timestamp[us]": Kind.NTZ,
    "binary": Kind.BINARY,
    "decimal128(38, 0)": Kind.BIG,
    "decimal128(38, 18)": Kind.WIDE,
    "decimal128(5, 2)": Kind.DECIMAL,
    "decimal128(10, 2)": Kind.DECIMAL,
    "decimal128(18, 4)": Kind.DECIMAL,
    "list<element: string>": Kind.STRINGS,
    "list<element: int32>": Kind.INTS,
    "struct<x: int32, y: double, label: string>": Kind.POINT,
    "map<string, int32>": Kind.MAP,
}
_NUMBERS = frozenset({Kind.INT, Kind.LONG, Kind.DECIMAL, Kind.DOUBLE})


@cache
def base_tables() -> dict[str, Relation]:
    """All tables by name; columns of types the generator does not use are left out."""
    return {
        name: Relation(name, tuple(_columns(table)), max(1, table.num_rows))
        for name, table in adversarial_tables().items()
    }


def _columns(table: pa.Table) -> list[Value]:
    found = []
    for column in table.schema:
        kind = _KINDS.get(str(column.type).replace("item:", "element:"))
        if kind is not None:
            values = [value for value in table[column.name].to_pylist() if value is not None]
            found.append(_column(_quoted(column.name), kind, values))
    return found


def _column(sql: str, kind: Kind, values: Sequence[Any]) -> Value:
    bound = _bound(values) if kind in _NUMBERS else math.inf
    exact = kind is not Kind.DOUBLE or all(_adds_exactly(value) for value in values)
    writer = _WRITERS.get(kind)
    samples = () if writer is None else tuple(dict.fromkeys(map(writer, values)))[:12]
    return Value(sql, kind, bound, exact, samples)


def _bound(values: Sequence[Any]) -> float:
    sizes = [abs(float(value)) for value in values]
    return max(sizes, default=0.0) if all(map(math.isfinite, sizes)) else math.inf


def _adds_exactly(value: float) -> bool:
    """Whether sums of such values have the same digits in any order."""
    return math.isfinite(value) and abs(value) < 1e6 and (value * 8).is_integer()


def _quoted(name: str) -> str:
    plain = name.isidentifier() and name not in {"select", "key", "count"}
    return name if plain else "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A text as a literal of Spark SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\x00", "\\0") + "'"


def _double(value: float) -> str:
    if math.isfinite(value):
        return f"{value!r}D"
    return f"double('{value}')"


def _moment(value: datetime) -> str:
    return f"{value.astimezone(UTC):%m-%d %H:%M:%S.%f}Z"


_WRITERS: dict[Kind, Callable[[Any], str]] = {
    Kind.INT: lambda value: str(int(value)),
    Kind.LONG: lambda value: f"{value}L",
    Kind.DECIMAL: lambda value: f"{Decimal(value):f}BD",
    Kind.DOUBLE: _double,
    Kind.STRING: quote_text,
    Kind.DATE: lambda value: f"DATE'{date.isoformat(value)}'",
    Kind.TIMESTAMP: lambda value: f"TIMESTAMP'{value.year:04}-{_moment(value)}'",
    Kind.BINARY: lambda value: f"X'{bytes(value).hex()}'",
}
