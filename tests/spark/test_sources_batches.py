"""Batches as users give them: what they become, and what reading and checking them costs."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from slackwater.errors import DataError
from slackwater.sources.batches import Batch, BatchOp, SourceSpec, read_batch
from slackwater.sources.checks import check_batch
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


def collected(batch: Batch) -> list[dict[str, object]]:
    return [row.asDict() for row in batch.frame.collect()]


def accepted(spark: SparkSession, source: Declared, rows: object, **options: str) -> Batch:
    """The batch, read and checked."""
    spec = source.spec
    batch = read_batch(spark, spec, rows, **options)
    check_batch(batch, spec)
    return batch


def refusal(spark: SparkSession, source: Declared, rows: object, **options: str) -> DataError:
    """The error with which a batch is refused, at once or by its rows."""
    with pytest.raises(DataError) as refused:
        accepted(spark, source, rows, **options)
    assert refused.value.where == f"a batch for source {source.name}"
    assert refused.value.hint
    return refused.value


def jobs_of(spark: SparkSession, work: Callable[[], object]) -> int:
    """How many Spark jobs the work runs."""
    group = f"jobs of {uuid.uuid4()}"
    spark.sparkContext.setJobGroup(group, group)
    try:
        work()
    finally:
        spark.sparkContext.setJobGroup("others", "others")
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


KEYED = Declared("items", "k BIGINT, v INT NOT NULL", key=("k",))
BAG = Declared("bag", "a INT, b STRING")


def ints(**columns: list[object]) -> pa.Table:
    types = {"k": pa.int64(), "_w": pa.int64(), "_change_type": pa.string(), "b": pa.string()}
    return pa.table({n: pa.array(v, types.get(n, pa.int32())) for n, v in columns.items()})


# What batches become ------------------------------------------------------------------------

FORMS: dict[str, Callable[[SparkSession], object]] = {
    "Arrow table": lambda _: arrow_rows(),
    "Arrow record batch": lambda _: arrow_rows().to_batches()[0],
    "Arrow reader": lambda _: arrow_rows().to_reader(),
    "pandas": lambda _: arrow_rows().to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of objects": lambda _: pd.DataFrame(ROWS),
    "Spark": lambda spark: spark.createDataFrame(arrow_rows()),
    "columns in another order": lambda _: arrow_rows().select(["day", "amount", "item", "id"]),
    "columns in another case": lambda _: arrow_rows().rename_columns(
        ["ID", "Item", "amount", "day"]
    ),
    "wider and narrower types": lambda _: arrow_rows().cast(
        pa.schema(
            [
                ("id", pa.uint64()),
                ("item", pa.large_string()),
                ("amount", pa.decimal128(20, 4)),
                ("day", pa.date64()),
            ]
        )
    ),
    "dictionaries": lambda _: arrow_rows().set_column(
        1, "item", arrow_rows()["item"].dictionary_encode()
    ),
    "non-nullable fields": lambda _: arrow_rows().cast(
        pa.schema([arrow_rows().schema[0].with_nullable(False), *list(arrow_rows().schema)[1:]])
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_rows_becomes_the_same_batch(spark: SparkSession, form: str) -> None:
    batch = accepted(spark, ORDERS, FORMS[form](spark))
    assert collected(batch) == [{**row, "_w": 1} for row in ROWS]
    assert batch.op is BatchOp.INSERT
    assert batch.rows_hint in (2, None)
    found = own_columns(batch.frame.schema).fields[:4]
    declared = ORDERS.spec.schema.fields
    assert [(each.name, each.dtype) for each in found] == [
        (each.name, each.dtype) for each in declared
    ]
    weight = batch.frame.schema[-1]
    assert (weight.name, weight.dataType.simpleString(), weight.nullable) == ("_w", "bigint", False)


@pytest.mark.parametrize(("op", "weight"), [("insert", 1), ("delete", -1), ("upsert", 1)])
def test_the_operation_gives_the_weight(spark: SparkSession, op: str, weight: int) -> None:
    batch = accepted(spark, ORDERS, arrow_rows(), op=op)
    assert [row["_w"] for row in collected(batch)] == [weight, weight]
    assert batch.op == op


def test_a_delete_may_name_keys_alone(spark: SparkSession) -> None:
    batch = accepted(spark, ORDERS, pa.table({"id": [1, 7]}), op="delete")
    assert batch.op is BatchOp.DELETE_KEYS
    assert collected(batch) == [{"id": 1, "_w": -1}, {"id": 7, "_w": -1}]


def test_weights_are_taken_from_their_column(spark: SparkSession) -> None:
    unkeyed = Declared("orders", ORDER_COLUMNS)
    batch = accepted(spark, unkeyed, arrow_rows(_w=[3, -2]))
    assert [row["_w"] for row in collected(batch)] == [3, -2]
    assert batch.op is BatchOp.CHANGES
    named = accepted(spark, unkeyed, arrow_rows(n=[3, -2]), weight="n")
    assert collected(named) == collected(batch)


def test_a_source_may_have_a_column_called_like_the_weight(spark: SparkSession) -> None:
    odd = Declared("odd", "_w STRING, `_change_type` INT, `__W` INT")
    rows = pa.table(
        {"_w": ["x"], "_change_type": pa.array([1], pa.int32()), "__w": pa.array([2], pa.int32())}
    )
    batch = accepted(spark, odd, rows)
    assert batch.weight == "___w"
    assert collected(batch) == [{"_w": "x", "_change_type": 1, "__W": 2, "___w": 1}]
    weighted = accepted(spark, odd, rows.append_column("n", [[-4]]), weight="n")
    assert collected(weighted)[0]["___w"] == -4
    assert "belongs to the source itself" in refusal(spark, odd, rows, weight="_w").what


def test_a_change_feed_is_read_as_changes(spark: SparkSession) -> None:
    feed = pa.table(
        {
            "id": [1, 2, 2, 3],
            "item": ["a", "b", "c", "d"],
            "_change_type": ["insert", "update_preimage", "update_postimage", "delete"],
            "_commit_version": [5, 6, 6, 7],
            "_commit_timestamp": [dt.datetime(2026, 5, 1)] * 4,
        }
    )
    spec = Declared("items", "id BIGINT, item STRING", key=("id",))
    for rows in (feed, spark.createDataFrame(feed)):
        batch = accepted(spark, spec, rows)
        assert [row["_w"] for row in collected(batch)] == [1, -1, 1, -1]
        assert batch.frame.columns == ["id", "item", "_w"]


def test_columns_with_difficult_names(spark: SparkSession) -> None:
    names = ["a.b", "c d", "e`f", "count", "c0", "ключ"]
    quoted = (name.replace("`", "``") for name in names)
    ddl = ", ".join(f"`{name}` BIGINT NOT NULL" for name in quoted)
    spec = Declared("odd", ddl, key=tuple(names[:2]))
    rows = pa.table([[1]] * 6, names=names)
    for given in (rows, spark.createDataFrame(rows)):
        batch = accepted(spark, spec, given)
        assert batch.frame.columns == [*names, "_w"]
        assert tuple(batch.frame.collect()[0]) == (1, 1, 1, 1, 1, 1, 1)
    assert "a.b   c d   e`f" in refusal(spark, spec, pa.table([[None]] * 6, names=names)).what


def test_local_times_are_read_as_they_stand(spark: SparkSession) -> None:
    """02:30 does not exist in Berlin on that day, but a TIMESTAMP_NTZ may hold it."""
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    gap = dt.datetime(2026, 3, 29, 2, 30)
    spec = Declared("times", "at TIMESTAMP_NTZ")
    for rows in (pa.table({"at": [gap]}), pd.DataFrame({"at": [gap]})):
        assert collected(accepted(spark, spec, rows)) == [{"at": gap, "_w": 1}]


def test_missing_numbers_of_pandas_are_null(spark: SparkSession) -> None:
    spec = Declared("numbers", "a BIGINT, b DOUBLE, c STRING")
    rows = pd.DataFrame({"a": [1.0, np.nan], "b": [0.5, np.nan], "c": [None, None]})
    batch = accepted(spark, spec, rows)
    assert collected(batch) == [
        {"a": 1, "b": 0.5, "c": None, "_w": 1},
        {"a": None, "b": None, "c": None, "_w": 1},
    ]


def test_an_empty_batch_is_a_batch(spark: SparkSession) -> None:
    empty_frame = spark.createDataFrame(arrow_rows()).limit(0)
    for rows in (arrow_rows().slice(2), pd.DataFrame(columns=ORDERS.spec.columns), empty_frame):
        batch = accepted(spark, ORDERS, rows, op="upsert")
        assert collected(batch) == []
    accepted(spark, ORDERS, arrow_rows(_w=[1, 1]).slice(2))


# What the checks cost -----------------------------------------------------------------------


def test_arrow_batches_in_order_cost_no_job(spark: SparkSession) -> None:
    def ingest() -> None:
        for op in ("insert", "upsert", "delete"):
            accepted(spark, ORDERS, arrow_rows(), op=op)
        accepted(spark, ORDERS, arrow_rows(_w=[1, -1]))
        accepted(spark, ORDERS, arrow_rows(_change_type=["insert"] * 2))
        accepted(spark, KEYED, pd.DataFrame({"k": np.int32([1, 2]), "v": [1, 2]}))

    assert jobs_of(spark, ingest) == 0


@pytest.mark.parametrize("spec", [KEYED, Declared("items", KEYED.ddl)], ids=["keyed", "not"])
def test_a_spark_batch_costs_one_job(spark: SparkSession, spec: Declared) -> None:
    frame: DataFrame = spark.range(0, 100, numPartitions=8).select(
        sf.col("id").alias("k"), sf.expr("IF(id = 99, NULL, 1)").alias("v")
    )
    assert jobs_of(spark, lambda: refusal(spark, spec, frame)) == 1


def test_a_source_that_promises_nothing_is_not_looked_at(spark: SparkSession) -> None:
    frame = spark.createDataFrame(ints(a=[1], b=["x"]))
    assert jobs_of(spark, lambda: accepted(spark, BAG, frame)) == 0
