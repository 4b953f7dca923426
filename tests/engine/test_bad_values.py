"""Values that Spark computes nothing from: its own answer or error, and nothing half-applied."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.errors import ExecutionError

_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("i", pa.int32()),
        ("b", pa.int64()),
        ("d", pa.decimal128(38, 0)),
        ("f", pa.float64()),
        ("s", pa.string()),
        ("a", pa.list_(pa.int32())),
    ]
)
_LARGEST = 2**63 - 1
_ENGINES = pytest.mark.parametrize(
    "engine", ["driver", pytest.param("spark", marks=pytest.mark.deep)]
)


@dataclass(frozen=True)
class Bad:
    """A view, the values of a row that it fails on, and the values that it takes."""

    sql: str
    values: dict[str, Any]
    good: dict[str, Any] = field(default_factory=dict)


_FAILING = {
    "whole_sum": Bad("SELECT sum(b) v FROM t", {"b": _LARGEST}, {"b": 1}),
    "whole_sum_by_group": Bad(
        "SELECT i % 2 k, sum(b) v FROM t GROUP BY i % 2", {"b": -_LARGEST - 1}, {"b": -10}
    ),
    "decimal_sum": Bad("SELECT sum(d) v FROM t", {"d": 10**38 - 1}, {"d": 1}),
    "addition": Bad("SELECT id, i + 1 v FROM t", {"i": 2**31 - 1}),
    "quotient": Bad("SELECT id, 10 / i v FROM t", {"i": 0}),
    "number": Bad("SELECT CAST(s AS INT) v FROM t WHERE i = 7", {"s": "x", "i": 7}),
    "day": Bad("SELECT to_date(s) v FROM t WHERE i = 8", {"s": "2025-02-30", "i": 8}),
    "moment": Bad(
        "SELECT to_timestamp(s, 'yyyy-MM-dd HH') v FROM t WHERE i = 9", {"s": "noon", "i": 9}
    ),
    "element": Bad("SELECT a[3] v FROM t WHERE i = 10", {"a": [1], "i": 10}),
    "element_at": Bad("SELECT max(element_at(a, 5)) v FROM t WHERE i = 11", {"a": [1], "i": 11}),
    "json": Bad(
        "SELECT from_json(s, 'x INT', map('mode', 'FAILFAST')).x v FROM t WHERE i = 12",
        {"s": "{", "i": 12},
    ),
}
_ANSWERED = {
    "sums": "SELECT i % 2 k, sum(f) v, avg(f) m FROM t GROUP BY i % 2",
    "spread": "SELECT stddev(f) v, corr(f, b) c FROM t",
    "extremes": "SELECT min(f) lo, max(f) hi, count(DISTINCT f) n FROM t",
    "fields": "SELECT id, get_json_object(s, '$.x') x, from_json(s, 'x INT').x y FROM t",
    "elements": "SELECT id, get(a, 3) v, try_element_at(a, 5) w FROM t",
    "tried": "SELECT id, try_cast(s AS INT) v, try_add(i, 2147483647) w, i / nullif(i, 0) q FROM t",
    "moments": "SELECT id, try_to_timestamp(s) v, hour(try_to_timestamp(s)) h FROM t",
    "sum_that_gives_up": "SELECT try_sum(b) v, try_avg(d) m FROM t",
}
_SKIPPED_HOURS = ("2025-03-30 02:30:00", "2025-10-26 02:30:00", "2025-03-30 03:00:00")


def _row(number: int, values: dict[str, Any]) -> pa.Table:
    usual = {"id": number, "i": 1, "b": 0, "d": None, "f": 1.5, "s": "1", "a": [1, 2, 3, 4, 5]}
    return pa.Table.from_pylist([usual | values], schema=_SCHEMA)


def _condition(spark: SparkSession, sql: str, rows: list[pa.Table]) -> str | None:
    """What plain Spark says of a query over some rows; None if it answers."""
    plain = spark.newSession()
    plain.createDataFrame(pa.concat_tables(rows)).createOrReplaceTempView("t")
    try:
        plain.sql(sql).collect()
    except (PySparkException, Py4JJavaError) as problem:
        found = re.search(r"\[([A-Z_]+)", str(problem))
        return str(problem) if found is None else found[1]
    return None


@_ENGINES
def test_errors_are_sparks_and_leave_nothing_behind(
    engine: str, spark: SparkSession, tmp_path: Path
) -> None:
    base = [_row(0, {"b": 1, "d": 1, "i": 3})]
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source(
            "t", "id INT, i INT, b BIGINT, d DECIMAL(38,0), f DOUBLE, s STRING, a ARRAY<INT>"
        )
        for name, bad in _FAILING.items():
            session.create_view(name, bad.sql, refresh="incremental")
        session.ingest("t", base[0])
        commit = session.refresh().commit
        for number, (name, bad) in enumerate(_FAILING.items(), start=1):
            row = _row(number, bad.values)
            good = [_row(100 + number, bad.good)] if bad.good else []
            expected = _condition(spark, bad.sql, [*base, *good, row])
            assert expected is not None, name
            for each in (*good, row):
                session.ingest("t", each)
            with pytest.raises(ExecutionError) as failed:
                session.refresh()
            assert name in str(failed.value.where), name
            assert expected in f"{failed.value.where} {failed.value.what}", name
            session.ingest("t", row, op="delete")
            session.refresh()
            base += good
        assert session.history()[0].commit > commit
        found = {name: session.verify(name).difference for name in session.views()}
        assert not any(found.values()), found


@_ENGINES
def test_answers_are_sparks(engine: str, spark: SparkSession, tmp_path: Path) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    session_of_zone = spark.newSession()
    session_of_zone.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    numbers = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1.7e308, None]
    texts = ["{", '{"x": 1}', '{"x": "y"}', "", "[1", None, *_SKIPPED_HOURS, "2147483648"]
    batches = [
        *(_row(n, {"f": value, "i": n}) for n, value in enumerate(numbers)),
        *(_row(20 + n, {"s": text}) for n, text in enumerate(texts)),
        _row(40, {"a": []}),
        _row(41, {"a": None, "i": 2**31 - 1}),
        _row(42, {"b": _LARGEST, "d": 10**38 - 1}),
        _row(43, {"b": _LARGEST, "d": 10**38 - 1}),
    ]
    with sw.open(tmp_path, session_of_zone, engine=engine) as session:
        session.create_source(
            "t", "id INT, i INT, b BIGINT, d DECIMAL(38,0), f DOUBLE, s STRING, a ARRAY<INT>"
        )
        for name, sql in _ANSWERED.items():
            session.create_view(name, sql)
        session.ingest("t", _row(99, {}))
        session.refresh()
        steps = (
            ("insert", batches),
            ("delete", batches[::2]),
            ("delete", batches[1::2]),
            ("insert", batches[:3]),
        )
        for op, part in steps:
            session.ingest("t", pa.concat_tables(part), op=op)
            session.refresh()
            found = {name: session.verify(name).difference for name in session.views()}
            assert not any(found.values()), found
    assert spark.conf.get("spark.sql.session.timeZone") == zone
