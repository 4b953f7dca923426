"""What a statement says of itself: columns, needs, how it may be divided, whether it may fail."""

from __future__ import annotations

import pytest

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    GroupLimit,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    RankKind,
    Scan,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.pruning import prune
from slackwater.errors import InvariantError
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, ColumnId, SortKey
from slackwater.plan.frames import Fresh
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT, INTEGER, STRING

A, B, C, D = (Column(ColumnId(n), f"k{n - 1}", BIGINT) for n in range(1, 5))
LEFT = Scan("left", (A, B))
RIGHT = Scan("right", (C, D))


def _statement(rel: Rel) -> Statement:
    return Statement(rel, tuple(f"k{n}" for n in range(len(rel.columns))))


def _sum(rel: Rel, *keys: Column) -> Aggregate:
    totals = Fresh(rel).outputs((aggregate("sum", rel.columns[-1].ref()),))
    return Aggregate(rel, tuple(map(pass_through, keys)), totals)


def _joined(kind: JoinKind = JoinKind.INNER) -> Join:
    return Join(kind, LEFT, RIGHT, (JoinKey(B.ref(), C.ref()),))


def test_names_are_those_of_all_columns() -> None:
    with pytest.raises(InvariantError, match="2 columns"):
        Statement(LEFT, ("k0",))
    with pytest.raises(InvariantError, match="are called"):
        Statement(LEFT, ("k0", "k0"))


def test_a_relation_without_columns_has_a_column_that_counts_its_rows() -> None:
    assert [field.name for field in Statement(Project(LEFT, ()), ()).fields] == ["no_columns"]


def test_needs_are_the_columns_that_the_result_follows_from() -> None:
    assert _statement(_sum(LEFT, A)).needs == {"left": {"k0", "k1"}}
    only = Project(Filter(LEFT, call(">", B.ref(), number(1))), (pass_through(A),))
    assert _statement(only).needs == {"left": {"k0", "k1"}}
    assert _statement(Project(_joined(), (pass_through(A),))).needs == {
        "left": {"k0", "k1"},
        "right": {"k2"},
    }
    both = Union((LEFT, RIGHT), (A, B))
    assert _statement(Project(both, (pass_through(B),))).needs == {"left": {"k1"}, "right": {"k3"}}
    assert _statement(Project(Distinct(LEFT), (pass_through(A),))).needs == {"left": {"k0", "k1"}}


def test_pruning_leaves_what_is_needed() -> None:
    wide = Project(_joined(), tuple(map(pass_through, (A, B, C, D))))
    narrow = prune(Statement(wide, ("a", "b", "c", "d")), ("a",))
    assert narrow.names == ("a",)
    assert narrow.needs == {"left": {"k0", "k1"}, "right": {"k2"}}
    assert {each.name for scan in _scans(narrow.rel) for each in scan.columns} == {
        "k0",
        "k1",
        "k2",
    }


def _scans(rel: Rel) -> list[Scan]:
    found = [rel] if isinstance(rel, Scan) else []
    return found + [scan for each in rel.inputs for scan in _scans(each)]


@pytest.mark.parametrize(
    ("rel", "keys"),
    [
        pytest.param(Filter(LEFT, call(">", A.ref(), number(0))), {}, id="row-wise"),
        pytest.param(Union((LEFT, RIGHT), (A, B)), {}, id="a union is row-wise"),
        pytest.param(_sum(LEFT, A), {"left": ("k0",)}, id="a group stays together"),
        pytest.param(_sum(LEFT), {"left": None}, id="one group is whole"),
        pytest.param(Distinct(LEFT), {"left": ("k0", "k1")}, id="equal rows stay together"),
        pytest.param(_joined(), {"left": ("k1",), "right": ("k2",)}, id="pairs meet"),
        pytest.param(Limit(LEFT, 3), {"left": None}, id="a limit is whole"),
        pytest.param(Window(LEFT, (B.ref(),), (), ()), {"left": ("k1",)}, id="partitions"),
        pytest.param(
            GroupLimit(LEFT, (B.ref(),), (SortKey(A.ref()),), RankKind.RANK, 2),
            {"left": ("k1",)},
            id="first rows of partitions",
        ),
        pytest.param(_sum(_sum(LEFT, A), A), {"left": ("k0",)}, id="the same key twice"),
        pytest.param(
            _sum(Distinct(LEFT), A), {"left": None}, id="two keys that differ have no division"
        ),
        pytest.param(
            Join(JoinKind.CROSS, LEFT, RIGHT), {"left": None, "right": None}, id="all meet all"
        ),
    ],
)
def test_division(rel: Rel, keys: dict[str, tuple[str, ...] | None]) -> None:
    assert _statement(rel).keys == keys


def test_a_computed_key_divides_nothing() -> None:
    computed = Output(Column(ColumnId(9), "sum", BIGINT), call("+", A.ref(), B.ref()))
    assert _statement(Aggregate(LEFT, (computed,), ())).keys == {"left": None}


def test_may_raise_says_whether_rows_can_make_it_fail() -> None:
    text = Column(ColumnId(1), "k0", STRING)
    scan = Scan("texts", (text,))
    number_of = Output(Column(ColumnId(2), "n", INTEGER), Cast(text.ref(), INTEGER))
    assert _statement(Project(scan, (number_of,))).may_raise
    assert not _statement(scan).may_raise
    assert _statement(_joined(JoinKind.SINGLE)).may_raise
    assert not _statement(_joined(JoinKind.LEFT)).may_raise


def test_makes_rows_says_whether_there_may_be_rows_of_nothing() -> None:
    assert _statement(_sum(LEFT)).makes_rows
    assert not _statement(_sum(LEFT, A)).makes_rows
    assert _statement(Values((A,), ((number(1),),))).makes_rows
