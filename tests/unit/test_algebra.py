"""The operators refuse to be wrong, and equal work has one fingerprint."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.fingerprint import canonical_text, fingerprint
from slackwater.algebra.invariants import check_plan, defined_columns
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    Range,
    RankKind,
    Recompute,
    Scan,
    Sort,
    Union,
    Values,
    Window,
)
from slackwater.algebra.plan_printer import print_plan
from slackwater.algebra.rel import walk_rel
from slackwater.compiler.batch import compile_batch
from slackwater.errors import InvariantError
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, Literal, SortKey, WindowCall
from slackwater.types import BIGINT, BOOLEAN, INTEGER, STRING, ArrayType


def column(number: int, name: str, dtype=INTEGER, nullable: bool = True) -> Column:
    return Column(ColumnId(number), name, dtype, nullable)


A, B = column(1, "a"), column(2, "b", nullable=False)
C, D = column(3, "c"), column(4, "d", STRING)
LEFT, RIGHT = Scan("t", (A, B)), Scan("u", (C, D))
ONE = Literal("1", INTEGER)
TOTAL = aggregate("sum", A.ref())
COUNT = Output(column(5, "n", BIGINT, False), aggregate("count", ONE))


def nullable(rel) -> list[bool]:
    return [each.nullable for each in rel.columns]


def test_a_filter_removes_the_nulls_it_rejects() -> None:
    assert nullable(LEFT) == [True, False]
    assert nullable(Filter(LEFT, call("=", A.ref(), ONE))) == [False, False]
    assert nullable(Filter(LEFT, call("isnull", A.ref()))) == [True, False]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JoinKind.INNER, [True, False, True, True]),
        (JoinKind.LEFT, [True, False, True, True]),
        (JoinKind.RIGHT, [True, True, True, True]),
        (JoinKind.FULL, [True, True, True, True]),
        (JoinKind.SEMI, [True, False]),
        (JoinKind.ANTI, [True, False]),
        (JoinKind.NULL_AWARE_ANTI, [True, False]),
    ],
)
def test_joins_know_where_nulls_come_in(kind: JoinKind, expected: list[bool]) -> None:
    join = Join(kind, LEFT, RIGHT, (JoinKey(A.ref(), C.ref()),))
    assert nullable(join) == expected


def test_a_mark_join_adds_its_mark() -> None:
    mark = column(9, "exists", BOOLEAN, False)
    join = Join(JoinKind.MARK, LEFT, RIGHT, (JoinKey(A.ref(), C.ref()),), mark=mark)
    assert join.columns == (A, B, mark)


def unsound_read() -> Filter:
    return Filter(LEFT, call("=", replace(A, nullable=False).ref(), ONE))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Scan("t", (A, A)), "repeat"),
        (lambda: Filter(LEFT, call("=", C.ref(), ONE)), "not in its input"),
        (lambda: Filter(LEFT, call("+", A.ref(), ONE)), "condition is INT"),
        (lambda: Filter(LEFT, call("=", replace(A, dtype=STRING).ref(), ONE)), "reads a#1 as STR"),
        (unsound_read, "never NULL"),
        (lambda: Project(LEFT, (Output(column(5, "x", STRING), A.ref()),)), "its expression INT"),
        (lambda: Project(LEFT, (Output(column(5, "x", nullable=False), A.ref()),)), "never NULL"),
        (
            lambda: Project(LEFT, (Output(column(5, "x", BIGINT), aggregate("sum", A.ref())),)),
            "row",
        ),
        (lambda: Aggregate(LEFT, (), (Output(A, A.ref()),)), "no aggregate"),
        (lambda: Join(JoinKind.INNER, LEFT, LEFT), "both sides"),
        (lambda: Join(JoinKind.INNER, LEFT, RIGHT, (JoinKey(C.ref(), A.ref()),)), "not in its inp"),
        (lambda: Join(JoinKind.CROSS, LEFT, RIGHT, (JoinKey(A.ref(), C.ref()),)), "condition"),
        (lambda: Join(JoinKind.MARK, LEFT, RIGHT), "mark"),
        (lambda: Union((LEFT, Scan("u", (C,))), (A, B)), "width"),
        (lambda: Union((LEFT, RIGHT), (column(7, "x"), column(8, "y"))), "in a branch STRING"),
        (lambda: Union((LEFT,), (replace(A, nullable=False), B)), "never NULL"),
        (lambda: Union((), ()), "no branch"),
        (lambda: Window(LEFT, (), (), (Output(column(5, "x"), A.ref()),)), "no window call"),
        (lambda: Expand(LEFT, ((A.ref(),),), (column(5, "x"), column(6, "y"))), "width"),
        (lambda: Values((A, B), ((ONE,),)), "number of values"),
        (lambda: Range(A, 0, 1, 1), "BIGINT"),
        (lambda: Range(column(1, "id", BIGINT), 0, 1, 0), "zero"),
        (lambda: Limit(LEFT, -1), "count"),
        (lambda: Limit(LEFT, 1, -1), "offset"),
        (lambda: Sort(LEFT, (SortKey(C.ref()),)), "not in its input"),
        (lambda: GroupLimit(LEFT, (A.ref(),), (), RankKind.RANK, 1), "no order"),
        (lambda: _first_rows(RankKind.RANK, -1), "count"),
        (
            lambda: GroupLimit(LEFT, (C.ref(),), (SortKey(A.ref()),), RankKind.RANK, 1),
            "not in its input",
        ),
        (lambda: Generate(LEFT, call("explode", D.ref()), False, (column(5, "x"),)), "not in"),
        (lambda: LEFT.with_inputs((RIGHT,)), "no inputs"),
        (lambda: LEFT.column(ColumnId(99)), "no column"),
    ],
)
def test_nonsense_does_not_exist(build, message: str) -> None:
    with pytest.raises(InvariantError, match=message):
        build()


def test_a_column_is_defined_once_in_a_plan() -> None:
    again = Project(LEFT, (Output(A, call("+", A.ref(), ONE)),))
    with pytest.raises(InvariantError, match="more than once"):
        check_plan(again)
    check_plan(Project(LEFT, (pass_through(A),)))


def _first_rows(kind: RankKind, count: int) -> GroupLimit:
    return GroupLimit(LEFT, (A.ref(),), (SortKey(B.ref()),), kind, count)


def sample_plan(shift: int = 0, name: str = "a"):
    """A plan with one of nearly every operator; ids and names can be varied."""

    def col(number: int, label: str, dtype=INTEGER, null: bool = True) -> Column:
        return column(number + shift, label, dtype, null)

    key = col(1, "a", null=False)
    scan = Scan("t", (col(1, "a"), col(2, "b")))
    arrays, item = col(3, name, ArrayType(INTEGER), False), col(4, "item")
    listed = Project(
        Filter(scan, call("isnotnull", col(1, "a").ref())),
        (pass_through(key), Output(arrays, call("array", key.ref(), key.ref()))),
    )
    generated = Generate(listed, call("explode", arrays.ref()), True, (item,))
    place = Output(col(5, "place", INTEGER, False), WindowCall(call("row_number"), None))
    ranked = Window(generated, (item.ref(),), (SortKey(key.ref()),), (place,))
    total = col(6, "s", BIGINT)
    sums = (Output(total, aggregate("sum", item.ref())),)
    grouped = Aggregate(ranked, (pass_through(key),), sums)
    other = Scan("u", (col(7, "c"), col(8, "d", STRING)))
    joined = Join(JoinKind.LEFT, grouped, other, (JoinKey(key.ref(), col(7, "c").ref()),))
    return Limit(Sort(Distinct(joined), (SortKey(total.ref(), False),)), 5, 1)


def test_fingerprints_leave_out_ids_and_names() -> None:
    one, same = sample_plan(), sample_plan(shift=100, name="other")
    assert one != same
    assert print_plan(one) != print_plan(same)
    assert canonical_text(one) == canonical_text(same)
    assert fingerprint(one) == fingerprint(same)


def test_fingerprints_tell_different_work_apart() -> None:
    plans = [
        LEFT,
        Scan("t2", (A, B)),
        Filter(LEFT, call("=", A.ref(), ONE)),
        Filter(LEFT, call("=", B.ref(), ONE)),
        Limit(LEFT, 1),
        Limit(LEFT, 2),
        *(_first_rows(kind, 1) for kind in RankKind),
        _first_rows(RankKind.RANK, 2),
        Distinct(LEFT),
        Join(JoinKind.LEFT, LEFT, RIGHT, (JoinKey(A.ref(), C.ref()),)),
        Join(JoinKind.FULL, LEFT, RIGHT, (JoinKey(A.ref(), C.ref()),)),
        Join(JoinKind.LEFT, LEFT, RIGHT, (JoinKey(A.ref(), C.ref(), null_safe=True),)),
        Values((A,), ((ONE,),)),
        Values((A,), ((Literal("2", INTEGER),),)),
        Recompute("fragment_1", "why", ("t",), (A,)),
        Recompute("fragment_2", "why", ("t",), (A,)),
        sample_plan(),
    ]
    assert len({fingerprint(plan) for plan in plans}) == len(plans)


def test_inputs_can_be_replaced() -> None:
    plan = sample_plan()
    for each in walk_rel(plan):
        assert each.with_inputs(each.inputs) == each
    assert [c.id for c in defined_columns(plan)] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_relations_without_columns_keep_their_rows_in_sql() -> None:
    nothing = Project(LEFT, ())
    counted = Aggregate(
        nothing, (), (Output(column(5, "n", BIGINT, False), aggregate("count", ONE)),)
    )
    sql = compile_batch(counted, ("n",)).sql
    assert sql == "SELECT count(1) AS `n` FROM `t`"
    three = compile_batch(Values((), ((), (), ())), ()).sql
    assert "SELECT TRUE AS no_columns FROM range(3)" in three
    assert "WHERE FALSE" in compile_batch(Values((A,), ()), ("a",)).sql
    assert "count(1) AS no_columns" in compile_batch(Aggregate(LEFT, (), ()), ()).sql


def test_a_constant_of_one_group_has_its_row_over_nothing() -> None:
    one = Output(column(6, "one", nullable=False), ONE)
    sql = compile_batch(Project(Aggregate(LEFT, (), ()), (one,)), ("one",)).sql
    assert sql == "SELECT 1 AS `one` FROM (SELECT count(1) AS no_columns FROM `t`)"


def test_a_constant_key_is_not_taken_for_a_position() -> None:
    grouped = Aggregate(LEFT, (Output(column(5, "k", nullable=False), ONE),), ())
    assert "GROUP BY coalesce(1)" in compile_batch(grouped, ("k",)).sql


def test_statements_say_which_fragments_they_read() -> None:
    leaf = Recompute("fragment_1", "why", ("t",), (A, B))
    statement = compile_batch(leaf, ("x", "y"))
    assert [(use.name, use.width) for use in statement.fragments] == [("fragment_1", 2)]
    assert statement.sql == "SELECT p0 AS `x`, p1 AS `y` FROM `fragment_1`"
