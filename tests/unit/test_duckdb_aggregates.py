"""Aggregates give in DuckDB what they give in Spark, or are left to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Aggregate
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, ColumnId, Expr, Literal, SortKey
from slackwater.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, ArrayType, DecimalType

from .duckdb_rows import Row, Table, bigint, integer, named, run, string

T = Table("t", x=INTEGER, s=STRING, b=BOOLEAN, d=DecimalType(12, 2), f=DOUBLE)
_ROWS: list[Row] = [
    (3, "b", True, Decimal("1.10"), 0.5),
    (1, "a", False, Decimal("2.20"), None),
    (None, "c", None, None, -0.5),
    (3, None, True, Decimal("4.40"), 2.0),
    (1, "e", None, Decimal("2.20"), 2.0),
]
_HALF = Literal("0.5", DOUBLE)
_WHERE = call("isnotnull", T["b"])


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


def _grouped(expr: Expr) -> Aggregate:
    column = Column(ColumnId(51), "x51", expr.dtype)
    return Aggregate(T.scan, (), (Output(column, expr),))


def _over(engine: LocalEngine, expr: Expr, *rows: Row) -> object:
    ((found,),) = run(engine, _grouped(expr), {"t": T.of(*rows)})
    return found


def _double(expr: AggregateCall) -> AggregateCall:
    return replace(expr, call_type=DOUBLE)


def _ordered(function: str, *args: Expr, by: str, ascending: bool = True) -> AggregateCall:
    found = aggregate(function, *args, order=(SortKey(T[by], ascending=ascending),))
    return replace(found, call_type=DOUBLE if args else T[by].dtype)


_PAIR = replace(
    aggregate("percentile", T["x"], Literal("ARRAY(0.0D, 0.25D)", ArrayType(DOUBLE, False))),
    call_type=ArrayType(DOUBLE, False),
)


@pytest.mark.parametrize(
    ("expr", "expected", "of_nothing"),
    [
        (aggregate("max_by", T["s"], T["d"]), None, None),
        (aggregate("min_by", T["s"], T["d"]), "b", None),
        (aggregate("max_by", T["s"], T["d"], where=call("isnull", T["b"])), "e", None),
        (aggregate("bit_and", T["x"]), 1, None),
        (aggregate("bit_or", T["x"]), 3, None),
        (aggregate("bit_xor", T["x"], where=_WHERE), 1, None),
        (aggregate("mode", T["x"], params=("TRUE",)), 1, None),
        (_ordered("mode_within", by="x", ascending=False), 3, None),
        (aggregate("mode", T["d"], params=("TRUE",)), Decimal("2.20"), None),
        (aggregate("collect_list", T["x"]), [3, 1, 3, 1], []),
        (aggregate("collect_list", T["s"], where=_WHERE), ["b", "a"], []),
        (aggregate("count", T["x"], T["s"]), 3, 0),
        (aggregate("count", T["x"], T["d"], distinct=True), 3, 0),
        (aggregate("sum", T["x"], distinct=True), 4, None),
        (aggregate("avg", T["x"]), 2.0, None),
        (aggregate("avg", T["x"], distinct=True), 2.0, None),
        (aggregate("sum", T["f"]), 4.0, None),
        (aggregate("avg", T["f"], where=_WHERE), 1.25, None),
        (aggregate("last", T["s"], params=("TRUE",)), "e", None),
        (aggregate("first", T["s"], where=call("isnull", T["b"])), "c", None),
        (_double(aggregate("percentile", T["d"], _HALF, bigint(1))), 2.2, None),
        (_double(aggregate("percentile", T["x"], _HALF, bigint(1))), 2.0, None),
        (_PAIR, [1.0, 1.0], None),
        (_ordered("percentile_disc", _HALF, by="x"), 1.0, None),
        (_ordered("percentile_disc", _HALF, by="x", ascending=False), 3.0, None),
        (_ordered("percentile_cont", Literal("0.1", DOUBLE), by="x", ascending=False), 3.0, None),
        (aggregate("approx_count_distinct", T["s"], params=("0.05D",)), 4, 0),
        (
            replace(_ordered("listagg", T["s"], string("-"), by="d"), call_type=STRING),
            "c-b-a-e",
            None,
        ),
        (
            aggregate("pivot_first", T["s"], T["x"], params=("'b'", "'it'", "'e'")),
            [3, None, 1],
            [None, None, None],
        ),
        (
            aggregate("pivot_first", T["b"], T["s"], params=("TRUE", "FALSE")),
            ["b", "a"],
            [None] * 2,
        ),
    ],
)
def test_aggregates(
    engine: LocalEngine, expr: AggregateCall, expected: object, of_nothing: object
) -> None:
    assert _over(engine, expr, *_ROWS) == expected
    assert _over(engine, expr) == of_nothing


def test_a_set_has_each_value_once(engine: LocalEngine) -> None:
    found = _over(engine, aggregate("collect_set", T["x"]), *_ROWS)
    assert isinstance(found, list)
    assert sorted(found) == [1, 3]


def test_percentiles_between_two_values_are_sparks_to_the_last_bit(engine: LocalEngine) -> None:
    share, low, high = 0.3, 1.1, 4.4
    expr = _double(aggregate("percentile", T["d"], Literal(str(share), DOUBLE), bigint(1)))
    assert _over(engine, expr, _ROWS[0], _ROWS[3]) == (1 - share) * low + share * high


def test_sums_of_doubles_know_infinity_and_nan(engine: LocalEngine) -> None:
    most, nan = float("inf"), float("nan")
    cases = [((most, 1.0), "inf"), ((most, -most), "nan"), ((nan, 1.0), "nan"), ((-0.0,), "0.0")]
    for values, expected in cases:
        rows = [(None, None, None, None, value) for value in values]
        assert str(_over(engine, aggregate("sum", T["f"]), *rows)) == expected


def test_an_estimate_of_many_values_is_left_to_spark(engine: LocalEngine) -> None:
    rows = [(each, None, None, None, None) for each in range(500)]
    with pytest.raises(NotLocalError, match="many values"):
        _over(engine, aggregate("approx_count_distinct", T["x"], params=("0.05D",)), *rows)


@pytest.mark.parametrize(
    "expr",
    [
        aggregate("mode", T["x"]),
        aggregate("mode", T["f"], params=("TRUE",)),
        aggregate("mode", T["x"], distinct=True),
        aggregate("collect_set", T["f"]),
        aggregate("count", T["x"], T["f"], distinct=True),
        aggregate("try_sum", T["x"]),
        aggregate("approx_count_distinct", T["x"], params=("0.01D",)),
        aggregate("pivot_first", T["d"], T["x"], params=("1.10BD",)),
        aggregate("pivot_first", T["s"], T["x"], params=("'it\\'s'",)),
        _double(aggregate("percentile", T["x"], T["f"])),
        _double(aggregate("percentile", T["x"], _HALF, T["x"])),
        _double(aggregate("percentile", T["x"], _HALF, bigint(1), distinct=True)),
        replace(aggregate("percentile_approx", T["x"], _HALF, integer(10)), call_type=INTEGER),
        replace(_ordered("listagg", T["s"], T["s"], by="x"), call_type=STRING),
        replace(aggregate("listagg", T["x"]), call_type=STRING),
        aggregate("bit_and", T["x"], params=("1",)),
        replace(aggregate("sum", T["x"]), call_type=DOUBLE),
        aggregate("skewness", T["f"]),
        replace(aggregate("count", T["x"]), order=(SortKey(T["x"]),), call_type=BIGINT),
    ],
)
def test_aggregates_that_only_spark_has(expr: AggregateCall) -> None:
    with pytest.raises(NotLocalError):
        print_duckdb(named(_grouped(expr)))
