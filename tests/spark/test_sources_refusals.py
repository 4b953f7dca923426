"""Batches that are refused: by their columns at once, or by rows that the message shows."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from slackwater.errors import DataError
from slackwater.sources.batches import Batch, SourceSpec, read_batch
from slackwater.sources.checks import broken_in_arrow, check_batch
from slackwater.sources.key_rule import may_be_crowded
from slackwater.sources.row_rules import rules_of
from slackwater.spark.spark_types import own_columns


@dataclass(frozen=True)
class Declared:
    """A source by the DDL of its columns, which only a running Spark can read."""

    name: str
    ddl: str
    key: tuple[str, ...] = ()
    append_only: bool = False

    @property
    def spec(self) -> SourceSpec:
        schema = json.loads(self.ddl) if self.ddl.startswith("{") else None
        columns = StructType.fromJson(schema) if schema else StructType.fromDDL(self.ddl)
        return SourceSpec(self.name, own_columns(columns), self.key, self.append_only)


ORDER_COLUMNS = "id BIGINT NOT NULL, item STRING, amount DECIMAL(10,2), day DATE"
ORDERS = Declared("orders", ORDER_COLUMNS, key=("id",))
DAY = dt.date(2026, 5, 1)
ROWS = [
    {"id": 1, "item": "tea", "amount": Decimal("2.50"), "day": DAY},
    {"id": 2, "item": None, "amount": None, "day": None},
]


def arrow_rows(**more: list[object]) -> pa.Table:
    """The two rows as Arrow data, with further columns."""
    table = pa.Table.from_pylist(
        ROWS,
        schema=pa.schema(
            [
                ("id", pa.int64()),
                ("item", pa.string()),
                ("amount", pa.decimal128(10, 2)),
                ("day", pa.date32()),
            ]
        ),
    )
    for name, values in more.items():
        table = table.append_column(name, pa.array(values))
    return table


def accepted(spark: SparkSession, source: Declared, rows: object, **options: str) -> Batch:
    """The batch, read and checked."""
    spec = source.spec
    batch = read_batch(spark, spec, rows, **options)
    check_batch(batch, spec)
    return batch


def surely_clean(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    """Whether Arrow is sure that the rows keep all rules."""
    return broken_in_arrow(rules_of(batch, spec), table) is None and not may_be_crowded(
        batch, table
    )


def refusal(spark: SparkSession, source: Declared, rows: object, **options: str) -> DataError:
    """The error with which a batch is refused, at once or by its rows."""
    with pytest.raises(DataError) as refused:
        accepted(spark, source, rows, **options)
    assert refused.value.where == f"a batch for source {source.name}"
    assert refused.value.hint
    return refused.value


# What is refused by names and types ---------------------------------------------------------


def test_missing_and_unknown_columns_are_listed(spark: SparkSession) -> None:
    error = refusal(spark, ORDERS, pa.table({"id": [1], "amuont": [2], "x": [1], "day": [DAY]}))
    assert "missing item, amount; unknown amuont, x" in error.what
    assert error.hint == "Did you mean to rename amuont to amount?"


REFUSED: dict[str, tuple[Declared, Callable[[], object], dict[str, str], str]] = {
    "a list": (ORDERS, lambda: ROWS, {}, "list is not a table"),
    "mixed objects": (
        ORDERS,
        lambda: pd.DataFrame({"id": [1, "a"]}),
        {},
        "cannot be read as a table",
    ),
    "two columns of a name": (
        ORDERS,
        lambda: pa.table([[1], [2]], names=["id", "id"]),
        {},
        "2 columns called id",
    ),
    "text for a number": (
        ORDERS,
        lambda: arrow_rows().set_column(0, "id", pa.array(["1", "2"])),
        {},
        "column id is STRING; the source declares BIGINT",
    ),
    "other struct fields": (
        Declared("s", "s STRUCT<a: INT, b: INT>"),
        lambda: pa.table({"s": pa.array([{"b": 1, "a": 2}])}),
        {},
        "column s is STRUCT<`b`: BIGINT, `a`: BIGINT>",
    ),
    "no columns": (ORDERS, lambda: pa.table({}), {}, "missing id, item, amount, day"),
    "a type Spark lacks": (
        Declared("u", "u ARRAY<INT>"),
        lambda: pa.table({"u": pa.array([[None]], pa.list_(pa.month_day_nano_interval()))}),
        {},
        "column u has Arrow type list<item: month_day_nano_interval>",
    ),
    "nanoseconds": (
        Declared("t", "at TIMESTAMP_NTZ"),
        lambda: pa.table({"at": pa.array([1], pa.timestamp("ns"))}),
        {},
        "would lose data",
    ),
    "unknown operation": (ORDERS, arrow_rows, {"op": "merge"}, "'merge' is not an operation"),
    "weights and operation": (
        ORDERS,
        lambda: arrow_rows(n=[1, 1]),
        {"op": "insert", "weight": "n"},
        "both op='insert'",
    ),
    "weight column is missing": (ORDERS, arrow_rows, {"weight": "n"}, "no column n"),
    "weights are fractions": (
        ORDERS,
        lambda: arrow_rows(_w=[1.0, 1.5]),
        {},
        "the weights are DOUBLE",
    ),
    "feed with weights": (
        ORDERS,
        lambda: arrow_rows(_w=[1, 1], _change_type=["insert"] * 2),
        {},
        "both _change_type and _w",
    ),
    "feed of numbers": (
        ORDERS,
        lambda: arrow_rows(_change_type=[1, 2]),
        {},
        "_change_type is BIGINT",
    ),
    "weights beside an insert": (
        ORDERS,
        lambda: arrow_rows(_w=[1, 1]),
        {"op": "insert"},
        "unknown _w",
    ),
    "upsert without a key": (
        Declared("orders", ORDER_COLUMNS),
        arrow_rows,
        {"op": "upsert"},
        "has no key",
    ),
    "keys alone without a key": (
        Declared("orders", ORDER_COLUMNS),
        lambda: pa.table({"id": [1]}),
        {"op": "delete"},
        "missing item",
    ),
    "keys and a little more": (
        ORDERS,
        lambda: pa.table({"id": [1], "item": ["a"]}),
        {"op": "delete"},
        "missing amount, day",
    ),
    "delete from an append-only source": (
        Declared("log", ORDER_COLUMNS, append_only=True),
        arrow_rows,
        {"op": "delete"},
        "append-only and takes no delete",
    ),
    "bigint maps into int maps": (
        Declared("m", "m MAP<STRING, INT>"),
        lambda: pa.table({"m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}),
        {},
        "column m is MAP<STRING, BIGINT>",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_batch_refused_by_its_columns(spark: SparkSession, case: str) -> None:
    spec, rows, options, message = REFUSED[case]
    assert message in refusal(spark, spec, rows(), **options).what


def test_a_streaming_frame_is_refused(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    spec = Declared("rates", "timestamp TIMESTAMP, value BIGINT")
    assert "no end" in refusal(spark, spec, stream).what


# What is refused by the rows ----------------------------------------------------------------

KEYED = Declared("items", "k BIGINT, v INT NOT NULL", key=("k",))
BAG = Declared("bag", "a INT, b STRING")
LOG = Declared("log", "k BIGINT, v INT", append_only=True)
NESTED = Declared(
    "nested",
    json.dumps(
        {
            "type": "struct",
            "fields": [
                {
                    "name": "x",
                    "nullable": True,
                    "metadata": {},
                    "type": {
                        "type": "array",
                        "containsNull": False,
                        "elementType": {
                            "type": "struct",
                            "fields": [
                                {"name": "y", "nullable": False, "metadata": {}, "type": "integer"}
                            ],
                        },
                    },
                },
            ],
        }
    ),
)
STRUCTS = pa.list_(pa.struct([("y", pa.int32())]))


def ints(**columns: list[object]) -> pa.Table:
    types = {"k": pa.int64(), "_w": pa.int64(), "_change_type": pa.string(), "b": pa.string()}
    return pa.table({n: pa.array(v, types.get(n, pa.int32())) for n, v in columns.items()})


FAULTS: dict[str, tuple[Declared, pa.Table, str | None, str, str]] = {
    "NULL key": (
        KEYED,
        ints(k=[1, None], v=[1, 2]),
        None,
        "key column k is NULL",
        "k     v\nNULL  2",
    ),
    "NULL where NOT NULL": (
        KEYED,
        ints(k=[1, 2], v=[1, None]),
        None,
        "column v is NULL",
        "k  v\n2  NULL",
    ),
    "NULL weight": (
        BAG,
        ints(a=[1], b=["x"], _w=[None]),
        None,
        "a weight is NULL or 0",
        "1  x  NULL",
    ),
    "zero weight": (
        BAG,
        ints(a=[1, 1], b=["x", "y"], _w=[1, 0]),
        None,
        "a weight is NULL or 0",
        "a  b  _w\n1  y  0",
    ),
    "deletion from a log": (
        LOG,
        ints(k=[1, 1], v=[1, 2], _w=[1, -1]),
        None,
        "append-only",
        "k  v  _w\n1  2  -1",
    ),
    "update of a log": (
        LOG,
        ints(k=[1], v=[1], _change_type=["update_preimage"]),
        None,
        "append-only",
        "update_preimage",
    ),
    "unknown change": (
        BAG,
        ints(a=[1], b=["x"], _change_type=["upsert"]),
        None,
        "not a type of change",
        "upsert",
    ),
    "NULL change": (
        BAG,
        ints(a=[1], b=["x"], _change_type=[None]),
        None,
        "not a type of change",
        "NULL",
    ),
    "number too big": (
        Declared("bag", "a INT"),
        pa.table({"a": [1, 1 << 40]}),
        None,
        "column a has BIGINT values that do not fit INT",
        "a\n1099511627776",
    ),
    "fraction for a whole number": (
        Declared("bag", "a INT"),
        pa.table({"a": [1.0, 2.5]}),
        None,
        "DOUBLE values that do not fit INT",
        "2.5",
    ),
    "too many digits": (
        Declared("bag", "a DECIMAL(4,1)"),
        pa.table({"a": [Decimal("1.00"), Decimal("1.25")]}),
        None,
        "do not fit DECIMAL(4,1)",
        "a\n1.25",
    ),
    "time of day for a date": (
        Declared("bag", "a DATE"),
        pa.table({"a": [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, 7)]}),
        None,
        "do not fit DATE",
        "a\n2026-01-01 07:00:00",
    ),
    "numbers too big inside arrays": (
        Declared("bag", "a ARRAY<INT>"),
        pa.table({"a": [[1, None], [1 << 40]]}),
        None,
        "ARRAY<BIGINT> values that do not fit",
        "[1099511627776]",
    ),
    "NULL inside an array": (
        NESTED,
        pa.table({"x": pa.array([[{"y": 1}], [None]], STRUCTS)}),
        None,
        "holds NULL",
        "[null]",
    ),
    "NULL inside a struct": (
        NESTED,
        pa.table({"x": pa.array([None, [{"y": 1}, {"y": None}]], STRUCTS)}),
        None,
        "holds NULL",
        "[{1}, {null}]",
    ),
    "upsert with a key twice": (
        KEYED,
        ints(k=[1, 2, 1], v=[1, 2, 3]),
        "upsert",
        "more than one row for a key",
        "k  rows\n1  2",
    ),
    "delete with a key twice": (
        KEYED,
        ints(k=[1, 1]),
        "delete",
        "deletes a key more than once",
        "k  rows\n1  -2",
    ),
    "insert of a key twice": (
        KEYED,
        ints(k=[1, 1], v=[1, 2]),
        None,
        "add up to more than one row",
        "k  rows\n1  2",
    ),
    "weights beyond one": (
        KEYED,
        ints(k=[1], v=[1], _w=[1 << 62]),
        None,
        "add up to more",
        "k  rows",
    ),
    "weights that overflow": (
        KEYED,
        ints(k=[1, 1], v=[1, 2], _w=[(1 << 63) - 1] * 2),
        None,
        "add up to more",
        "1  NULL",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_rows_at_fault_are_shown(spark: SparkSession, case: str) -> None:
    source, table, op, message, shown = FAULTS[case]
    options = {} if op is None else {"op": op}
    error = refusal(spark, source, spark.createDataFrame(table), **options)
    assert message in error.what
    assert shown in error.what
    batch = read_batch(spark, source.spec, table, **options)
    assert not surely_clean(batch, table, source.spec)


def test_a_row_is_blamed_once_and_few_are_shown(spark: SparkSession) -> None:
    rows = ints(a=[None] * 50, b=[None] * 50, _w=[0] * 50)
    lines = refusal(spark, BAG, rows).what.splitlines()
    assert lines[0] == "a weight is NULL or 0:"
    assert len(lines) == 2 + 5


def test_key_equality_is_sparks(spark: SparkSession) -> None:
    floats = Declared("f", "k DOUBLE", key=("k",))
    for pair in ([0.0, -0.0], [float("nan"), float("nan")]):
        assert "add up" in refusal(spark, floats, pa.table({"k": pair})).what
    words = Declared("w", "k STRING COLLATE UTF8_LCASE", key=("k",))
    assert "add up" in refusal(spark, words, pa.table({"k": ["a", "A"]})).what


def test_overlapping_changes_of_a_key_are_fine_if_they_net_out(spark: SparkSession) -> None:
    rows = ints(k=[1, 1, 1, 2, 2], v=[1, 2, 3, 1, 1], _w=[-1, 1, 1, 1, -1])
    assert "add up" not in _verdict(spark, rows)
    assert "add up" in _verdict(spark, ints(k=[1, 1], v=[1, 2], _w=[1, 1]))


def _verdict(spark: SparkSession, rows: object) -> str:
    try:
        accepted(spark, KEYED, rows)
    except DataError as error:
        return error.what
    return ""


@pytest.mark.parametrize("seed", range(8))
def test_arrow_never_passes_what_spark_refuses(spark: SparkSession, seed: int) -> None:
    """And of clean batches it recognises those whose keys it can compare."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    columns: dict[str, list[object]] = {
        "k": [None if rng.random() < 0.1 else int(rng.integers(1, 6)) for _ in range(size)],
        "v": [None if rng.random() < 0.1 else 1 for _ in range(size)],
    }
    if seed % 2:
        columns["_w"] = [int(rng.choice([-1, 1, 1, 1, 0])) for _ in range(size)]
    table = ints(**columns)
    verdicts = {_verdict(spark, spark.createDataFrame(table)) == ""}
    batch = read_batch(spark, KEYED.spec, table)
    assert verdicts == {surely_clean(batch, table, KEYED.spec)}
