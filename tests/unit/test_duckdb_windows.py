"""Functions over windows give in DuckDB what they give in Spark, or are left to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import GroupLimit, RankKind, Window
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    Call,
    ColumnId,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    DataType,
    IntervalType,
)

from .duckdb_rows import Row, Table, integer, named, project, run

T = Table("t", id=INTEGER, x=INTEGER, s=STRING, f=DOUBLE, d=DATE, q=TIMESTAMP_NTZ, y=TINYINT)
_UP_TO_HERE = Frame(
    FrameUnit.RANGE, FrameBound(BoundKind.UNBOUNDED_PRECEDING), FrameBound(BoundKind.CURRENT_ROW)
)
_BY_ID = (SortKey(T["id"]),)
_HOURS = IntervalType("HOUR", "HOUR")


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


def _frame(unit: FrameUnit, lower: Expr, upper: Expr) -> Frame:
    return Frame(unit, FrameBound(BoundKind.OFFSET, lower), FrameBound(BoundKind.OFFSET, upper))


def _window(function: WindowCall, order: tuple[SortKey, ...] = _BY_ID) -> Window:
    column = Column(ColumnId(51), "x51", function.dtype)
    return Window(T.scan, (), order, (Output(column, function),))


def _over(
    engine: LocalEngine,
    name: str,
    function: WindowCall,
    values: list[object],
    order: tuple[SortKey, ...] = _BY_ID,
) -> list[object]:
    """The values of a function over rows that differ in one column, in their order."""
    rows: list[Row] = [
        tuple(at if each == "id" else value if each == name else None for each in T.columns)
        for at, value in enumerate(values)
    ]
    rel = _window(function, order)
    found = run(engine, project(rel, T["id"], rel.columns[-1].ref(), first=61), {"t": T.of(*rows)})
    return [value for _, value in sorted(found, key=lambda row: int(str(row[0])))]


_X = [1, None, 3, 4]


@pytest.mark.parametrize(
    ("function", "passing", "expected"),
    [
        (call("lag", T["x"], integer(1), Literal(None, VOID)), False, [None, 1, None, 3]),
        (call("lag", T["x"], integer(1), Literal(None, VOID)), True, [None, 1, 1, 3]),
        (call("lag", T["x"], integer(-2), integer(9)), False, [3, 4, 9, 9]),
        (call("lead", T["x"], integer(1), integer(9)), True, [3, 3, 4, 9]),
        (call("ntile", integer(3)), False, [1, 1, 2, 3]),
        (call("percent_rank"), False, [0.0, 1 / 3, 2 / 3, 1.0]),
        (call("cume_dist"), False, [0.25, 0.5, 0.75, 1.0]),
    ],
)
def test_functions_of_places(
    engine: LocalEngine, function: Call, passing: bool, expected: list[object]
) -> None:
    window = WindowCall(function, None, passing)
    assert _over(engine, "x", window, [*_X]) == expected


@pytest.mark.parametrize(
    ("kind", "ascending", "expected"),
    [
        (RankKind.ROW_NUMBER, True, [0, 1]),
        (RankKind.RANK, True, [0, 1, 2]),
        (RankKind.DENSE_RANK, True, [0, 1, 2]),
        (RankKind.ROW_NUMBER, False, [3, 4]),
        (RankKind.DENSE_RANK, False, [3, 4, 5]),
    ],
)
def test_first_rows_of_partitions(
    engine: LocalEngine, kind: RankKind, ascending: bool, expected: list[int]
) -> None:
    values = [None, -0.0, 0.0, float("nan"), float("inf"), float("inf")]
    rows = [_reading(at, value) for at, value in enumerate(values)]
    key = SortKey(T["f"], ascending, nulls_first=ascending)
    order = (key, *_BY_ID) if kind is RankKind.ROW_NUMBER else (key,)
    first = GroupLimit(T.scan, (T["s"],), order, kind, 2)
    found = run(engine, project(first, T["id"], T["s"], first=61), {"t": T.of(*rows)})
    assert found == [(at, "one") for at in expected]


def _reading(at: int, value: float | None) -> Row:
    return tuple({"id": at, "f": value, "s": "one"}.get(each) for each in T.columns)


def test_first_last_and_nth_values_of_a_frame(engine: LocalEngine) -> None:
    near = _frame(FrameUnit.ROWS, integer(-1), integer(1))
    first, last = (aggregate(name, T["x"], params=("TRUE",)) for name in ("first", "last"))
    assert _over(engine, "x", WindowCall(first, near), [*_X]) == [1, 1, 3, 3]
    assert _over(engine, "x", WindowCall(last, near), [*_X]) == [1, 3, 4, 4]
    assert _over(engine, "x", WindowCall(aggregate("first", T["x"]), near), [*_X]) == [
        1,
        1,
        None,
        3,
    ]
    second = call("nth_value", T["x"], integer(2))
    assert _over(engine, "x", WindowCall(second, near), [*_X]) == [None, None, 3, 4]
    assert _over(engine, "x", WindowCall(second, near, True), [*_X]) == [None, 3, 4, 4]


def test_rows_at_a_distance(engine: LocalEngine) -> None:
    before = _frame(FrameUnit.ROWS, integer(-2), integer(-1))
    total = WindowCall(aggregate("sum", T["x"]), before)
    assert _over(engine, "x", total, [*_X]) == [None, 1, 1, 3]


@pytest.mark.parametrize(
    ("name", "ends", "values", "expected"),
    [
        ("x", (integer(-1), integer(2)), [5, 7, 8, None], [2, 2, 2, 1]),
        ("d", (integer(0), integer(1)), [date(1, 1, 1), date(1, 1, 2), None], [2, 1, 1]),
        (
            "q",
            (Literal("-3600000000", _HOURS), Literal("0", _HOURS)),
            [datetime(2020, 1, 1), datetime(2020, 1, 1, 1), datetime(2020, 1, 1, 1, 1)],
            [1, 2, 2],
        ),
    ],
)
def test_values_at_a_distance(
    engine: LocalEngine,
    name: str,
    ends: tuple[Literal, Literal],
    values: list[object],
    expected: list[int],
) -> None:
    near = WindowCall(aggregate("count", T["id"]), _frame(FrameUnit.RANGE, *ends))
    assert _over(engine, name, near, values, (SortKey(T[name]),)) == expected


def test_a_distance_that_overflows_is_left_to_spark(engine: LocalEngine) -> None:
    one = Literal("1", TINYINT)
    near = WindowCall(aggregate("count", T["id"]), _frame(FrameUnit.RANGE, one, one))
    with pytest.raises(NotLocalError, match="fails here"):
        _over(engine, "y", near, [127], (SortKey(T["y"]),))


def _far(values: list[float | None]) -> list[object]:
    return [*values]


def test_sums_of_doubles_where_the_order_of_additions_does_not_tell(engine: LocalEngine) -> None:
    nan, most = float("nan"), float("inf")
    total = WindowCall(aggregate("sum", T["f"]), _UP_TO_HERE)
    assert _over(engine, "f", total, _far([0.5, None, 1e300])) == [0.5, 0.5, 1e300]
    assert _over(engine, "f", total, _far([None, -0.0, most])) == [None, 0.0, most]
    found = _over(engine, "f", total, _far([most, -most, nan]))
    assert list(map(str, found)) == ["inf", "nan", "nan"]


@pytest.mark.parametrize("values", [[1e300, -1e300, 1.0], [1e308, 1e308], [0.1, -0.1]])
def test_sums_of_doubles_that_the_order_decides_are_left_to_spark(
    engine: LocalEngine, values: list[float | None]
) -> None:
    total = WindowCall(aggregate("sum", T["f"]), _UP_TO_HERE)
    with pytest.raises(NotLocalError, match="order of rows"):
        _over(engine, "f", total, _far(values))


def test_averages_of_whole_numbers_are_exact(engine: LocalEngine) -> None:
    mean = WindowCall(aggregate("avg", T["x"]), _UP_TO_HERE)
    assert _over(engine, "x", mean, [5, -5, None, 1]) == [5.0, 0.0, 0.0, 1 / 3]


_DISTANT = _frame(FrameUnit.RANGE, integer(-1), integer(1))


@pytest.mark.parametrize(
    ("function", "order"),
    [
        (WindowCall(call("lag", T["x"], T["x"]), None), _BY_ID),
        (WindowCall(call("lag", T["x"], integer(0)), None, True), _BY_ID),
        (WindowCall(call("lag", T["x"], integer(1), T["s"]), None), _BY_ID),
        (WindowCall(call("ntile", T["x"]), None), _BY_ID),
        (WindowCall(call("nth_value", T["x"], integer(0)), _UP_TO_HERE), _BY_ID),
        (WindowCall(call("rank"), None, True), _BY_ID),
        (WindowCall(aggregate("max_by", T["x"], T["s"]), _UP_TO_HERE), _BY_ID),
        (WindowCall(aggregate("sum", T["x"], where=call("isnull", T["x"])), None), _BY_ID),
        (WindowCall(aggregate("count", T["x"]), _DISTANT), (*_BY_ID, SortKey(T["x"]))),
        (WindowCall(aggregate("count", T["x"]), _DISTANT), (SortKey(T["f"]),)),
        (WindowCall(aggregate("count", T["x"]), _DISTANT), (SortKey(T["s"]),)),
        (WindowCall(aggregate("count", T["x"]), _DISTANT), (SortKey(T["y"]),)),
        (WindowCall(aggregate("count", T["x"]), _DISTANT), (SortKey(T["q"]),)),
        (WindowCall(aggregate("count", T["x"]), _frame(FrameUnit.ROWS, T["x"], T["x"])), _BY_ID),
    ],
)
def test_windows_that_only_spark_has(function: WindowCall, order: tuple[SortKey, ...]) -> None:
    with pytest.raises(NotLocalError):
        print_duckdb(named(_window(function, order)))


@pytest.mark.parametrize(
    ("dtype", "offset"),
    [
        (TIMESTAMP, Literal(str(86_400_000_000), IntervalType("DAY", "DAY"))),
        (TIMESTAMP, Literal("1", IntervalType("MONTH", "MONTH"))),
        (TIMESTAMP_NTZ, Literal("1", IntervalType("YEAR", "MONTH"))),
        (DATE, Literal("1", IntervalType("MONTH", "MONTH"))),
    ],
)
def test_distances_by_the_calendar_are_left_to_spark(dtype: DataType, offset: Literal) -> None:
    table = Table("t", p=dtype)
    function = WindowCall(
        aggregate("count", Literal("1", BIGINT)), _frame(FrameUnit.RANGE, offset, offset)
    )
    output = Output(Column(ColumnId(51), "x51", BIGINT), function)
    rel = Window(table.scan, (), (SortKey(table["p"]),), (output,))
    with pytest.raises(NotLocalError):
        print_duckdb(named(rel))
