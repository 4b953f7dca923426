"""Values that only Spark takes for ordinary: the first and last instants, texts of any bytes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.errors import DataError, ExecutionError
from slackwater.executors.places import arrow_layout
from slackwater.optimizer.rules.keys import whole_row
from slackwater.plan.arrangements import Arrangement
from slackwater.state.columns import stored_schema
from slackwater.state.metadata.records import NewSegment, Transaction
from slackwater.state.writer import SegmentTarget, SegmentWriter

from .histories import Tables, check_history

in_both = pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
_LIMITS = [2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, 0, None]
_DAYS = [2**31 - 1, -(2**31) + 1, -(2**31), 0, 1, None]
_TEXTS = [b"\x80\x80", b"a\xc3", b"a\xc3\xa9", b"\xed\xa0\x80", b"abc", None]
_ROWS = pa.table(
    {
        "id": pa.array(range(6), pa.int64()),
        "p": pa.array(_LIMITS, pa.timestamp("us", "UTC")),
        "q": pa.array(_LIMITS, pa.timestamp("us")),
        "t": pa.array(_DAYS, pa.date32()),
        "s": pa.array(_TEXTS, pa.binary()).view(pa.string()),
    }
)
_COLUMNS = "id BIGINT, p TIMESTAMP_LTZ, q TIMESTAMP_NTZ, t DATE, s STRING"
_VIEWS = {
    "instants": "SELECT p, count(*) AS n, max(id) AS m FROM t GROUP BY p",
    "moments": "SELECT a.id, b.id AS other FROM t a JOIN u b ON a.q = b.q",
    "instants_met": "SELECT a.id, b.id AS other FROM t a LEFT JOIN u b ON a.p = b.p AND a.t = b.t",
    "extremes": "SELECT min(p) AS a, max(q) AS b, min(t) AS c, max(s) AS d FROM t",
    "parts": "SELECT id, year(t) AS y, month(t) AS m, day(t) AS d FROM t",
    "texts": "SELECT s, count(*) AS n FROM t GROUP BY s",
    "texts_met": "SELECT a.id, b.id AS other FROM t a JOIN u b ON a.s = b.s",
    "sizes": "SELECT id, length(s) AS n, substring(s, 2, 1) AS c, s LIKE 'a_' AS l FROM t",
    "found": "SELECT id FROM t WHERE s LIKE '%_a%' OR startswith(s, 'a')",
}


@in_both
@pytest.mark.parametrize("key", [("id",), ("s",), ("p",), ()], ids=str)
def test_views_at_the_limits(
    spark: SparkSession, tmp_path: Path, engine: str, key: tuple[str, ...]
) -> None:
    rows = _ROWS if key in ((), ("id",)) else _ROWS.slice(0, 5)
    plain = {
        name: _bag(spark, sql, {"t": rows, "u": rows.slice(0, 5)}) for name, sql in _VIEWS.items()
    }
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", _COLUMNS, key=key)
        session.create_source("u", _COLUMNS)
        for name, sql in _VIEWS.items():
            session.create_view(name, sql, refresh="incremental")
        session.ingest("t", rows.slice(0, 2))
        session.ingest("u", rows.slice(0, 5))
        session.refresh()
        session.ingest("t", rows.slice(2))
        session.ingest("t", rows.slice(1, 1), op="delete")
        session.refresh()
        session.ingest("t", rows.slice(1, 1))
        assert {each.action for each in session.refresh().views} == {"incremental"}
        for name in _VIEWS:
            assert _raw(session.view(name).read().toArrow()) == plain[name], name


def _bag(spark: SparkSession, sql: str, tables: dict[str, pa.Table]) -> list[str]:
    for name, table in tables.items():
        spark.createDataFrame(table, _COLUMNS).createOrReplaceTempView(name)
    return _raw(spark.sql(sql).toArrow())


def _raw(table: pa.Table) -> list[str]:
    """The rows by their bytes: Python has neither such times nor such texts."""
    kinds = {"string": pa.binary(), "date32[day]": pa.int32()}
    columns = []
    for column in table.combine_chunks().columns:
        chunks = [
            chunk.view(kinds.get(str(chunk.type), pa.int64()))
            if not pa.types.is_integer(chunk.type) and not pa.types.is_boolean(chunk.type)
            else chunk
            for chunk in column.chunks
        ]
        columns.append([value for chunk in chunks for value in chunk.to_pylist()])
    return sorted(map(repr, zip(*columns, strict=True)))


@pytest.mark.parametrize("zone", ["TIMESTAMP_NTZ", "TIMESTAMP_LTZ"])
@pytest.mark.parametrize(
    ("written", "micros"),
    [
        ("+294247-01-10 04:00:54.775807", 2**63 - 1),
        ("-290308-12-21 19:59:05.224192", -(2**63)),
        ("0000-02-29 00:00:00", -62_162_121_600_000_000),
        ("-0001-12-31 23:59:59.999999", -62_167_219_200_000_001),
        ("10000-01-01 00:00:00", 253_402_300_800_000_000),
    ],
)
def test_constants_outside_of_python_s_years(
    spark: SparkSession, tmp_path: Path, zone: str, written: str, micros: int
) -> None:
    constant = f"{zone} '{written}{'Z' if zone.endswith('LTZ') else ''}'"
    with sw.open(tmp_path, spark) as session:
        session.create_source("t", _COLUMNS)
        session.create_view("v", f"SELECT id, {constant} AS x FROM t")
        session.ingest("t", _ROWS.slice(0, 1))
        session.refresh()
        found = session.view("v").read().toArrow()
        assert found["x"].cast(pa.int64()).to_pylist() == [micros]


@pytest.mark.parametrize("inside", ["array", "struct", "map", "array of structs"])
def test_nanoseconds_inside_of_values(spark: SparkSession, tmp_path: Path, inside: str) -> None:
    moment = pa.timestamp("ns")
    kind, value, ddl = {
        "array": (pa.list_(moment), [1], "ARRAY<TIMESTAMP_NTZ>"),
        "struct": (pa.struct([("x", moment)]), {"x": 1}, "STRUCT<x: TIMESTAMP_NTZ>"),
        "map": (pa.map_(pa.string(), moment), [("a", 1)], "MAP<STRING, TIMESTAMP_NTZ>"),
        "array of structs": (
            pa.large_list(pa.struct([("x", moment)])),
            [{"x": 1}],
            "ARRAY<STRUCT<x: TIMESTAMP_NTZ>>",
        ),
    }[inside]
    with sw.open(tmp_path, spark) as session:
        session.create_source("t", f"v {ddl}")
        with pytest.raises(DataError, match="would lose data"):
            session.ingest("t", pa.table({"v": pa.array([value], kind)}))
        whole = pa.table({"v": pa.array([_thousandfold(value)], kind)})
        session.ingest("t", whole)
        session.create_view("copy", "SELECT v FROM t")
        session.refresh()
        assert session.verify("copy").difference is None


def _thousandfold(value: object) -> object:
    if isinstance(value, dict):
        return {name: _thousandfold(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_thousandfold, value))
    return value * 1000 if isinstance(value, int) else value


@in_both
def test_state_that_counts_rows_less_than_once(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", "id BIGINT")
        session.create_view("v", "SELECT id, count(*) AS n FROM t GROUP BY id", refresh="full")
        session.ingest("t", pa.table({"id": [1, 2]}))
        session.refresh()
        catalog = session.keeper.catalog()
        source, answer = catalog.source("t").arrangement, whole_row(catalog.view("v").stored)
        _damage(session, answer)
        with pytest.raises(PySparkException, match="state of this view or source is damaged"):
            session.view("v").read().collect()
        _damage(session, source)
        session.ingest("t", pa.table({"id": [3]}))
        with pytest.raises(ExecutionError, match="state of this view or source is damaged"):
            session.refresh()


def _damage(session: sw.Session, arrangement: Arrangement) -> None:
    """Take a row out of the state that is not there."""
    home = session.keeper.home
    schema = stored_schema(arrow_layout(arrangement.types))
    row = {name: [7] for name in schema.names} | {"_w": [-1]}
    path = f"state/{arrangement.id}/damage-0.arrow"
    with SegmentWriter(SegmentTarget(str(home.folder), path, schema, consolidated=True)) as writer:
        writer.write(pa.RecordBatch.from_pydict(row, schema=schema))
    assert writer.result is not None
    segment = NewSegment(arrangement.id, writer.result)
    home.commit(Transaction("run", add_segments=(segment,)))


_MAPS = {
    "counted": "SELECT g, count(DISTINCT m) AS n FROM t GROUP BY g",
    "counted_twice": "SELECT g, count(DISTINCT m) AS n, count(DISTINCT id, m) AS k FROM t "
    "GROUP BY g",
    "grouped": "SELECT m, count(*) AS n FROM t GROUP BY m",
    "listed": "SELECT map_keys(m) AS k, map_entries(m) AS e FROM t",
    "bare": "SELECT m FROM t",
}


def test_maps_differ_by_the_order_of_their_entries(spark: SparkSession, tmp_path: Path) -> None:
    kind = pa.map_(pa.string(), pa.int32())
    tables = Tables({"t": pa.schema([("id", pa.int32()), ("g", pa.int32()), ("m", kind)])})
    one, other = [("a", 1), ("b", 2)], [("b", 2), ("a", 1)]
    history = {
        "equal maps in another order": {"t": [(1, 1, one, 1), (2, 1, other, 1), (3, 2, one, 2)]},
        "one of them goes": {"t": [(1, 1, one, -1), (3, 2, other, 1)]},
        "and comes back": {"t": [(2, 1, other, -1), (4, 1, one, 1), (3, 2, one, -1)]},
    }
    check_history(spark, tmp_path, tables, _MAPS, history)
