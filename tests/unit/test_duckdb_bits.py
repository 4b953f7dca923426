"""The bits of whole numbers in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr
from slackwater.types import BIGINT, INTEGER, TINYINT

from .duckdb_rows import FEW_VALUES, Table, bigint, integer, named, project, values

T = Table("t", j=BIGINT, i=INTEGER, y=TINYINT)
_ROW = (-(2**63), -8, -128)


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (call("&", T["y"], T["y"]), -128),
        (call("|", T["i"], integer(3)), -5),
        (call("^", T["i"], integer(-1)), 7),
        (call("~", T["j"]), 2**63 - 1),
        (call("shiftright", T["i"], integer(1)), -4),
        (call("shiftleft", call("abs", T["i"]), integer(2)), 32),
        (call("shiftleft", bigint(3), call("abs", T["i"])), 768),
        (call("shiftright", T["j"], T["i"]), -128),
        (call("shiftright", T["i"], integer(32)), -8),
        (call("shiftright", T["i"], integer(-1)), -1),
        (call("hex", T["j"]), "8000000000000000"),
        (call("bit_count", T["i"]), 61),
    ],
)
def test_bits(engine: LocalEngine, expr: Expr, expected: object) -> None:
    assert values(engine, T, expr, _ROW) == [expected]


def test_a_bit_that_is_shifted_out_is_left_to_spark(engine: LocalEngine) -> None:
    with pytest.raises(NotLocalError, match="shift"):
        values(engine, T, call("shiftleft", T["i"], integer(1)), _ROW)


@pytest.mark.parametrize(
    "expr",
    [
        call("&", T["i"], T["j"]),
        call("hex", T["i"]),
    ],
)
def test_bits_that_only_spark_knows(expr: Expr) -> None:
    with pytest.raises(NotLocalError, match=r"bits|digits"):
        print_duckdb(named(project(T.scan, expr)))
