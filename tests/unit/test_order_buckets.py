"""Order buckets follow the order of their keys, and the reach of window functions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Scan, Window
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    ColumnId,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.optimizer.rules.order_buckets import has_bucket, order_bucket
from slackwater.optimizer.rules.reach import Reach, reach_of
from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    IntervalType,
)

from .duckdb_rows import Table, project, run

_UTC = ZoneInfo("UTC")
_MOMENT = datetime(2024, 3, 30, 22, 0)
_VALUES: dict[DataType, list[object]] = {
    BIGINT: [None, 0, -1, 7, 8, 9, -(2**63), 2**63 - 1, 1000],
    INTEGER: [None, 0, 3, -(2**31), 2**31 - 1],
    DecimalType(9, 2): [None, Decimal("-0.01"), Decimal("3.99"), Decimal("4.00"), Decimal(-9)],
    DOUBLE: [None, 0.0, -0.0, 0.5, -7.5, 1e300, -1e300, float("nan"), float("inf"), -float("inf")],
    DATE: [None, date(1969, 12, 31), date(1970, 1, 9), date(2024, 2, 29), date(1, 1, 1)],
    TIMESTAMP: [None, *((_MOMENT + timedelta(hours=n)).replace(tzinfo=_UTC) for n in (-9, 0, 1))],
    TIMESTAMP_NTZ: [None, *(_MOMENT + timedelta(seconds=n) for n in (-(10**10), 0, 3600, 7201))],
}


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


@pytest.mark.parametrize("dtype", _VALUES, ids=lambda dtype: dtype.sql())
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("nulls_first", [True, False])
@pytest.mark.parametrize("shift", [2, 12])
def test_buckets_rise_in_the_direction_of_the_order(
    dtype: DataType, ascending: bool, nulls_first: bool, shift: int, engine: LocalEngine
) -> None:
    table = Table("t", v=dtype)
    key = SortKey(table["v"], ascending, nulls_first)
    place = Output(_column(9, INTEGER), WindowCall(call("row_number"), None))
    placed = Window(table.scan, (), (key,), (place,))
    tree = project(placed, place.column.ref(), order_bucket(key, shift))
    rows = run(engine, tree, {"t": table.of(*((value,) for value in _VALUES[dtype]))})
    bucket_at = {int(str(at)): int(str(bucket)) for at, bucket in rows}
    buckets = [bucket_at[at] for at in sorted(bucket_at)]
    assert buckets == sorted(buckets)
    assert len(set(buckets)) > 1


def test_only_keys_with_whole_numbers_have_buckets() -> None:
    assert all(map(has_bucket, _VALUES))
    assert not has_bucket(STRING)
    assert not has_bucket(DecimalType(38, 2))


def _column(number: int, dtype: DataType) -> Column:
    return Column(ColumnId(number), f"c{number}", dtype)


def _window(key: DataType, *calls: WindowCall) -> Window:
    order, value = _column(1, key), _column(2, BIGINT)
    functions = tuple(Output(_column(9 + n, each.dtype), each) for n, each in enumerate(calls))
    return Window(Scan("t", (order, value)), (), (SortKey(order.ref()),), functions)


def _literal(text: str, dtype: DataType) -> Literal:
    return Literal(text, dtype)


def _framed(unit: FrameUnit, lower: Expr | None, upper: Expr | None) -> WindowCall:
    bounds = (
        FrameBound(BoundKind.CURRENT_ROW) if each is None else FrameBound(BoundKind.OFFSET, each)
        for each in (lower, upper)
    )
    return WindowCall(aggregate("sum", _column(2, BIGINT).ref()), Frame(unit, *bounds))


def _shifted(function: str, rows: int) -> WindowCall:
    distance = _literal(str(rows), INTEGER)
    return WindowCall(call(function, _column(2, BIGINT).ref(), distance), None)


_HOURS, _MONTHS = IntervalType("HOUR", "HOUR"), IntervalType("MONTH", "MONTH")
_HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("key", "calls", "reach"),
    [
        (DATE, [_shifted("lag", 3)], Reach(rows_back=3)),
        (DATE, [_shifted("lag", -2), _shifted("lead", 5)], Reach(rows_ahead=5)),
        (DATE, [_shifted("lead", -4)], Reach(rows_back=4)),
        (
            DATE,
            [_framed(FrameUnit.ROWS, _literal("-6", INTEGER), _literal("-2", INTEGER))],
            Reach(rows_back=6),
        ),
        (
            DATE,
            [_framed(FrameUnit.RANGE, _literal("-6", INTEGER), None), _shifted("lead", 1)],
            Reach(rows_ahead=1, back=6, ahead=0),
        ),
        (
            TIMESTAMP,
            [_framed(FrameUnit.RANGE, None, _literal(str(_HOUR), _HOURS))],
            Reach(back=0, ahead=_HOUR),
        ),
        (
            TIMESTAMP,
            [_framed(FrameUnit.RANGE, _literal(str(-24 * _HOUR), _HOURS), None)],
            Reach(back=72 * _HOUR, ahead=0),
        ),
    ],
)
def test_functions_see_rows_within_their_reach(
    key: DataType, calls: list[WindowCall], reach: Reach
) -> None:
    assert reach_of(_window(key, *calls)) == reach


@pytest.mark.parametrize(
    ("key", "call_", "why"),
    [
        (DATE, WindowCall(call("rank"), None), "rank depends on all rows before"),
        (DATE, _shifted("lag", 100_000), "lag has no short distance"),
        (DATE, _framed(FrameUnit.RANGE, _literal("-1", _MONTHS), None), "no distances"),
        (DOUBLE, _framed(FrameUnit.RANGE, _literal("-1.5", DOUBLE), None), "no distances"),
        (
            DATE,
            WindowCall(
                aggregate("count", _column(2, BIGINT).ref()),
                Frame(
                    FrameUnit.ROWS,
                    FrameBound(BoundKind.UNBOUNDED_PRECEDING),
                    FrameBound(BoundKind.CURRENT_ROW),
                ),
            ),
            "no short distances in rows",
        ),
    ],
)
def test_what_sees_all_rows_has_no_reach(key: DataType, call_: WindowCall, why: str) -> None:
    found = reach_of(_window(key, call_))
    assert isinstance(found, str)
    assert why in found


def test_distances_cross_one_bucket_more_than_they_fill() -> None:
    reach = Reach(back=16, ahead=0)
    assert reach.buckets_back(3) == 3
    assert reach.buckets_back(5) == 1
    assert reach.buckets_ahead(3) == 0
