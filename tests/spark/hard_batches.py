"""Batches at the limits of what a source takes; half of them are at fault."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import StructType

from slackwater.catalog.source_spec import SourceSpec
from slackwater.spark.spark_types import own_columns


@dataclass(frozen=True)
class HardBatch:
    """What a source declares and holds, and a batch for it.

    `columns` is DDL, or the JSON of a field: only that can forbid NULL inside of values.
    """

    columns: str | list[Mapping[str, Any]]
    rows: pa.Table
    held: pa.Table | None = None
    key: tuple[str, ...] = ()
    op: str | None = None
    append_only: bool = False
    on_missing: str = "error"

    @property
    def schema(self) -> StructType:
        """The declared columns in Spark's types."""
        if isinstance(self.columns, str):
            return StructType.fromDDL(self.columns)
        fields = [{"nullable": True, "metadata": {}, **field} for field in self.columns]
        return StructType.fromJson({"type": "struct", "fields": fields})

    @property
    def spec(self) -> SourceSpec:
        """What the batch is held against."""
        return SourceSpec("hard", own_columns(self.schema), self.key, self.append_only)


EVERY_TYPE = (
    "id BIGINT, yes BOOLEAN, tiny TINYINT, small SMALLINT, whole INT, price DECIMAL(12,2), "
    "wide DECIMAL(38,18), rate DOUBLE, part FLOAT, name STRING, raw BINARY, day DATE, "
    "at TIMESTAMP, local TIMESTAMP_NTZ, tags ARRAY<DOUBLE>, "
    "place STRUCT<x: INT, y: STRING, z: ARRAY<TIMESTAMP>>"
)
_ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("yes", pa.bool_()),
        ("tiny", pa.int8()),
        ("small", pa.int16()),
        ("whole", pa.int32()),
        ("price", pa.decimal128(12, 2)),
        ("wide", pa.decimal128(38, 18)),
        ("rate", pa.float64()),
        ("part", pa.float32()),
        ("name", pa.string()),
        ("raw", pa.binary()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "Asia/Tokyo")),
        ("local", pa.timestamp("us")),
        ("tags", pa.list_(pa.float64())),
        (
            "place",
            pa.struct(
                [
                    ("x", pa.int32()),
                    ("y", pa.string()),
                    ("z", pa.list_(pa.timestamp("us", "Europe/Berlin"))),
                ]
            ),
        ),
    ]
)
_GAP = dt.datetime(2026, 3, 29, 2, 30)  # Berlin skips it.

_ROWS: list[dict[str, Any]] = [
    {"id": 0},
    {
        "id": 1,
        "yes": True,
        "tiny": -128,
        "small": 2**15 - 1,
        "whole": -(2**31),
        "price": Decimal("9999999999.99"),
        "wide": Decimal("-99999999999999999999.999999999999999999"),
        "rate": math.nan,
        "part": -0.0,
        "name": "",
        "raw": b"",
        "day": dt.date(1, 1, 1),
        "at": dt.datetime(9999, 12, 31, 23, 59, 59, 999999, dt.UTC),
        "local": _GAP,
        "tags": [-0.0, None, math.inf],
        "place": {"x": None, "y": "é", "z": [dt.datetime(1900, 1, 1, tzinfo=dt.UTC), None]},
    },
    {"id": 2, "rate": -0.0, "part": -math.inf, "name": "a\0b", "raw": b"\xff\0", "tags": []},
    {"id": 2**63 - 1, "rate": -math.inf, "part": math.nan, "place": {"z": []}},
    {"id": -(2**63), "rate": 5e-324, "part": 1e-45, "name": " a ", "day": dt.date(9999, 12, 31)},
]


def every_type(*places: int, **more: list[Any]) -> pa.Table:
    """Rows with values of every type, and further columns."""
    table = pa.Table.from_pylist([_ROWS[at] for at in places], schema=_ARROW)
    for name, values in more.items():
        kind = pa.string() if name == "_change_type" else pa.int64()
        table = table.append_column(name, pa.array(values, kind))
    return table


def _of(kind: pa.DataType, *values: object) -> pa.Table:
    return pa.table({"v": pa.array(values, kind), "n": range(len(values))})


def _inner(kind: Mapping[str, Any], **more: Any) -> list[Mapping[str, Any]]:
    return [{"name": "v", "type": kind, **more}, {"name": "n", "type": "long"}]


_ELEMENTS = {"type": "array", "containsNull": False, "elementType": "integer"}
_MEMBERS = {
    "type": "struct",
    "fields": [
        {"name": "x", "type": "integer", "nullable": False, "metadata": {}},
        {"name": "y", "type": _ELEMENTS, "nullable": True, "metadata": {}},
    ],
}
_BOTH = {"type": "array", "containsNull": True, "elementType": _MEMBERS}
_ENTRIES = {"type": "map", "keyType": "string", "valueType": _ELEMENTS, "valueContainsNull": False}
_MEMBER = pa.struct([("x", pa.int32()), ("y", pa.list_(pa.int32()))])


def _covered() -> pa.Table:
    """Values that hold NULL below a NULL, where it is none, and arrays that lie in pieces."""
    members = pa.StructArray.from_arrays(
        [
            pa.array([None, 1, None], pa.int32()),
            pa.array([[1], [2, 3], [None]], pa.list_(pa.int32())),
        ],
        fields=list(_MEMBER),
        mask=pa.array([True, False, False]),
    )
    lists = pa.ListArray.from_arrays(
        pa.array([0, 1, 2, 3], pa.int32()), members, mask=pa.array([False, False, True])
    )
    pieces = pa.chunked_array([lists.slice(2), lists.slice(0, 2), lists.slice(1)])
    return pa.table({"v": pieces, "n": range(5)})


def _oversized(kind: pa.DataType) -> pa.Table:
    """A decimal under a type with too few digits for it, as unsafe casts leave it."""
    inside = pa.types.is_list(kind)
    narrow = kind.value_type if inside else kind
    digits = pa.array([Decimal("123456789012345678901.25")], pa.decimal128(38, narrow.scale))
    values = pa.Array.from_buffers(narrow, 1, digits.buffers())
    return pa.table({"v": pa.ListArray.from_arrays([0, 1], values) if inside else values, "n": [0]})


def keyed(*rows: tuple[object, ...], **more: list[Any]) -> pa.Table:
    """Rows of k and v."""
    columns = {"k": pa.array([k for k, *_ in rows], pa.int64())}
    if all(len(row) == 2 for row in rows):
        columns["v"] = pa.array([v for _, v in rows], pa.string())
    for name, values in more.items():
        columns[name] = pa.array(values, pa.string() if name == "_change_type" else pa.int64())
    return pa.table(columns)


_KEYED: dict[str, Any] = {"columns": "k BIGINT, v STRING", "key": ("k",)}
_HELD = keyed((1, "a"), (2, "b"), (3, None))
_FLOATS = {"columns": "v DOUBLE, n BIGINT", "key": ("v",)}

HARD_BATCHES: dict[str, HardBatch] = {
    "every type": HardBatch(EVERY_TYPE, every_type(0, 1, 2, 3, 4), key=("id",)),
    "every type as a bag": HardBatch(
        EVERY_TYPE, every_type(1, 2, 1, _w=[-1, -2, 2]), every_type(1, 2, 2, 3)
    ),
    "every type is replaced": HardBatch(
        EVERY_TYPE, every_type(0, 1, 4), every_type(0, 1, 2), key=("id",), op="upsert"
    ),
    "no row and no piece": HardBatch(
        EVERY_TYPE, pa.table([pa.chunked_array([], each.type) for each in _ARROW], _ARROW.names)
    ),
    "no row": HardBatch(EVERY_TYPE, every_type(), every_type(1), key=("id",), op="upsert"),
    "fits a narrower number": HardBatch(
        "v TINYINT, n INT", _of(pa.int64(), 127, -128, None, 0), key=("n",)
    ),
    "too large for a narrower number": HardBatch(
        "v TINYINT, n INT", _of(pa.int64(), 127, 128, None, -129), key=("n",)
    ),
    "too large in the key": HardBatch(
        "v INT, n BIGINT", _of(pa.int64(), 2**31, 2**31 - 1, None), key=("v",)
    ),
    "a wider number": HardBatch("v BIGINT, n BIGINT", _of(pa.int8(), 127, -128, None)),
    "unsigned numbers": HardBatch("v SMALLINT, n BIGINT", _of(pa.uint16(), 1, 2**15, None)),
    "the largest unsigned numbers": HardBatch(
        "v BIGINT, n BIGINT", _of(pa.uint64(), 1, 2**63, None)
    ),
    "digits that fit": HardBatch(
        "v DECIMAL(5,1), n BIGINT", _of(pa.decimal128(12, 3), Decimal("1.500"), None)
    ),
    "too many digits": HardBatch(
        "v DECIMAL(5,1), n BIGINT",
        _of(pa.decimal128(12, 3), Decimal("1.25"), Decimal("10000"), Decimal("1.5")),
    ),
    "more digits than their type has": HardBatch(
        "v DECIMAL(20,2), n BIGINT", _oversized(pa.decimal128(20, 2)), key=("n",)
    ),
    "more digits than their type has inside": HardBatch(
        "v ARRAY<DECIMAL(20,2)>, n BIGINT", _oversized(pa.list_(pa.decimal128(20, 2))), key=("n",)
    ),
    "other widths of decimals": HardBatch(
        "v DECIMAL(9,2), n BIGINT", _of(pa.decimal256(9, 2), Decimal("1234567.89"), None)
    ),
    "narrow decimals": HardBatch(
        "v DECIMAL(9,2), n BIGINT", _of(pa.decimal64(9, 2), Decimal("1234567.89"), None)
    ),
    "whole numbers for decimals": HardBatch(
        "v DECIMAL(4,2), n BIGINT", _of(pa.int32(), 99, 100, None)
    ),
    "fractions for whole numbers": HardBatch(
        "v INT, n BIGINT", _of(pa.float64(), 1.0, -0.0, 2.5, math.nan, math.inf, None)
    ),
    "doubles for floats": HardBatch(
        "v FLOAT, n BIGINT", _of(pa.float64(), 0.1, -0.0, math.nan, 1e300, None)
    ),
    "halves for floats": HardBatch(
        "v FLOAT, n BIGINT", _of(pa.float16(), np.float16(1.5), np.float16("nan"))
    ),
    "times of day for days": HardBatch(
        "v DATE, n BIGINT", _of(pa.timestamp("us"), dt.datetime(2026, 1, 1), _GAP, None)
    ),
    "local times for instants": HardBatch(
        "v TIMESTAMP, n BIGINT", _of(pa.timestamp("us"), _GAP, None)
    ),
    "instants for local times": HardBatch(
        "v TIMESTAMP_NTZ, n BIGINT", _of(pa.timestamp("us", "UTC"), _GAP, None)
    ),
    "seconds": HardBatch("v TIMESTAMP, n BIGINT", _of(pa.timestamp("s", "UTC"), 5, None)),
    "spans of seconds": HardBatch(
        "v INTERVAL DAY TO SECOND, n BIGINT", _of(pa.duration("s"), 5, None)
    ),
    "bytes of one length": HardBatch("v BINARY, n BIGINT", _of(pa.binary(2), b"ab", None)),
    "wide offsets": HardBatch(
        "v ARRAY<STRING>, n BIGINT", _of(pa.large_list(pa.large_string()), ["a", None], None)
    ),
    "lists of one length": HardBatch(
        "v ARRAY<INT>, n BIGINT", _of(pa.list_(pa.int32(), 2), [1, None], None)
    ),
    "texts that are no UTF-8": HardBatch(
        "v STRING, n BIGINT",
        pa.table(
            {"v": pa.array([b"\xff", b"ok", None], pa.binary()).view(pa.string()), "n": range(3)}
        ),
        key=("n",),
    ),
    "nothing but NULL": HardBatch("v STRING, n BIGINT", _of(pa.null(), None, None)),
    "texts of a dictionary": HardBatch(
        "v STRING, n BIGINT", _of(pa.dictionary(pa.int32(), pa.string()), "a", None, "a")
    ),
    "numbers too large inside": HardBatch(
        "v ARRAY<INT>, n BIGINT", _of(pa.list_(pa.int64()), [1, None], [2**31], None)
    ),
    "collated texts inside": HardBatch(
        "v ARRAY<STRING COLLATE UTF8_LCASE>, n BIGINT", _of(pa.list_(pa.string()), ["A"], ["a"])
    ),
    "maps": HardBatch(
        "v MAP<STRING, INT>, n BIGINT", _of(pa.map_(pa.string(), pa.int32()), [("a", None)], None)
    ),
    "NULL where it is forbidden": HardBatch(
        "v STRING NOT NULL, n BIGINT", _of(pa.string(), "a", None, "")
    ),
    "NULL in the key": HardBatch("v STRING, n BIGINT", _of(pa.string(), "a", None), key=("v",)),
    "NULL is not an element": HardBatch(
        _inner(_ELEMENTS), _of(pa.list_(pa.int32()), [1], None, [], [2, None], [None])
    ),
    "no NULL among elements": HardBatch(
        _inner(_ELEMENTS, nullable=False), _of(pa.list_(pa.int32()), [1], [], [2, 3])
    ),
    "NULL is not a member": HardBatch(
        _inner(_MEMBERS),
        _of(_MEMBER, {"x": 1}, {"x": None}, None, {"x": 1, "y": [2, None]}, {"x": 1, "y": []}),
    ),
    "NULL is not deep inside": HardBatch(
        _inner(_BOTH),
        _of(
            pa.list_(_MEMBER),
            [None, {"x": 1}],
            [{"x": 1}, {"x": None}],
            None,
            [{"x": 1, "y": [None]}],
        ),
    ),
    "NULL below NULL": HardBatch(_inner(_BOTH), _covered()),
    "NULL is not a value of a map": HardBatch(
        _inner(_ENTRIES),
        _of(
            pa.map_(pa.string(), pa.list_(pa.int32())),
            [("a", [1])],
            [("a", [1]), ("b", None)],
            None,
            [],
            [("a", [None])],
        ),
    ),
    "no NULL inside of wider numbers": HardBatch(
        _inner(_ELEMENTS), _of(pa.list_(pa.int64()), [1], None, [2])
    ),
    "NULL inside of wider numbers": HardBatch(
        _inner(_ELEMENTS), _of(pa.list_(pa.int64()), [1], [None])
    ),
    "weights": HardBatch(
        rows=keyed((1, "a"), (1, "c"), (4, "d"), _w=[-1, 1, 1]), held=_HELD, **_KEYED
    ),
    "weights of 0 and NULL": HardBatch(
        "k BIGINT, v STRING", keyed((1, "a"), (2, "b"), (3, "c"), _w=[1, 0, None])
    ),
    "weights beyond any sum": HardBatch(
        rows=keyed((5, "a"), (5, "a"), _w=[2**63 - 1, 2**63 - 1]), **_KEYED
    ),
    "weights that cancel": HardBatch(
        rows=keyed((5, "a"), (5, "b"), (5, "a"), _w=[1, 1, -1]), held=_HELD, **_KEYED
    ),
    "a log loses rows": HardBatch(
        "k BIGINT, v STRING", keyed((1, "a"), (2, "b"), _w=[1, -1]), append_only=True
    ),
    "a log gains rows": HardBatch(
        "k BIGINT, v STRING", keyed((1, "a"), (1, "a"), _w=[1, 3]), append_only=True
    ),
    "a log's feed": HardBatch(
        "k BIGINT, v STRING",
        keyed((1, "a"), (2, "b"), _change_type=["insert", "update_preimage"]),
        append_only=True,
    ),
    "a change feed": HardBatch(
        rows=keyed(
            (1, "a"),
            (1, "c"),
            (2, "b"),
            (4, "d"),
            _change_type=["update_preimage", "update_postimage", "delete", "insert"],
        ),
        held=_HELD,
        **_KEYED,
    ),
    "unknown changes": HardBatch(
        "k BIGINT, v STRING",
        keyed((1, "a"), (2, "b"), (3, "c"), (4, "d"), _change_type=["INSERT", None, "", "insert"]),
    ),
    "a key twice": HardBatch(rows=keyed((5, "a"), (6, "b"), (5, "c")), **_KEYED),
    "a key that is there": HardBatch(rows=keyed((1, "z")), held=_HELD, **_KEYED),
    "two rows replace one": HardBatch(
        rows=keyed((1, "x"), (1, "y")), held=_HELD, op="upsert", **_KEYED
    ),
    "equal rows replace one": HardBatch(
        rows=keyed((1, "x"), (1, "x")), held=_HELD, op="upsert", **_KEYED
    ),
    "keys go": HardBatch(rows=keyed((1,), (3,)), held=_HELD, op="delete", **_KEYED),
    "a key goes twice": HardBatch(rows=keyed((1,), (1,)), held=_HELD, op="delete", **_KEYED),
    "an absent key goes": HardBatch(rows=keyed((1,), (9,)), held=_HELD, op="delete", **_KEYED),
    "an absent key may go": HardBatch(
        rows=keyed((1,), (9,)), held=_HELD, op="delete", on_missing="ignore", **_KEYED
    ),
    "a key may not go twice": HardBatch(
        rows=keyed((1,), (1,)), held=_HELD, op="delete", on_missing="ignore", **_KEYED
    ),
    "an absent row goes": HardBatch(rows=keyed((1, "z")), held=_HELD, op="delete", **_KEYED),
    "an absent row may go": HardBatch(
        rows=keyed((1, "z"), (2, "b")), held=_HELD, op="delete", on_missing="ignore", **_KEYED
    ),
    "an absent row of a bag goes": HardBatch(
        "k BIGINT, v STRING", keyed((1, "a"), (1, "a")), keyed((1, "a")), op="delete"
    ),
    "zeros and NaN are one key each": HardBatch(
        rows=_of(pa.float64(), 0.0, -0.0, math.nan, math.nan), **_FLOATS
    ),
    "zero replaces zero": HardBatch(
        rows=_of(pa.float64(), -0.0, math.nan),
        held=_of(pa.float64(), 0.0, math.nan, math.inf),
        op="upsert",
        **_FLOATS,
    ),
    "a zero of a bag goes": HardBatch(
        "v DOUBLE, n BIGINT", _of(pa.float64(), -0.0), _of(pa.float64(), 0.0), op="delete"
    ),
}
