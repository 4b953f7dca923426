"""What the table of functions says of NULL is what Spark does, argument by argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from pyspark.sql import SparkSession

from slackwater.expr.functions import FUNCTIONS, Nulls, call
from slackwater.expr.nodes import ColumnId, ColumnRef
from slackwater.expr.sql import ExpressionPrinter
from slackwater.types import INTEGER

from .null_samples import SAMPLES

_PRINTER = ExpressionPrinter(lambda column: column.name)
_OF_STATEMENTS = {"registers_estimate"}
"""Only the printer of statements writes it: tests/engine/test_distinct_estimates.py."""
_WINDOW = frozenset(("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist"))
"""They stand inside windows only, where no argument can be NULL."""
_each_mode = pytest.mark.parametrize("ansi", ["true", "false"])


def _text(function: str, args: Sequence[str], params: tuple[str, ...]) -> str:
    """A call as the printer writes it, over arguments that are given as SQL."""
    refs = (
        ColumnRef(ColumnId(n), arg.removeprefix("!"), INTEGER, False) for n, arg in enumerate(args)
    )
    return _PRINTER.text(call(function, *refs, params=params))


def _with_one_null(function: str) -> Iterator[str]:
    """The sample calls, each argument NULL in turn."""
    for each in SAMPLES[function]:
        for place, arg in enumerate(each.args):
            if not arg.startswith("!"):
                null = f"IF(FALSE, {arg}, NULL)"
                yield _text(
                    function, (*each.args[:place], null, *each.args[place + 1 :]), each.params
                )


def _without_null(function: str) -> Iterator[str]:
    return (_text(function, each.args, each.params) for each in SAMPLES[function])


def _null_among(spark: SparkSession, calls: Sequence[str]) -> set[str]:
    """The calls whose value is NULL; IS NULL would be answered from what Spark says of them."""
    values = ", ".join(f"CAST({each} AS STRING) AS x{n}" for n, each in enumerate(calls))
    (row,) = spark.sql(f"SELECT {values}").collect()
    return {each for each, value in zip(calls, row, strict=True) if value is None}


def test_every_function_that_has_a_rule_is_tried() -> None:
    ruled = {name for name, spec in FUNCTIONS.items() if spec.nulls is not Nulls.ANY}
    assert set(SAMPLES) == ruled - _WINDOW - _OF_STATEMENTS


@_each_mode
def test_null_goes_through_functions_that_say_so(ansi: str, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    rules = (Nulls.STRICT, Nulls.PARTIAL)
    passing = [name for name in SAMPLES if FUNCTIONS[name].nulls in rules]
    calls = [each for name in passing for each in _with_one_null(name)]
    assert set(calls) - _null_among(spark, calls) == set()


@_each_mode
def test_functions_that_make_no_null_make_none(ansi: str, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    calls = []
    for name in SAMPLES:
        if FUNCTIONS[name].nulls in (Nulls.STRICT, Nulls.NEVER):
            calls += _without_null(name)
        if FUNCTIONS[name].nulls is Nulls.NEVER:
            calls += _with_one_null(name)
    assert _null_among(spark, calls) == set()
