"""Statements over frames give in DuckDB the rows they mean, with the errors they must have."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pyarrow as pa
import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    Range,
    Recompute,
    Sort,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.direct import Direct, HashedColumns
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.pruning import prune
from slackwater.compiler.spark_sql import print_spark
from slackwater.executors.driver.direct import stream_direct
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    Cast,
    ColumnId,
    Expr,
    FieldAccess,
    Frame,
    FrameBound,
    FrameUnit,
    Lambda,
    LambdaVariable,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.plan.statements import Statement
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TINYINT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    StructType,
)

from .duckdb_rows import (
    FEW_VALUES,
    Row,
    Table,
    bigint,
    integer,
    named,
    project,
    rows_of,
    run,
    string,
)

_MOST = 2**31 - 1
_WIDE = DecimalType(38, 6)
T = Table("t", a=INTEGER, b=BOOLEAN)
L = Table("l", 11, k0=INTEGER, k1=STRING)
R = Table("r", 21, k0=INTEGER, k1=STRING)
_MATCH = StructType((Field("s0", STRING), Field("_m", BIGINT)))
M = Table("m", 31, k0=INTEGER, _w=BIGINT, matches=ArrayType(_MATCH))
W = Table("w", 41, v=_WIDE)


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


def _output(number: int, expr: Expr) -> Output:
    return Output(Column(ColumnId(number), f"x{number}", expr.dtype), expr)


def _column(number: int, dtype: DataType = INTEGER) -> Column:
    return Column(ColumnId(number), f"x{number}", dtype)


_ONE = integer(1)
_GROWN = call("+", T["a"], _ONE)


# Errors that Spark raises are not lost.

_CONDITIONS = [
    call(">", _GROWN, integer(5)),
    call("<", integer(5), _GROWN),
    call("<=>", _GROWN, integer(5)),
    call("=", call("*", T["a"], integer(2)), integer(3)),
    call("=", Cast(T["a"], TINYINT), Literal("5", TINYINT)),
    call("in", Cast(T["a"], TINYINT), Literal("5", TINYINT)),
    call(">", Cast(T["a"], DecimalType(9, 0)), Literal("5", DecimalType(9, 0))),
    call(">", Cast(_GROWN, BIGINT), bigint(5)),
    call("and", call(">=", _GROWN, integer(0)), call("<=", _GROWN, integer(5))),
    call("and", call(">", _GROWN, integer(5)), T["b"]),
    call("and", call(">", _GROWN, integer(5)), call("<", T["a"], integer(0))),
    call("or", call(">", _GROWN, integer(5)), T["b"]),
    call("not", call("or", T["b"], call(">", _GROWN, integer(5)))),
]


@pytest.mark.parametrize("condition", _CONDITIONS)
def test_a_comparison_does_not_hide_an_overflow(engine: LocalEngine, condition: Expr) -> None:
    for rel in (project(T.scan, condition), Filter(T.scan, condition)):
        with pytest.raises(NotLocalError, match="fails here"):
            run(engine, rel, {"t": T.of((1, True), (_MOST, False))})
        run(engine, rel, {"t": T.of((1, True), (4, False))})


def _failing_sources() -> list[Project | Union]:
    computed = project(T.scan, _GROWN, T["b"], first=51)
    again = project(computed, *(column.ref() for column in computed.columns), first=61)
    renamed = Project(
        Filter(again, call("isnotnull", again.columns[1].ref())),
        (_output(71, again.columns[0].ref()), _output(72, again.columns[1].ref())),
    )
    plain = Project(Filter(T.scan, T["b"]), (_output(81, T["a"]), _output(82, T["b"])))
    union = Union((plain, computed), (_column(91), _column(92, BOOLEAN)))
    return [computed, again, renamed, union]


@pytest.mark.parametrize("source", _failing_sources())
def test_what_a_subquery_computes_fails_before_the_next_condition(
    engine: LocalEngine, source: Rel
) -> None:
    value, flag = (column.ref() for column in source.columns)
    rows = {"t": T.of((1, True), (_MOST, False))}
    above = call(">", value, integer(3))
    with pytest.raises(NotLocalError, match="fails here"):
        run(engine, project(Filter(source, call("and", above, flag)), flag), rows)
    assert run(engine, project(Filter(source, call("and", flag, above)), flag), rows) == []


def test_a_part_that_others_read_fails_before_the_next_condition(engine: LocalEngine) -> None:
    part = Statement(project(T.scan, _GROWN, T["b"]), ("k0", "k1"))
    read = Table("p", k0=INTEGER, k1=BOOLEAN)
    kept = Filter(read.scan, call("and", call(">", read["k0"], integer(3)), read["k1"]))
    with pytest.raises(NotLocalError, match="fails here"):
        run(engine, project(kept, read["k1"]), {"t": T.of((_MOST, False))}, (("p", part),))


def test_a_condition_is_looked_at_from_left_to_right(engine: LocalEngine) -> None:
    rel = Filter(T.scan, call("and", T["b"], call(">", _GROWN, integer(5))))
    assert run(engine, rel, {"t": T.of((7, True), (_MOST, False))}) == [(7, True)]


def _summed(*aggregates: Expr) -> Aggregate:
    return Aggregate(T.scan, (), tuple(_output(51 + n, each) for n, each in enumerate(aggregates)))


def test_an_aggregate_does_not_hide_an_overflow(engine: LocalEngine) -> None:
    large = call("*", Cast(T["a"], BIGINT), bigint(2**32))
    total = _summed(aggregate("sum", large))
    not_zero = call("not", call("=", total.columns[0].ref(), bigint(0)))
    rows = {"t": T.of((_MOST, True), (_MOST, True))}
    for rel in (
        _summed(aggregate("sum", _GROWN)),
        _summed(aggregate("count", _GROWN)),
        project(Filter(total, not_zero), _ONE),
    ):
        with pytest.raises(NotLocalError, match="fails here"):
            run(engine, rel, rows)


_ABOVE = call(">", W["v"], Literal("0", _WIDE))
_GROUPS = Aggregate(W.scan, (_output(51, W["v"]),), (_output(52, aggregate("sum", W["v"])),))
_SUMMED_ABOVE = call(">", _GROUPS.columns[1].ref(), Literal("0", _WIDE))


@pytest.mark.parametrize(
    "rel",
    [
        Aggregate(W.scan, (), (_output(51, aggregate("sum", W["v"])),)),
        Aggregate(W.scan, (), (_output(51, aggregate("sum", W["v"], where=_ABOVE)),)),
        Aggregate(W.scan, (), (_output(51, aggregate("avg", W["v"])),)),
        Window(W.scan, (W["v"],), (), (_output(51, WindowCall(aggregate("sum", W["v"]), None)),)),
        project(Filter(_GROUPS, _SUMMED_ABOVE), _GROUPS.columns[0].ref()),
        project(W.scan, call("+", W["v"], W["v"])),
        project(W.scan, call("-", call("-", Literal("-1", _WIDE), W["v"]), W["v"])),
    ],
)
def test_more_than_38_digits_are_left_to_spark(engine: LocalEngine, rel: Rel) -> None:
    with pytest.raises(NotLocalError):
        run(engine, rel, {"w": W.of((Decimal("6e31"),), (Decimal("6e31"),))})


# Aggregates.


def _grouped(*aggregates: Expr, keys: tuple[Expr, ...] = ()) -> Aggregate:
    return Aggregate(
        L.scan,
        tuple(_output(51 + n, key) for n, key in enumerate(keys)),
        tuple(_output(61 + n, each) for n, each in enumerate(aggregates)),
    )


_LEFT = L.of((1, "a"), (1, None), (2, "b"), (None, "b"))


def test_aggregates(engine: LocalEngine) -> None:
    number, word = L["k0"], L["k1"]
    found = run(
        engine,
        _grouped(
            aggregate("count", _ONE),
            aggregate("count", word),
            aggregate("count", word, distinct=True),
            aggregate("sum", number),
            aggregate("min", word),
            aggregate("max", number),
            aggregate("sum", number, where=call("isnull", word)),
            aggregate("first", call("coalesce", Literal(None, STRING), string("x"))),
        ),
        {"l": _LEFT},
    )
    assert found == [(4, 3, 2, 4, "a", 2, 1, "x")]


def test_first_passes_over_nulls_only_if_it_says_so(engine: LocalEngine) -> None:
    one = L["k0"]
    both = _grouped(aggregate("first", one), aggregate("first", one, params=("TRUE",)))
    (found,) = run(engine, both, {"l": L.of((None, "a"), (5, "b"))})
    assert found[1] == 5
    assert run(engine, both, {"l": L.of((None, "a"))}) == [(None, None)]


def test_first_keeps_a_null_and_takes_any_type(engine: LocalEngine) -> None:
    first = Aggregate(
        M.scan,
        (_output(51, M["k0"]),),
        (_output(52, aggregate("first", M["_w"])), _output(53, aggregate("first", M["matches"]))),
    )
    found = run(engine, first, {"m": M.of((1, None, [{"s0": "x", "_m": 2}]))})
    assert found == [(1, None, [{"s0": "x", "_m": 2}])]


def test_sums_and_averages_of_decimals(engine: LocalEngine) -> None:
    table = Table("t", g=INTEGER, d=DecimalType(12, 2))
    totals = Aggregate(
        table.scan,
        (_output(51, table["g"]),),
        (_output(52, aggregate("sum", table["d"])), _output(53, aggregate("avg", table["d"]))),
    )
    assert [column.dtype for column in totals.columns[1:]] == [
        DecimalType(22, 2),
        DecimalType(16, 6),
    ]
    rows = table.of((1, Decimal("0.01")), (1, Decimal("0.02")), (1, None), (2, None))
    assert run(engine, totals, {"t": rows}) == [
        (1, Decimal("0.03"), Decimal("0.015000")),
        (2, None, None),
    ]
    most = [(Decimal("6e31"),), (Decimal("3e31"),), (None,)]
    total = Aggregate(W.scan, (), (_output(51, aggregate("sum", W["v"])),))
    assert run(engine, total, {"w": W.of(*most)}) == [(Decimal("9e31"),)]
    assert run(engine, total, {"w": W.of()}) == [(None,)]
    assert run(engine, total, {"w": W.of((None,))}) == [(None,)]


def test_groups_are_made_of_values_that_both_engines_equate() -> None:
    floats = Table("f", 61, values=ArrayType(DOUBLE))
    for rel in (
        Aggregate(floats.scan, (_output(51, floats["values"]),), ()),
        Distinct(Project(floats.scan, (_output(51, floats["values"]),))),
    ):
        counted = Aggregate(rel, (), (_output(91, aggregate("count", _ONE)),))
        with pytest.raises(NotLocalError, match="grouping"):
            print_duckdb(named(counted))


def test_constant_keys(engine: LocalEngine) -> None:
    keys = (_ONE, string("x"), Literal("true", BOOLEAN), Literal("2020-01-01", DATE))
    found = run(engine, _grouped(aggregate("count", _ONE), keys=keys), {"l": _LEFT})
    assert [row[:3] + row[4:] for row in found] == [(1, "x", True, 4)]


def test_consolidate(engine: LocalEngine) -> None:
    """Rows of equal values and hash are one row with the sum of their weights."""
    table = Table("t", _h=BIGINT, k0=INTEGER, k1=STRING, _w=BIGINT)
    weight = _output(64, aggregate("sum", table["_w"]))
    summed = Aggregate(
        table.scan,
        tuple(_output(61 + n, table[each]) for n, each in enumerate(("k0", "k1"))),
        (_output(63, aggregate("first", table["_h"])), weight),
    )
    kept = Filter(summed, call("not", call("=", weight.column.ref(), bigint(0))))
    rows = table.of((7, 1, None, 1), (7, 1, None, 1), (8, 2, "x", 1), (8, 2, "x", -1))
    statement = print_duckdb(named(kept))
    assert "HAVING" in statement.sql
    assert rows_of(engine, statement, {"t": rows}) == [(1, None, 7, 2)]


def test_a_condition_on_keys_and_aggregates(engine: LocalEngine) -> None:
    counted = _grouped(aggregate("count", _ONE), keys=(L["k0"],))
    key, count = (column.ref() for column in counted.columns)
    several = Filter(counted, call("and", call("isnotnull", key), call(">", count, bigint(1))))
    assert run(engine, several, {"l": _LEFT}) == [(1, 2)]


def test_an_aggregate_makes_a_row_of_nothing(engine: LocalEngine) -> None:
    counted = _grouped(aggregate("count", _ONE))
    none = Filter(counted, call("=", counted.columns[0].ref(), bigint(0)))
    assert run(engine, project(none, string("none")), {"l": L.of()}) == [("none",)]
    assert print_duckdb(named(none)).makes_rows
    assert not print_duckdb(named(L.scan)).makes_rows


# Joins.

_RIGHT = R.of((1, "x"), (1, "y"), (3, None), (None, "z"))
_KEY = JoinKey(L["k0"], R["k0"])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JoinKind.INNER, 4),
        (JoinKind.LEFT, 6),
        (JoinKind.RIGHT, 6),
        (JoinKind.FULL, 8),
        (JoinKind.SEMI, 2),
        (JoinKind.ANTI, 2),
    ],
)
def test_joins(engine: LocalEngine, kind: JoinKind, expected: int) -> None:
    tables = {"l": _LEFT, "r": _RIGHT}
    assert len(run(engine, Join(kind, L.scan, R.scan, (_KEY,)), tables)) == expected


def test_joins_that_match_null_or_have_other_conditions(engine: LocalEngine) -> None:
    tables = {"l": _LEFT, "r": _RIGHT}
    null_safe = Join(JoinKind.SEMI, L.scan, R.scan, (JoinKey(L["k0"], R["k0"], True),))
    assert len(run(engine, null_safe, tables)) == 3
    smaller = call("<", L["k1"], R["k1"])
    inner = Join(JoinKind.INNER, L.scan, R.scan, (_KEY,), smaller)
    assert run(engine, inner, tables) == [(1, "a", 1, "x"), (1, "a", 1, "y")]
    left = Join(JoinKind.LEFT, L.scan, R.scan, (), smaller)
    assert len(run(engine, left, tables)) == 10
    cross = Join(JoinKind.CROSS, L.scan, R.scan)
    assert len(run(engine, Filter(cross, call("=", L["k0"], R["k0"])), tables)) == 4
    grown = Join(JoinKind.SEMI, L.scan, project(R.scan, call("+", R["k0"], _ONE)))
    key = JoinKey(L["k0"], grown.right.columns[0].ref())
    assert len(run(engine, Join(grown.kind, L.scan, grown.right, (key,)), tables)) == 1


def test_not_in(engine: LocalEngine) -> None:
    rel = Join(JoinKind.NULL_AWARE_ANTI, L.scan, R.scan, (_KEY,))
    assert run(engine, rel, {"l": _LEFT, "r": _RIGHT}) == []
    assert run(engine, rel, {"l": _LEFT, "r": R.of((1, "x"))}) == [(2, "b")]
    assert len(run(engine, rel, {"l": _LEFT, "r": R.of()})) == 4


# Rows made of rows.


def test_explode_gives_the_structs_of_an_array(engine: LocalEngine) -> None:
    made = _column(51, _MATCH)
    rel = Generate(M.scan, call("explode", M["matches"]), False, (made,))
    name, weight = (
        FieldAccess(made.ref(), field.name, field.dtype, True) for field in _MATCH.fields
    )
    product = call("*", M["_w"], weight)
    rows = M.of(
        (1, 2, [{"s0": "x", "_m": 3}, {"s0": None, "_m": -1}]),
        (2, 1, []),
        (3, 1, None),
        (4, 1, [None]),
    )
    assert run(engine, project(rel, M["k0"], name, product), {"m": rows}) == [
        (1, "x", 6),
        (1, None, -2),
        (4, None, None),
    ]
    kept = Filter(rel, call("isnotnull", name))
    assert run(engine, project(kept, M["k0"]), {"m": rows}) == [(1,)]
    assert run(engine, project(rel, M["k0"]), {"m": rows}) == [(1,), (1,), (4,)]


def test_explode_of_a_filtered_array_behind_a_condition(engine: LocalEngine) -> None:
    element = LambdaVariable("m", _MATCH, True)
    weight = FieldAccess(element, "_m", BIGINT, True)
    some = call("filter", M["matches"], Lambda((element,), call(">", weight, bigint(0))))
    below = Filter(M.scan, call(">", M["k0"], _ONE))
    made = _column(51, _MATCH)
    rel = project(Generate(below, call("explode", some), False, (made,)), M["k0"], made.ref())
    match = {"s0": "x", "_m": 3}
    rows = M.of((1, 1, [match]), (2, 1, [match, {"s0": "y", "_m": 0}]))
    assert run(engine, rel, {"m": rows}) == [(2, match)]


def test_a_sequence_counts_down_to_a_smaller_number(engine: LocalEngine) -> None:
    table = Table("t", i=INTEGER, k=BIGINT)
    made = _column(51, BIGINT)
    numbers = call("explode", call("sequence", bigint(1), table["k"]))
    rel = project(Generate(table.scan, numbers, False, (made,)), table["i"], made.ref())
    rows = [(1, 1), (1, 0), (2, 1), (2, 0), (2, -1), (3, 1), (3, 2)]
    found = run(engine, rel, {"t": table.of((1, 0), (2, -1), (3, 2), (4, None))})
    assert found == sorted(rows, key=repr)
    outer = project(Generate(table.scan, numbers, True, (made,)), table["i"], made.ref())
    kept = run(engine, outer, {"t": table.of((1, 0), (4, None))})
    assert kept == [(1, 0), (1, 1), (4, None)]


@pytest.mark.parametrize(
    ("number", "names", "expected"),
    [
        (3, "ab", [(1, 1), (1, 2), (1, None)]),
        (2, "aba", [(1, 1, 2), (1, 1, None)]),
        (1, "aba", [(1, 1, 2, 1)]),
    ],
)
def test_a_stack_has_as_many_rows_as_it_says(
    engine: LocalEngine, number: int, names: str, expected: list[Row]
) -> None:
    table = Table("t", a=INTEGER, b=INTEGER)
    made = tuple(_column(51 + n) for n in range(len(expected[0]) - 1))
    values = (table[name] for name in names)
    stack = Generate(table.scan, call("stack", integer(number), *values), False, made)
    rel = project(stack, table["a"], *(column.ref() for column in made))
    assert run(engine, rel, {"t": table.of((1, 2))}) == expected


def test_expand(engine: LocalEngine) -> None:
    value, group = _column(51, STRING), _column(52)
    rel = Expand(
        L.scan,
        ((L["k0"], L["k1"], _ONE), (L["k0"], Literal(None, STRING), integer(2))),
        (L.columns["k0"], value, group),
    )
    rows = {"l": L.of((1, "a"), (2, None))}
    assert run(engine, rel, rows) == [(1, "a", 1), (1, None, 2), (2, None, 1), (2, None, 2)]
    second = Filter(rel, call("=", group.ref(), integer(2)))
    assert run(engine, second, rows) == [(1, None, 2), (2, None, 2)]
    assert run(engine, project(rel, L["k0"]), rows) == [(1,), (1,), (2,), (2,)]


def test_unions(engine: LocalEngine) -> None:
    one = project(L.scan, L["k1"], L["k0"], first=51)
    other = Project(R.scan, (_output(61, R["k1"]), _output(62, R["k0"])))
    union = Union((one, other), (_column(71, STRING), _column(72)))
    rows = {"l": L.of((1, "a")), "r": R.of((2, None))}
    assert run(engine, union, rows) == [("a", 1), (None, 2)]
    assert run(engine, project(union, union.columns[1].ref()), rows) == [(1,), (2,)]
    assert run(engine, Distinct(union), rows) == [("a", 1), (None, 2)]


def test_a_column_of_different_rows_keeps_its_rows(engine: LocalEngine) -> None:
    rel = project(Distinct(L.scan), L["k0"])
    rows = {"l": L.of((1, "a"), (1, "b"), (1, "b"))}
    assert run(engine, rel, rows) == [(1,), (1,)]
    assert (
        print_spark(named(rel))
        == "SELECT c11 AS k0 FROM (SELECT DISTINCT k0 AS c11, k1 AS c12 FROM `l`)"
    )


def test_rows_count_also_where_no_column_is_read(engine: LocalEngine) -> None:
    union = Union((L.scan, R.scan), (_column(71), _column(72, STRING)))
    cross = Join(JoinKind.CROSS, L.scan, project(R.scan, R["k0"]))
    rows = {"l": _LEFT, "r": _RIGHT}
    for rel, expected in ((union, 8), (cross, 16), (_grouped(aggregate("count", L["k0"])), 1)):
        counted = Aggregate(rel, (), (_output(91, aggregate("count", _ONE)),))
        assert run(engine, counted, rows) == [(expected,)]


def test_constant_rows_and_ranges(engine: LocalEngine) -> None:
    columns = (_column(1), _column(2, STRING))
    rows = ((_ONE, string("a")), (Literal(None, INTEGER), Literal(None, STRING)))
    assert run(engine, Values(columns, rows), {}) == [(1, "a"), (None, None)]
    assert run(engine, Values(columns, ()), {}) == []
    assert run(engine, Range(_column(1, BIGINT), 5, 0, -2), {}) == [(1,), (3,), (5,)]


# Windows.

_UP_TO_HERE = Frame(
    FrameUnit.RANGE, FrameBound(BoundKind.UNBOUNDED_PRECEDING), FrameBound(BoundKind.CURRENT_ROW)
)


def test_windows(engine: LocalEngine) -> None:
    functions = (
        WindowCall(call("rank"), None),
        WindowCall(call("dense_rank"), None),
        WindowCall(aggregate("sum", L["k0"]), _UP_TO_HERE),
    )
    rel = Window(
        L.scan,
        (),
        (SortKey(L["k0"], ascending=False, nulls_first=False),),
        tuple(_output(51 + n, each) for n, each in enumerate(functions)),
    )
    assert run(engine, rel, {"l": _LEFT}) == [
        (1, "a", 2, 2, 4),
        (1, None, 2, 2, 4),
        (2, "b", 1, 1, 2),
        (None, "b", 4, 3, 4),
    ]
    last = Filter(rel, call("=", rel.columns[2].ref(), _ONE))
    assert run(engine, project(last, L["k1"]), {"l": _LEFT}) == [("b",)]


# Orders, limits, and subqueries of one value.


def _first_rows(count: int | None, offset: int = 0) -> Limit:
    order = (SortKey(L["k0"], ascending=False, nulls_first=False), SortKey(L["k1"]))
    return Limit(Sort(L.scan, order), count, offset)


def test_a_limit_takes_the_first_rows_of_an_order(engine: LocalEngine) -> None:
    tables = {"l": _LEFT}
    assert run(engine, _first_rows(2), tables) == [(1, None), (2, "b")]
    assert run(engine, _first_rows(1, 1), tables) == [(1, None)]
    assert run(engine, _first_rows(None, 3), tables) == [(None, "b")]
    assert run(engine, _first_rows(0), tables) == []
    renamed = project(Filter(_first_rows(3), call("isnotnull", L["k1"])), L["k1"])
    assert run(engine, renamed, tables) == [("a",), ("b",)]


def test_texts_are_ordered_by_their_bytes(engine: LocalEngine) -> None:
    texts = ["\uffff", "\U0001f989", "a\x00b", "a", "Z", "é", ""]
    ordered = sorted(texts, key=str.encode)
    for count in range(1, len(texts) + 1):
        first = Limit(Sort(L.scan, (SortKey(L["k1"]),)), count)
        found = run(engine, project(first, L["k1"]), {"l": L.of(*((1, text) for text in texts))})
        assert {row[0] for row in found} == set(ordered[:count])


def test_a_mark_says_whether_a_row_has_a_match(engine: LocalEngine) -> None:
    marked = Join(JoinKind.MARK, L.scan, R.scan, (_KEY,), mark=_column(51, BOOLEAN))
    assert run(engine, marked, {"l": _LEFT, "r": _RIGHT}) == [
        (1, "a", True),
        (1, None, True),
        (2, "b", False),
        (None, "b", False),
    ]
    smaller = call("<", L["k1"], R["k1"])
    other = Join(JoinKind.MARK, L.scan, R.scan, (), smaller, mark=_column(51, BOOLEAN))
    found = run(engine, project(other, other.columns[-1].ref()), {"l": _LEFT, "r": R.of((1, "b"))})
    assert found == [(False,), (False,), (False,), (True,)]


def test_a_second_match_is_an_error_where_there_may_be_one_only(engine: LocalEngine) -> None:
    single = Join(JoinKind.SINGLE, L.scan, R.scan, (_KEY,))
    one = R.of((1, "x"), (3, None), (3, "y"), (None, "z"))
    found = run(engine, project(single, L["k1"], R["k0"], R["k1"]), {"l": _LEFT, "r": one})
    assert found == [("a", 1, "x"), ("b", None, None), ("b", None, None), (None, 1, "x")]
    with pytest.raises(NotLocalError, match="more than one row"):
        run(engine, single, {"l": _LEFT, "r": _RIGHT})


def test_a_second_row_is_an_error_where_there_may_be_one_only(engine: LocalEngine) -> None:
    one = Aggregate(
        Filter(L.scan, call("=", L["k0"], _ONE)),
        (),
        (_output(51, aggregate("single_value", L["k1"])),),
    )
    beside = project(Join(JoinKind.CROSS, R.scan, one), R["k1"], one.columns[0].ref())
    some = R.of((1, "x"))
    assert run(engine, beside, {"l": L.of((1, "a"), (2, "b")), "r": some}) == [("x", "a")]
    assert run(engine, beside, {"l": L.of((2, "b")), "r": some}) == [("x", None)]
    with pytest.raises(NotLocalError, match="more than one row"):
        run(engine, beside, {"l": _LEFT, "r": some})


_ARRAYS = M.of((1, 5, [{"s0": "x", "_m": 2}, None]), (2, 6, []), (3, 7, None))


@pytest.mark.parametrize(
    ("function", "made", "rows"),
    [
        ("explode", (_column(51, _MATCH),), [({"s0": "x", "_m": 2},), (None,)]),
        (
            "posexplode",
            (_column(51), _column(52, _MATCH)),
            [(0, {"s0": "x", "_m": 2}), (1, None)],
        ),
        ("inline", (_column(51, STRING), _column(52, BIGINT)), [("x", 2), (None, None)]),
    ],
)
def test_generators_of_arrays(
    engine: LocalEngine, function: str, made: tuple[Column, ...], rows: list[Row]
) -> None:
    for outer in (False, True):
        generate = Generate(M.scan, call(function, M["matches"]), outer, made)
        rel = project(generate, M["k0"], *(column.ref() for column in made))
        expected = [(1, *row) for row in rows]
        if outer:
            expected += [(key, *[None] * len(made)) for key in (2, 3)]
        assert run(engine, rel, {"m": _ARRAYS}) == sorted(expected, key=repr)


# What an engine is told.


@pytest.mark.parametrize(
    "rel",
    [
        Sort(M.scan, (SortKey(M["matches"]),)),
        Recompute("part", "unknown", (), (_column(51),)),
        project(L.scan, Literal(None, VOID)),
        Generate(L.scan, call("inline", L["k1"]), False, (_column(51),)),
        Generate(L.scan, call("explode", L["k1"]), False, (_column(51),)),
    ],
)
def test_what_only_spark_does_is_left_to_it(rel: Rel) -> None:
    with pytest.raises(NotLocalError):
        print_duckdb(named(rel))


def test_only_needed_columns_are_read(engine: LocalEngine) -> None:
    computed = project(L.scan, call("+", L["k0"], _ONE), L["k1"], first=51)
    kept = Filter(computed, call(">", computed.columns[0].ref(), _ONE))
    rel = project(kept, kept.columns[0].ref())
    statement = print_duckdb(prune(named(rel), named(rel).names))
    assert statement.reads == {"l": frozenset({"k0"})} == named(rel).needs
    assert rows_of(engine, statement, {"l": pa.table({"k0": pa.array([1], pa.int32())})}) == [(2,)]
    counted = Aggregate(L.scan, (), (_output(61, aggregate("count", _ONE)),))
    assert print_duckdb(prune(named(counted), named(counted).names)).reads == {"l": frozenset()}
    assert run(engine, counted, {"l": _LEFT}) == [(4,)]


def test_parts_are_read_by_name(engine: LocalEngine) -> None:
    first = Statement(project(L.scan, call("+", L["k0"], _ONE), L["k1"]), ("k0", "k1"))
    one = Table("p1", k0=INTEGER, k1=STRING)
    second = Statement(Filter(one.scan, call(">", one["k0"], _ONE)), ("k0", "k1"))
    other = Table("p2", 11, k0=INTEGER, k1=STRING)
    total = Aggregate(other.scan, (), (_output(51, aggregate("sum", other["k0"])),))
    parts = (("p1", first), ("p2", second))
    statement = print_duckdb(named(total), parts)
    assert statement.reads == {"l": frozenset({"k0", "k1"})}
    assert statement.makes_rows
    assert statement.direct is None
    assert rows_of(engine, statement, {"l": _LEFT}) == [(7,)]


def test_texts_are_decoded_only_where_their_characters_count() -> None:
    for function, decodes in (("length", True), ("isnull", False)):
        statement = print_duckdb(named(project(L.scan, call(function, L["k1"]))))
        assert statement.decodes == decodes
        part = (("l", named(project(R.scan, R["k0"], call("coalesce", R["k1"], R["k1"])))),)
        assert (
            print_duckdb(named(project(L.scan, call(function, L["k1"]))), part).decodes == decodes
        )


def test_columns_and_hashes_need_no_engine(engine: LocalEngine) -> None:
    rel = project(L.scan, L["k1"], call("xxhash64", L["k0"], L["k1"]), bigint(-1))
    statement = print_duckdb(Statement(rel, ("k0", "_h", "_w")))
    hashed = HashedColumns((("k0", INTEGER), ("k1", STRING)))
    assert statement.direct == Direct("l", (("k0", "k1"), ("_h", hashed), ("_w", -1)))
    batches = stream_direct(statement.direct, _LEFT)
    found = sorted((tuple(row.values()) for each in batches for row in each.to_pylist()), key=repr)
    assert found == rows_of(engine, statement, {"l": _LEFT})
    for other in (
        project(L.scan, call("+", L["k0"], _ONE)),
        project(L.scan, Literal("true", BOOLEAN)),
        Filter(L.scan, call("isnull", L["k0"])),
        Join(JoinKind.SEMI, L.scan, R.scan, (_KEY,)),
    ):
        assert print_duckdb(named(other)).direct is None


def test_a_name_given_to_a_column_is_not_taken_for_another(engine: LocalEngine) -> None:
    swapped = project(Filter(L.scan, call("=", L["k0"], _ONE)), L["k1"], L["k0"])
    statement = print_duckdb(Statement(swapped, ("k0", "k1")))
    rows: list[Row] = [("a", 1), (None, 1)]
    assert rows_of(engine, statement, {"l": _LEFT}) == rows
