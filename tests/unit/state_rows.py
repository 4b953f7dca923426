"""Random rows of all types, and a plain Python model of an arrangement to compare with."""

from __future__ import annotations

import math
import zlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from slackwater.state.columns import stored_schema
from slackwater.state.matching import Arrangement
from slackwater.state.segments import SegmentFile
from slackwater.state.writer import WriteSegment

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its weight."""

    values: Values
    weight: int


_FLOATS = st.sampled_from([0.0, -0.0, math.nan, -math.nan, math.inf, 1.5])
_STRINGS = st.sampled_from(["", "a", "A", "a\u0301", "\u00e1", "long text " * 3])
_INTEGERS = st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)])
_DECIMALS = st.sampled_from([Decimal("0.0000"), Decimal("-1.5000"), Decimal("9" * 34 + ".9999")])
_NARROW_DECIMALS = st.sampled_from([Decimal("0.0000"), Decimal("-" + "9" * 14 + ".9999")])
_SMALL = st.integers(0, 2)


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def _list(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(_maybe(values), max_size=3)


def _map(keys: st.SearchStrategy[Any], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    entries = st.tuples(keys, _maybe(values))
    return st.lists(entries, max_size=3, unique_by=lambda entry: repr(canonical(entry[0])))


_TEXT_MAP = pa.map_(pa.string(), pa.float64())
_DEEP = pa.list_(
    pa.field("element", pa.struct([("m", pa.map_(pa.int32(), pa.list_(pa.float64())))]))
)

COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "bigint": (pa.int64(), _INTEGERS),
    "double": (pa.float64(), _FLOATS),
    "float": (pa.float32(), _FLOATS),
    "string": (pa.string(), _STRINGS),
    "binary": (pa.binary(), st.sampled_from([b"", b"\x00", b"\x00\x00"])),
    "boolean": (pa.bool_(), st.booleans()),
    "decimal": (pa.decimal128(38, 4), _DECIMALS),
    "narrow decimal": (pa.decimal128(18, 4), _NARROW_DECIMALS),
    "date": (pa.date32(), st.sampled_from([date(1, 1, 1), date(9999, 12, 31)])),
    "timestamp": (
        pa.timestamp("us", tz="UTC"),
        st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)]),
    ),
    "timestamp_ntz": (pa.timestamp("us"), st.sampled_from([datetime(2020, 1, 1, 0, 0, 0, 1)])),
    "interval": (pa.duration("us"), st.sampled_from([timedelta(0), timedelta(-9, 1, 1)])),
    "void": (pa.null(), st.none()),
    "array": (pa.list_(pa.float64()), _list(_FLOATS)),
    "struct": (
        pa.struct([("a", pa.float64()), ("b", pa.list_(pa.string()))]),
        st.fixed_dictionaries({"a": _maybe(_FLOATS), "b": _maybe(_list(_STRINGS))}),
    ),
    "map": (_TEXT_MAP, _map(_STRINGS, _FLOATS)),
    "deep": (
        _DEEP,
        _list(st.fixed_dictionaries({"m": _maybe(_map(_SMALL, _list(_FLOATS)))})),
    ),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A schema and several changes to a table of it: each a list of rows."""

    columns: pa.Schema
    changes: list[list[Row]]


@st.composite
def samples(draw: st.DrawFn, changes: int = 3, rows: int = 8) -> Sample:
    """Tables of one to three columns of random types, changed a few times."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    chosen = [COLUMNS[name] for name in names]
    values = st.tuples(*(_maybe(values) for _, values in chosen))
    pool = draw(st.lists(values, min_size=1, max_size=6))
    weights = st.sampled_from([1, 1, 1, -1, 2, -3])
    row = st.builds(Row, st.sampled_from(pool), weights)
    columns = pa.schema([pa.field(f"k{i}", kind) for i, (kind, _) in enumerate(chosen)])
    return Sample(columns, draw(st.lists(st.lists(row, max_size=rows), max_size=changes)))


def canonical(value: Any) -> Hashable:
    """A value that is equal for values that are one row's; written apart from the product."""
    match value:
        case float():
            return ("float", "nan") if math.isnan(value) else ("float", value.hex())
        case datetime():
            return ("instant", value.timestamp()) if value.tzinfo else value
        case dict():
            return tuple(canonical(member) for _, member in sorted(value.items()))
        case [(_, _), *_] if all(isinstance(entry, tuple) for entry in value):
            return frozenset((canonical(key), canonical(item)) for key, item in value)
        case list():
            return ("list", *(canonical(item) for item in value)) if value else ("empty",)
        case tuple():
            return tuple(canonical(item) for item in value)
    hashable: Hashable = value
    return hashable


def hash_of(values: Values) -> int:
    """A hash of the first column with few outcomes, so that different keys share one."""
    number = zlib.crc32(repr(_ordered(canonical(values[:1]))).encode()) % 5
    return (-(2**63), -7, 0, 12, 2**63 - 1)[number]


def _ordered(value: Hashable) -> Hashable:
    """Sets print in any order; sorted entries do not."""
    if isinstance(value, frozenset):
        return tuple(sorted(map(repr, value)))
    if isinstance(value, tuple):
        return tuple(_ordered(item) for item in value)
    return value


def batch_of(rows: Iterable[Row], columns: pa.Schema) -> pa.RecordBatch:
    """The rows as they arrive from Spark: `_h`, k0, ..., `_w`."""
    listed = list(rows)
    schema = stored_schema(columns)
    data = [[hash_of(row.values) for row in listed]]
    data += [[row.values[index] for row in listed] for index in range(len(columns))]
    data.append([row.weight for row in listed])
    arrays = [pa.array(column, field.type) for column, field in zip(data, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def marker(value: int, columns: pa.Schema) -> pa.RecordBatch:
    """A row that only says that a hash is affected."""
    schema = stored_schema(columns)
    cells = [value, *([None] * len(columns)), 0]
    arrays = [pa.array([cell], field.type) for cell, field in zip(cells, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def rows_of(batches: Iterable[pa.RecordBatch], width: int, first: int = 0) -> list[Row]:
    """Rows of batches whose columns from `first` on are k0, ..., and whose next is a weight."""
    listed = []
    for batch in batches:
        data = [batch.column(first + index).to_pylist() for index in range(width + 1)]
        listed += [Row(cells[:-1], cells[-1]) for cells in zip(*data, strict=True)]
    return listed


def net(rows: Iterable[Row]) -> dict[Hashable, int]:
    """The Z-set: each row's weight, zeros left out."""
    total: dict[Hashable, int] = {}
    for row in rows:
        key = canonical(row.values)
        total[key] = total.get(key, 0) + row.weight
    return {key: weight for key, weight in total.items() if weight}


def write(
    home: Path,
    changes: Sequence[Sequence[Row]],
    columns: pa.Schema,
    *,
    consolidate: bool = False,
) -> Arrangement:
    """An arrangement of one segment for each change."""
    files: list[SegmentFile] = []
    for number, rows in enumerate(changes):
        worker = WriteSegment(str(home), "state", f"s{number}", columns, False, consolidate)
        files += files_of(worker(iter([batch_of(rows, columns)])))
    return Arrangement(str(home), tuple(files), columns)


def files_of(manifests: Iterator[pa.RecordBatch]) -> list[SegmentFile]:
    """What the manifest rows of a writer say."""
    names = SegmentFile.__dataclass_fields__
    return [
        SegmentFile(**{name: row[name] for name in names})
        for manifest in manifests
        for row in manifest.to_pylist()
    ]
