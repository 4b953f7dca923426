"""Statements as Python functions; that they mean what DuckDB's do is for the tests of both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKey,
    JoinKind,
    Union,
    Values,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.few.row_hash import encoding, hash_values
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError, arrow_type
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.few_rows import are_few
from slackwater.executors.driver.hashing import (
    hash_ints,
    hash_longs,
    hash_texts,
    hash_wide_decimals,
)
from slackwater.executors.driver.row_values import read_values, write_values
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, ColumnId, Expr
from slackwater.state.columns import compact
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)

from .duckdb_rows import Table, bigint, named, project, run

T = Table("t", a=BIGINT, b=BIGINT, s=STRING, d=DecimalType(12, 2))
U = Table("u", 11, c=BIGINT)
ROWS = {"t": T.of((1, 2, "x", Decimal("1.50")), (3, None, "y", None)), "u": U.of((1,), (None,))}


def _column(number: int, dtype: DataType) -> Column:
    return Column(ColumnId(number), f"c{number}", dtype)


def _grouped() -> Rel:
    total = aggregate("sum", T["d"])
    key = Output(_column(31, STRING), T["s"])
    return Aggregate(T.scan, (key,), (Output(_column(32, total.dtype), total),))


def _joined(kind: JoinKind) -> Rel:
    return Join(kind, T.scan, U.scan, (JoinKey(T["a"], U["c"]),))


def _exploded() -> Rel:
    generator = call("explode", call("array", T["a"], T["b"]))
    return Generate(T.scan, generator, False, (_column(33, BIGINT),))


RELATIONS: dict[str, Callable[[], Rel]] = {
    "filter": lambda: Filter(T.scan, call(">", T["a"], bigint(1))),
    "project": lambda: project(T.scan, call("+", T["a"], T["b"]), call("*", T["d"], T["d"])),
    "aggregate": _grouped,
    "distinct": lambda: Distinct(T.scan),
    "union": lambda: Union((U.scan, U.scan), (_column(34, BIGINT),)),
    "explode": _exploded,
    "values": lambda: Values((_column(35, BIGINT),), ((bigint(7),),)),
    **{
        f"{kind.value} join": lambda kind=kind: _joined(kind)
        for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
    },
}


@pytest.mark.parametrize("name", RELATIONS)
def test_operators_have_a_form_that_gives_what_duckdb_gives(name: str) -> None:
    rel = RELATIONS[name]()
    assert print_duckdb(named(rel)).few is not None
    in_python, in_duckdb = LocalEngine(few_values=10**6), LocalEngine(few_values=0)
    assert run(in_python, rel, ROWS) == run(in_duckdb, rel, ROWS)
    in_python.close()
    in_duckdb.close()


@pytest.mark.parametrize(
    "expr", [call("/", T["d"], T["d"]), call("length", T["s"])], ids=["quotient", "length"]
)
def test_what_has_no_form_is_left_to_duckdb(expr: Expr) -> None:
    assert print_duckdb(named(project(T.scan, expr))).few is None


def test_a_value_that_does_not_fit_is_left_to_others() -> None:
    engine = LocalEngine()
    most = {"t": T.of((2**63 - 1, 1, "x", None))}
    rel = project(T.scan, call("+", T["a"], T["b"]))
    assert print_duckdb(named(rel)).few is not None
    with pytest.raises(NotLocalError, match="fails here"):
        run(engine, rel, most)
    narrow = project(T.scan, Cast(T["a"], INTEGER))
    with pytest.raises(NotLocalError, match="fails here"):
        run(engine, narrow, most)
    engine.close()


def test_a_branch_that_is_not_taken_does_not_fail() -> None:
    engine = LocalEngine()
    safe = call("case", call(">", T["b"], bigint(0)), T["b"], call("+", T["a"], T["a"]))
    assert run(engine, project(T.scan, safe), {"t": T.of((2**62, 1, "x", None))}) == [(1,)]
    engine.close()


def test_lists_count_with_their_members() -> None:
    kind = pa.list_(pa.struct([("x", pa.int64()), ("y", pa.int64())]))
    table = pa.table({"m": pa.array([[{"x": 1, "y": 2}] * 10], kind)})
    assert are_few([table], most=21)
    assert not are_few([table], most=20)
    assert not are_few([table, table], most=40)


_VALUES: dict[DataType, tuple[list[object], list[object]]] = {
    BIGINT: ([2**63 - 1, None, -(2**63)], [2**63 - 1, None, -(2**63)]),
    BOOLEAN: ([True, None, False], [True, None, False]),
    STRING: (["", None, "日本\x00"], ["", None, "日本\x00"]),
    DATE: ([date(1969, 12, 31), None, date(9999, 12, 31)], [-1, None, 2932896]),
    TIMESTAMP: ([-1, None, 2**62], [-1, None, 2**62]),
    TIMESTAMP_NTZ: ([-1, None, 2**62], [-1, None, 2**62]),
    DecimalType(12, 2): (
        [Decimal("-0.01"), None, Decimal("9999999999.99")],
        [-1, None, 10**12 - 1],
    ),
    DecimalType(38, 4): (
        [Decimal("-1.5000"), None, Decimal("9" * 34 + ".9999")],
        [-15000, None, 10**38 - 1],
    ),
}


@pytest.mark.parametrize("dtype", _VALUES, ids=str)
def test_columns_are_read_and_written_value_by_value(dtype: DataType) -> None:
    given, plain = _VALUES[dtype]
    column = pa.array(given, arrow_type(dtype))
    stored = pa.table({"x": column}).cast(compact(pa.schema([("x", column.type)]))).column("x")
    assert read_values(column) == read_values(stored) == plain
    assert read_values(column.slice(1)) == plain[1:]
    assert read_values(pa.chunked_array([column.slice(2), column.slice(0, 2)])) == [
        *plain[2:],
        *plain[:2],
    ]
    assert write_values(plain, dtype).equals(column)


def test_lists_of_structs_are_read() -> None:
    kind = pa.list_(pa.struct([("x", pa.int64()), ("y", pa.decimal128(20, 1))]))
    rows = [[{"x": 1, "y": Decimal("0.5")}, None], None, [], [{"x": None, "y": None}]]
    column = pa.array(rows, kind)
    assert read_values(column) == [[(1, 5), None], None, [], [(None, None)]]
    assert read_values(column.slice(2)) == [[], [(None, None)]]


def test_values_without_a_form_are_refused() -> None:
    with pytest.raises(ValueError, match="double"):
        read_values(pa.array([1.5]))
    with pytest.raises(ValueError, match="utf-8"):
        read_values(pa.array([b"\xff"]).view(pa.string()))
    with pytest.raises(NotLocalError):
        encoding(DOUBLE)


@given(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.text(),
    st.integers(1 - 10**38, 10**38 - 1),
)
def test_a_row_hashes_as_its_columns_do(number: int, long: int, text: str, digits: int) -> None:
    hashes = pa.array([42], pa.int64())
    hashes = hash_ints(hashes, pa.array([number], pa.int32()))
    hashes = hash_longs(hashes, pa.array([None], pa.int64()))
    hashes = hash_longs(hashes, pa.array([long], pa.int64()))
    hashes = hash_texts(hashes, pa.array([text]))
    hashes = hash_wide_decimals(hashes, pa.array([str(digits)]))
    types = (INTEGER, BIGINT, BIGINT, STRING, DecimalType(38, 0))
    row = (number, None, long, text, digits)
    assert [hash_values(row, map(encoding, types))] == hashes.to_pylist()
