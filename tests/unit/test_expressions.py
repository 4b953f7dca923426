"""Expressions: types, NULLs, facts and their SQL text."""

from __future__ import annotations

import pytest

from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import FUNCTIONS, call
from slackwater.expr.literals import print_literal
from slackwater.expr.nodes import (
    BoundKind,
    Cast,
    CastMode,
    ColumnId,
    ColumnRef,
    FieldAccess,
    Frame,
    FrameBound,
    FrameUnit,
    Lambda,
    LambdaVariable,
    Literal,
    SortKey,
    UserCall,
    WindowCall,
    transform,
    walk,
)
from slackwater.expr.properties import (
    conjuncts,
    is_strict_in,
    referenced_columns,
    rejects_null,
)
from slackwater.expr.sql import ExpressionPrinter
from slackwater.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    DecimalType,
    Field,
    IntervalType,
    StringType,
    StructType,
)

A, B, S = ColumnId(1), ColumnId(2), ColumnId(3)
a = ColumnRef(A, "a", INTEGER, True)
b = ColumnRef(B, "b", INTEGER, False)
s = ColumnRef(S, "s", STRING, True)
one = Literal("1", INTEGER)
two = Literal("2", INTEGER)


def text(expr) -> str:
    return ExpressionPrinter().text(expr)


def decimal(precision: int, scale: int) -> ColumnRef:
    return ColumnRef(ColumnId(9), "d", DecimalType(precision, scale), True)


@pytest.mark.parametrize(
    ("function", "left", "right", "result"),
    [
        ("+", (10, 2), (5, 4), (13, 4)),
        ("+", (38, 10), (38, 10), (38, 9)),
        ("*", (10, 2), (10, 2), (21, 4)),
        ("*", (38, 10), (38, 10), (38, 6)),
        ("/", (10, 2), (10, 2), (23, 13)),
        ("/", (38, 10), (38, 10), (38, 6)),
        ("%", (10, 2), (5, 4), (5, 4)),
    ],
)
def test_decimal_results_are_sparks(function, left, right, result) -> None:
    assert call(function, decimal(*left), decimal(*right)).dtype == DecimalType(*result)


@pytest.mark.parametrize(
    ("expr", "dtype"),
    [
        (call("round", decimal(10, 4), Literal("2", INTEGER)), DecimalType(9, 2)),
        (call("round", decimal(10, 4), Literal("-2", INTEGER)), DecimalType(7, 0)),
        (call("floor", decimal(10, 4)), DecimalType(7, 0)),
        (call("floor", ColumnRef(A, "x", DOUBLE, True)), BIGINT),
        (aggregate("sum", decimal(10, 2)), DecimalType(20, 2)),
        (aggregate("sum", a), BIGINT),
        (aggregate("avg", decimal(10, 2)), DecimalType(14, 6)),
        (aggregate("avg", a), DOUBLE),
        (aggregate("count", a), BIGINT),
        (call("case", call("=", a, b), s), STRING),
        (call("array", a, b), ArrayType(INTEGER)),
    ],
)
def test_other_results_are_sparks(expr, dtype) -> None:
    assert expr.dtype == dtype


def test_nulls_follow_the_function() -> None:
    assert not call("=", b, b).nullable
    assert call("=", a, b).nullable
    assert not call("<=>", a, a).nullable
    assert not call("coalesce", a, b).nullable
    assert call("coalesce", a, s).nullable
    assert call("case", call("=", b, b), b).nullable
    assert not call("case", call("=", b, b), b, b).nullable
    assert not aggregate("count", a).nullable
    assert aggregate("sum", b).nullable
    assert not Cast(b, BIGINT).nullable
    assert Cast(b, TINYINT).nullable


def test_referenced_columns_and_conjuncts() -> None:
    predicate = call("and", call("=", a, one), call("and", call("isnotnull", s), call(">", b, a)))
    assert referenced_columns(predicate) == {A, B, S}
    assert len(conjuncts(predicate)) == 3


@pytest.mark.parametrize(
    ("predicate", "rejects"),
    [
        (call("=", a, one), True),
        (call("<=>", a, one), True),
        (call("<=>", a, a), False),
        (call("isnull", a), False),
        (call("isnotnull", call("+", a, one)), True),
        (call("not", call("isnull", a)), True),
        (call("or", call("=", a, one), call("=", b, one)), False),
        (call("or", call("=", a, one), call("<", a, one)), True),
        (call("and", call("=", b, one), call("<", a, one)), True),
        (call("=", call("coalesce", a, one), one), False),
        (call("in", a, one, two), True),
        (call("not", call("=", a, one)), True),
    ],
)
def test_null_rejection(predicate, rejects: bool) -> None:
    assert rejects_null(predicate, A) is rejects


def test_strictness_goes_through_casts_and_fields() -> None:
    struct = ColumnRef(A, "st", StructType((Field("x", INTEGER),)), True)
    assert is_strict_in(Cast(FieldAccess(struct, "x", INTEGER, True), BIGINT), A)
    assert not is_strict_in(call("concat_ws", s, s), S)


@pytest.mark.parametrize(
    ("literal", "sql"),
    [
        (Literal(None, VOID), "NULL"),
        (Literal(None, DATE), "CAST(NULL AS DATE)"),
        (Literal("true", BOOLEAN), "TRUE"),
        (Literal("-3", TINYINT), "(-3Y)"),
        (Literal("3", SMALLINT), "3S"),
        (Literal("1.5", FLOAT), "1.5F"),
        (Literal("-Infinity", DOUBLE), "CAST('-Infinity' AS DOUBLE)"),
        (Literal("1.50", DecimalType(3, 2)), "1.50BD"),
        (Literal("0.01", DecimalType(2, 2)), "0.01BD"),
        (Literal("1.50", DecimalType(10, 2)), "CAST('1.50' AS DECIMAL(10,2))"),
        (Literal("it's \\", STRING), "'it\\'s \\\\'"),
        (Literal("x", StringType("UTF8_LCASE")), "('x' COLLATE UTF8_LCASE)"),
        (Literal("00FF", BINARY), "X'00FF'"),
        (Literal("1998-09-02", DATE), "DATE '1998-09-02'"),
        (Literal("1", TIMESTAMP), "TIMESTAMP_LTZ '1970-01-01 00:00:00.000001Z'"),
        (Literal("-1000000", TIMESTAMP_NTZ), "TIMESTAMP_NTZ '1969-12-31 23:59:59'"),
        (Literal("15", IntervalType("YEAR", "MONTH")), "INTERVAL '1-3' YEAR TO MONTH"),
        (Literal("-3", IntervalType("MONTH", "MONTH")), "INTERVAL '-3' MONTH"),
        (Literal("24", IntervalType("YEAR", "YEAR")), "INTERVAL '2' YEAR"),
        (
            Literal("-93784500000", IntervalType("DAY", "SECOND")),
            "INTERVAL '-1 02:03:04.500000' DAY TO SECOND",
        ),
        (Literal("5400000000", IntervalType("HOUR", "MINUTE")), "INTERVAL '1:30' HOUR TO MINUTE"),
        (Literal("500000", IntervalType("SECOND", "SECOND")), "INTERVAL '0.500000' SECOND"),
        (Literal("1 months 2 days", CALENDAR_INTERVAL), "CAST('1 months 2 days' AS INTERVAL)"),
        (Literal("ARRAY(1)", ArrayType(INTEGER)), "CAST(ARRAY(1) AS ARRAY<INT>)"),
    ],
)
def test_literals_print_as_sql(literal: Literal, sql: str) -> None:
    assert print_literal(literal) == sql


@pytest.mark.parametrize(
    ("expr", "sql"),
    [
        (call("and", call("=", a, one), call("isnull", s)), "((a#1 = 1) AND (s#3 IS NULL))"),
        (call("not", call("in", a, one, two)), "(NOT (a#1 IN (1, 2)))"),
        (call("case", call("=", a, one), s, s), "CASE WHEN (a#1 = 1) THEN s#3 ELSE s#3 END"),
        (call("case", call("=", a, one), s), "CASE WHEN (a#1 = 1) THEN s#3 END"),
        (call("like", s, s, params=("'\\\\'",)), "(s#3 LIKE s#3 ESCAPE '\\\\')"),
        (call("not_like_any", s, params=("'a'", "'b'")), "(s#3 NOT LIKE ANY ('a', 'b'))"),
        (call("trim", s), "trim(s#3)"),
        (call("ltrim", s, s), "trim(LEADING s#3 FROM s#3)"),
        (call("subscript", a, one), "a#1[1]"),
        (call("timestampadd", a, s, params=("DAY",)), "timestampadd(DAY, a#1, s#3)"),
        (call("extract", s, params=("HOUR",)), "extract(HOUR FROM s#3)"),
        (call("collate", s, params=("UNICODE",)), "(s#3 COLLATE UNICODE)"),
        (Cast(a, STRING, CastMode.TRY), "TRY_CAST(a#1 AS STRING)"),
        (UserCall("f g", (a,), INTEGER), "`f g`(a#1)"),
        (aggregate("count", a, s, distinct=True), "count(DISTINCT a#1, s#3)"),
        (
            aggregate("listagg", s, order=(SortKey(s, False, False),), where=call("isnotnull", s)),
            (
                "listagg(s#3) WITHIN GROUP (ORDER BY s#3 DESC NULLS LAST)"
                " FILTER (WHERE (s#3 IS NOT NULL))"
            ),
        ),
        (
            call("at_least_n_non_nulls", a, params=("1",)),
            "((CASE WHEN a#1 IS NULL OR FALSE THEN 0 ELSE 1 END) >= 1)",
        ),
    ],
)
def test_expressions_print_as_sql(expr, sql: str) -> None:
    assert text(expr) == sql


def test_lambdas_and_windows_print_as_sql() -> None:
    x = LambdaVariable("x", INTEGER, True)
    y = LambdaVariable("y", INTEGER, True)
    assert text(call("transform", a, Lambda((x,), call("+", x, one)))) == (
        "transform(a#1, `x` -> (`x` + 1))"
    )
    assert text(Lambda((x, y), call("+", x, y))) == "(`x`, `y`) -> (`x` + `y`)"
    frame = Frame(
        FrameUnit.ROWS,
        FrameBound(BoundKind.OFFSET, Literal("-2", INTEGER)),
        FrameBound(BoundKind.CURRENT_ROW),
    )
    window = WindowCall(aggregate("sum", a), frame)
    assert ExpressionPrinter().window_text(window, (s,), (SortKey(b),)) == (
        "sum(a#1) OVER (PARTITION BY s#3 ORDER BY b#2 ASC NULLS FIRST "
        "ROWS BETWEEN (-2) FOLLOWING AND CURRENT ROW)"
    )


def test_a_frame_bound_has_an_offset_exactly_if_it_needs_one() -> None:
    with pytest.raises(ValueError, match="frame bound"):
        FrameBound(BoundKind.OFFSET)
    with pytest.raises(ValueError, match="frame bound"):
        FrameBound(BoundKind.CURRENT_ROW, one)


def test_transform_rebuilds_only_what_changes() -> None:
    expr = call("and", call("=", a, one), call("=", b, one))
    replaced = transform(expr, lambda node: b if node == a else None)
    assert text(replaced) == "((b#2 = 1) AND (b#2 = 1))"
    assert transform(expr, lambda _node: None) is expr
    summed = aggregate("sum", a, where=call("=", b, one), order=(SortKey(s),))
    assert transform(summed, lambda _node: None) is summed
    assert a not in set(walk(transform(summed, lambda node: b if node == a else None)))


_NUMBERS = ("near_value", "near_product", "near_product_error")
_FAR_NUMBERS = ("far_value", "far_product", "far_product_error")
_LIMBS = {
    **{name: (a,) if name.endswith("value") else (a, b) for name in (*_NUMBERS, *_FAR_NUMBERS)},
    "add_limbs": (a, b),
    "limbs_value": (s, *(a,) * 5),
    "comoment": (a, *(s, *(a,) * 5) * 2, s, s, *(a,) * 10),
}


def test_every_function_has_a_text() -> None:
    for name in FUNCTIONS:
        args = (a, s, s) if name not in ("not", "isnull", "isnotnull", "negative") else (a,)
        args = _LIMBS.get(name, args)
        params = ("0", "1") if name == "near_digit" else ("p",)
        made = call(name, *args, params=params) if name != "case" else call(name, *args)
        assert text(made)
