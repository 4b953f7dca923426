"""Floating-point numbers in DuckDB: NaN, both zeros and the bits that Spark shows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Project,
    Window,
)
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import Call, Cast, CastMode, ColumnId, Literal, SortKey, WindowCall
from slackwater.plan.frames import Fresh
from slackwater.plan.weighted import consolidated
from slackwater.types import BIGINT, DOUBLE, FLOAT, INTEGER, STRING, TINYINT, DataType, DecimalType

from .duckdb_rows import FEW_VALUES, Table, bigint, named, project, run, value_of, values

_NAN, _MOST = float("nan"), float("inf")
T = Table("t", f=DOUBLE, i=BIGINT)
_BOTH = pytest.mark.parametrize("dtype", [DOUBLE, FLOAT])


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


def _double(text: str) -> Literal:
    return Literal(text, DOUBLE)


@_BOTH
@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "-0.0", "0.1", "1.0E-10"])
def test_literals(engine: LocalEngine, text: str, dtype: DataType) -> None:
    found = value_of(engine, Literal(text, dtype))
    assert isinstance(found, float)
    assert repr(found) == repr(float(text)) or dtype == FLOAT
    assert found == pytest.approx(float(text), nan_ok=True)


def test_doubles_compare_as_sparks_do(engine: LocalEngine) -> None:
    nan, most = float("nan"), float("inf")
    pairs = ((nan, nan), (nan, most), (-0.0, 0.0), (1.0, 2.0), (None, 1.0))
    table = Table("t", f=DOUBLE, g=DOUBLE)
    found = {
        sign: values(engine, table, call(sign, table["f"], table["g"]), *pairs)
        for sign in ("=", "<", ">=", "<=>")
    }
    assert found == {
        "=": [True, False, True, False, None],
        "<": [False, False, False, True, None],
        ">=": [True, True, True, False, None],
        "<=>": [True, False, True, False, False],
    }


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (call(">", T["f"], _double("Infinity")), [2]),
        (call(">=", T["f"], _double("NaN")), [2]),
        (call("<=", T["f"], _double("NaN")), [0, 1, 2, 3]),
        (call("not", call("<", T["f"], _double("0"))), [0, 1, 2, 3]),
        (call("in", T["f"], _double("0"), _double("NaN")), [0, 1, 2]),
        (call("=", T["f"], _double("-0.0")), [0, 1]),
    ],
)
def test_arrow_is_not_asked_to_filter(
    engine: LocalEngine, condition: Call, kept: list[int]
) -> None:
    rows = T.of((-0.0, 0), (0.0, 1), (_NAN, 2), (1.0, 3), (None, 4))
    only = Project(Filter(T.scan, condition), (Output(T.columns["i"], T["i"]),))
    assert run(engine, only, {"t": rows}) == [(each,) for each in kept]


def test_joins_and_windows_leave_the_sign_of_zeros(engine: LocalEngine) -> None:
    other = Table("u", 11, g=DOUBLE)
    key = JoinKey(T["f"], other["g"])
    tables = {"t": T.of((-0.0, 1), (_NAN, 2)), "u": other.of((0.0,), (_NAN,))}
    found = run(engine, Join(JoinKind.INNER, T.scan, other.scan, (key,)), tables)
    assert repr(found) == "[(-0.0, 1, 0.0), (nan, 2, nan)]"
    ranked = Column(ColumnId(50), "r", INTEGER, False)
    rank = WindowCall(call("rank"), None)
    by_value = Window(T.scan, (), (SortKey(T["f"]),), (Output(ranked, rank),))
    assert repr(run(engine, by_value, {"t": tables["t"]})) == "[(-0.0, 1, 1), (nan, 2, 2)]"


def test_groups_show_zero(engine: LocalEngine) -> None:
    key = Output(Column(ColumnId(51), "k", DOUBLE), T["f"])
    count = Output(Column(ColumnId(52), "n", BIGINT, False), aggregate("count", bigint(1)))
    rows = {"t": T.of((-0.0, 1), (-0.0, 1), (_NAN, 3))}
    grouped = Aggregate(T.scan, (key,), (count,))
    assert repr(run(engine, grouped, rows)) == "[(0.0, 2), (nan, 1)]"
    assert repr(run(engine, Distinct(T.scan), rows)) == "[(0.0, 1), (nan, 3)]"


def test_consolidation_keeps_zeros_apart(engine: LocalEngine) -> None:
    rows = {"t": T.of((-0.0, 1), (0.0, 1), (-0.0, 1), (_NAN, 1), (_NAN, -1), (_MOST, 2))}
    net = consolidated(T.scan, Fresh(T.scan))
    assert repr(run(engine, net, rows)) == "[(-0.0, 2), (0.0, 1), (inf, 2)]"


def test_extremes_of_single_floats_keep_the_sign_of_zero(engine: LocalEngine) -> None:
    table = Table("t", f=FLOAT, g=FLOAT)
    rows = [(-0.0, -1.0), (_NAN, -0.0), (None, -0.0)]
    for name, expected in (("greatest", "[-0.0, nan, -0.0]"), ("least", "[-1.0, -0.0, -0.0]")):
        found = values(engine, table, call(name, table["f"], table["g"]), *rows)
        assert repr(found) == expected


@pytest.mark.parametrize(
    ("function", "digits", "expected"),
    [
        ("round", 2, [2.68, -2.68, 1.01, 0.13, 0.0, 1e300, None]),
        ("round", 0, [3.0, -3.0, 1.0, 0.0, 0.0, 1e300, None]),
        ("bround", 2, [2.68, -2.68, 1.0, 0.12, 0.0, 1e300, None]),
    ],
)
def test_doubles_are_rounded_by_their_texts(
    engine: LocalEngine, function: str, digits: int, expected: list[float | None]
) -> None:
    table = Table("t", f=DOUBLE)
    rounding = call(function, table["f"], Literal(str(digits), INTEGER))
    given = (2.675, -2.675, 1.005, 0.125, -0.0, 1e300, None)
    assert repr(values(engine, table, rounding, *((each,) for each in given))) == repr(expected)
    (nan,) = values(engine, table, rounding, (_NAN,))
    assert repr(nan) == "nan"


def test_whole_numbers_next_to_doubles(engine: LocalEngine) -> None:
    table = Table("t", f=DOUBLE)
    given = ((-2.5,), (-0.0,), (2.0**62,), (None,))
    assert values(engine, table, call("floor", table["f"]), *given) == [-3, 0, 2**62, None]
    assert values(engine, table, call("ceil", table["f"]), *given) == [-2, 0, 2**62, None]
    for far in (_NAN, _MOST, 2.0**63):
        with pytest.raises(NotLocalError):
            values(engine, table, call("floor", table["f"]), (far,))


def test_remainders(engine: LocalEngine) -> None:
    table = Table("t", f=DOUBLE, g=DOUBLE)
    rows = ((-7.5, 2.0), (7.5, -2.0), (-0.0, 3.0), (_MOST, 2.0), (1.0, None))
    rest = values(engine, table, call("%", table["f"], table["g"]), *rows)
    assert repr(rest) == "[-1.5, 1.5, -0.0, nan, None]"
    positive = values(engine, table, call("pmod", table["f"], table["g"]), *rows)
    assert repr(positive) == "[0.5, 1.5, -0.0, nan, None]"
    for function in ("%", "pmod"):
        with pytest.raises(NotLocalError, match="division by zero"):
            values(engine, table, call(function, table["f"], table["g"]), (1.0, -0.0))


def test_signs_and_tests_for_nan(engine: LocalEngine) -> None:
    table = Table("t", f=DOUBLE, g=DOUBLE)
    rows = ((_NAN, 1.0), (-0.0, 2.0), (-3.5, 3.0), (None, 4.0))
    found = {
        "sign": "[nan, -0.0, -1.0, None]",
        "isnan": "[True, False, False, False]",
    }
    for function, expected in found.items():
        assert repr(values(engine, table, call(function, table["f"]), *rows)) == expected
    instead = values(engine, table, call("nanvl", table["f"], table["g"]), *rows)
    assert repr(instead) == "[1.0, -0.0, -3.5, None]"


@_BOTH
def test_decimals_become_the_nearest_number(engine: LocalEngine, dtype: DataType) -> None:
    table = Table("t", w=DecimalType(38, 6), d=DecimalType(12, 2))
    digits = ("9007199254740993.000001", "0.100000", "-99999999999999999999.999999")
    rows = [(Decimal(each), Decimal("0.10")) for each in digits]
    found = values(engine, table, Cast(table["w"], dtype), *rows)
    kind = np.float64 if dtype == DOUBLE else np.float32
    assert found == [float(kind(each)) for each in digits]
    small = values(engine, table, Cast(table["d"], dtype), rows[0])
    assert small == [float(kind("0.1"))]


def test_doubles_become_decimals_by_their_texts(engine: LocalEngine) -> None:
    table = Table("t", f=DOUBLE)
    cast = Cast(table["f"], DecimalType(5, 2))
    found = values(engine, table, cast, (2.675,), (-1.005,), (-0.0,), (999.99,), (None,))
    expected = [*map(Decimal, ("2.68", "-1.01", "0.00", "999.99")), None]
    assert found == expected
    for far in (_NAN, _MOST, 1000.0, 999.995, 1e20):
        with pytest.raises(NotLocalError):
            values(engine, table, cast, (far,))


@pytest.mark.parametrize("source", [DOUBLE, FLOAT])
@pytest.mark.parametrize(("target", "bits"), [(TINYINT, 8), (INTEGER, 32), (BIGINT, 64)])
def test_whole_numbers_are_cut_off(
    engine: LocalEngine, source: DataType, target: DataType, bits: int
) -> None:
    table = Table("t", f=source)
    cast, least = Cast(table["f"], target), -(2 ** (bits - 1))
    found = values(engine, table, cast, (2.75,), (-2.75,), (-0.0,), (float(least),), (None,))
    assert found == [2, -2, 0, least, None]
    for far in (_NAN, -_MOST, float(-least), 2.0 * least):
        with pytest.raises(NotLocalError):
            values(engine, table, cast, (far,))


def test_casts_that_only_spark_does() -> None:
    table = Table("t", f=DOUBLE, w=DecimalType(38, 6), s=STRING)
    for cast in (
        Cast(table["f"], STRING),
        Cast(table["f"], DecimalType(38, 16)),
        Cast(table["f"], INTEGER, CastMode.TRY),
        Cast(Literal("1e400", STRING), DOUBLE),
        Cast(Literal("1d", STRING), DOUBLE),
        Cast(table["w"], INTEGER),
    ):
        with pytest.raises(NotLocalError, match="cast"):
            print_duckdb(named(project(table.scan, cast)))


def test_texts_that_spell_a_number(engine: LocalEngine) -> None:
    for text in ("0.1", "-1e9", "NaN", "-Infinity"):
        assert repr(value_of(engine, Cast(Literal(text, STRING), DOUBLE))) == repr(float(text))
