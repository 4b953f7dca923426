"""Where rows are after an operator, and which divisions would give wrong results."""

from __future__ import annotations

import pytest

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    Scan,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.placement.division import AT_FIRST, EVERYWHERE, SPREAD, Place, place_of
from slackwater.compiler.placement.terms import Node, Term, hash_term, leaves, rewritten
from slackwater.compiler.placement.wishes import own_wishes, pushed
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, ColumnId, Expr
from slackwater.plan.frames import Fresh
from slackwater.types import BIGINT, DOUBLE, INTEGER, STRING

A, B, C, D = (Column(ColumnId(n), f"k{n - 1}", BIGINT) for n in range(1, 5))
X, Y = (Column(ColumnId(n), f"k{n}", DOUBLE) for n in (5, 6))
TEXT = Column(ColumnId(7), "k7", STRING)
LEFT, RIGHT = Scan("left", (A, B)), Scan("right", (C, D))


def by(*exprs: Expr) -> Term:
    """The hash of expressions over columns of one relation."""
    found = hash_term(exprs)
    assert found is not None
    return found


def frame_by(*columns: Column) -> Place:
    """A frame that is divided by some of its columns."""
    names: dict[Term, tuple[Term, ...]] = {column.id: (column.name,) for column in columns}
    (term,) = rewritten(by(*(column.ref() for column in columns)), names)
    return Place((term,))


def joined(kind: JoinKind = JoinKind.INNER) -> Join:
    return Join(kind, LEFT, RIGHT, (JoinKey(B.ref(), C.ref()),))


def total(rel: Rel, *keys: Column) -> Aggregate:
    totals = Fresh(rel).outputs((aggregate("sum", B.ref()),))
    return Aggregate(rel, tuple(map(pass_through, keys)), totals)


def test_rows_are_told_apart_by_what_a_projection_gives() -> None:
    hashed = Output(Column(ColumnId(9), "_h", BIGINT), call("xxhash64", A.ref()))
    again = Output(Column(ColumnId(8), "again", BIGINT), A.ref())
    place = place_of(Project(LEFT, (again, hashed)), [frame_by(A)])
    assert place is not None
    assert set(place.by) == {9, by(again.column.ref())}


def test_a_column_that_is_left_out_tells_nothing() -> None:
    assert place_of(Project(LEFT, (pass_through(B),)), [frame_by(A)]) == SPREAD


def test_a_condition_makes_columns_equal() -> None:
    place = place_of(Filter(LEFT, call("=", A.ref(), B.ref())), [frame_by(A)])
    assert place is not None
    assert by(B.ref()) in place.by


def test_zeros_of_two_signs_are_in_one_place() -> None:
    scan = Scan("floats", (X, Y))
    equal = Filter(scan, call("=", X.ref(), Y.ref()))
    hashed = by(X.ref())
    assert list(leaves(hashed)) == [X.id]
    assert isinstance(hashed, Node)
    assert hashed.args[0] != X.id, "the sign of a zero counts"
    place = place_of(equal, [frame_by(X)])
    assert place is not None
    assert by(Y.ref()) in place.by
    raw = Place((Node(hashed.head, ("k5",)),))
    assert place_of(Aggregate(scan, (pass_through(X),), ()), [raw]) is None


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        pytest.param([frame_by(B), frame_by(C)], True, id="by the key"),
        pytest.param([frame_by(A), frame_by(C)], False, id="by another column"),
        pytest.param([frame_by(B), SPREAD], False, id="somehow"),
        pytest.param([frame_by(A), EVERYWHERE], True, id="one side everywhere"),
        pytest.param([AT_FIRST, AT_FIRST], True, id="all in one place"),
        pytest.param([AT_FIRST, frame_by(C)], False, id="one side in one place"),
    ],
)
def test_rows_of_a_join_meet(given: list[Place], fits: bool) -> None:
    assert (place_of(joined(), given) is not None) == fits


@pytest.mark.parametrize("kind", JoinKind)
def test_rows_that_have_no_match_are_not_counted_in_every_partition(kind: JoinKind) -> None:
    if kind in (JoinKind.CROSS, JoinKind.MARK):
        return
    keeps_left = kind not in (JoinKind.INNER, JoinKind.RIGHT)
    assert (place_of(joined(kind), [EVERYWHERE, frame_by(C)]) is None) == keeps_left
    keeps_right = kind in (JoinKind.RIGHT, JoinKind.FULL)
    assert (place_of(joined(kind), [frame_by(B), EVERYWHERE]) is None) == keeps_right


def test_not_in_sees_all_of_its_right_side() -> None:
    assert place_of(joined(JoinKind.NULL_AWARE_ANTI), [frame_by(B), frame_by(C)]) is None
    assert place_of(joined(JoinKind.NULL_AWARE_ANTI), [frame_by(B), EVERYWHERE]) is not None


def test_padded_rows_are_where_the_other_side_was() -> None:
    outer = place_of(joined(JoinKind.LEFT), [frame_by(B), frame_by(C)])
    inner = place_of(joined(), [frame_by(B), frame_by(C)])
    assert outer is not None
    assert inner is not None
    assert outer.by == (by(B.ref()),)
    assert set(inner.by) == {by(B.ref()), by(C.ref())}


def test_a_union_needs_one_place() -> None:
    union = Union((LEFT, RIGHT), (A, B))
    assert place_of(union, [frame_by(A), frame_by(C)]) == Place((by(A.ref()),))
    assert place_of(union, [frame_by(A), frame_by(D)]) == SPREAD
    assert place_of(union, [frame_by(A), EVERYWHERE]) is None, "rows would count twice"
    constant = Values((C, D), ((number(1), number(2)),))
    assert place_of(Union((LEFT, constant), (A, B)), [frame_by(A)]) is None


def test_groups_stay_together() -> None:
    assert place_of(total(LEFT, A), [frame_by(A)]) == Place((by(A.ref()),))
    assert place_of(total(LEFT, A), [frame_by(B)]) is None
    assert place_of(total(LEFT, A), [frame_by(A, B)]) is None
    both = Aggregate(LEFT, (pass_through(A), pass_through(B)), ())
    assert place_of(both, [frame_by(A)]) is not None, "by some of the keys"
    assert place_of(Distinct(LEFT), [frame_by(B)]) is not None


def test_one_group_is_not_divided() -> None:
    assert place_of(total(LEFT), [SPREAD]) is None
    assert place_of(total(LEFT), [AT_FIRST]) is None, "other partitions would give rows too"
    assert place_of(total(LEFT), [EVERYWHERE]) == EVERYWHERE


def test_what_follows_the_order_of_rows_is_not_worked_out_twice() -> None:
    values = Fresh(LEFT).outputs((aggregate("collect_list", B.ref()),))
    collected = Aggregate(LEFT, (pass_through(A),), values)
    assert place_of(collected, [EVERYWHERE]) is None
    assert place_of(Window(LEFT, (A.ref(),), (), ()), [EVERYWHERE]) is None
    floats = Scan("floats", (X, Y))
    sums = Fresh(floats).outputs((aggregate("sum", Y.ref()),))
    assert place_of(Aggregate(floats, (pass_through(X),), sums), [EVERYWHERE]) is None


def test_a_limit_is_whole() -> None:
    assert place_of(Limit(LEFT, 3), [frame_by(A)]) is None
    assert place_of(Limit(LEFT, 3), [AT_FIRST]) == AT_FIRST


def test_wishes_reach_frames_through_projections() -> None:
    key = Output(Column(ColumnId(9), "key", BIGINT), call("year", Cast(A.ref(), INTEGER)))
    plain = Project(LEFT, (Output(Column(ColumnId(9), "key", BIGINT), A.ref()),))
    grouped = Aggregate(plain, (pass_through(plain.columns[0]),), ())
    assert own_wishes(grouped, [SPREAD]) == [frame_by(A).by]
    assert key.column.id == 9


def test_what_might_fail_on_other_rows_is_not_computed_to_move_them() -> None:
    scan = Scan("texts", (TEXT,))
    known = Filter(scan, call("=", call("length", TEXT.ref()), number(1, INTEGER)))
    key = Output(Column(ColumnId(9), "key", INTEGER), Cast(TEXT.ref(), INTEGER))
    assert own_wishes(Aggregate(known, (key,), ()), [SPREAD]) == []
    shown = Project(known, (key,))
    assert pushed(shown, by(key.column.ref())) == (None,)
