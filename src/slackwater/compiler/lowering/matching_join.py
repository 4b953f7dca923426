"""Lowers joins that depend on the existence of a match: redone for the keys that changed.

Domain extraction: only rows whose key hash occurs in the changes of either side can come or
go. Their rows on both sides are gathered, the ordinary join is applied to how they were and
how they are, and the difference is the change. A join that keeps the rows of its left side is
linear in them: there each change of the left side is joined by itself, and only rows that a
change of the right side touches are redone. Without an equality between the sides, the rows that
match a changed row of the other side take the place of the rows of its key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Filter, Generate, Join, JoinKind, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes, settled
from slackwater.compiler.lowering.whole_state import Whole, hashed_changes, rows_after
from slackwater.expr.build import FALSE, TRUE, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Literal
from slackwater.optimizer.rules.join_keys import (
    SideKey,
    fails_on_pairs,
    fails_on_rows,
    match_condition,
    side_keys,
)
from slackwater.plan.arrangements import hash_over
from slackwater.plan.frames import HASH, NEW, OLD, WEIGHT, Frame, Fresh, positions
from slackwater.plan.weighted import (
    added,
    consolidated,
    difference,
    read_changes,
    reweighted,
    weight_of,
)

_KEEPS_LEFT = (
    JoinKind.LEFT,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.NULL_AWARE_ANTI,
    JoinKind.MARK,
    JoinKind.SINGLE,
)


@dataclass(frozen=True, slots=True)
class _Side:
    """One input of the join while its changes are worked out."""

    rel: Rel
    part: str
    changes: Frame | None
    key: SideKey


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a side in a frame, with the column that is their weight.

    Rows that are not there are left out unless they are `signed`: changes.
    """

    rel: Rel
    frame: Frame
    weight: str = WEIGHT
    signed: bool = False

    def table(self, fresh: Fresh) -> Rel:
        """The rows under the columns of their side, then their weight."""
        rows = read_changes(self.rel, self.frame, fresh, self.weight)
        return rows if self.signed else Filter(rows, call(">", weight_of(rows).ref(), number(0)))


@dataclass(frozen=True, slots=True)
class _Held:
    """Rows of a side that the run may touch, before it and after it."""

    old: _Rows
    new: _Rows


class LowerMatchingJoin(Lowering[Join]):
    """D(join(L, R)): the join redone for the keys, or else the rows, that changed.

    - LEFT, RIGHT, FULL: a first or last match flips a row between a pair and padding with NULLs.
      Weights of a pair multiply, a padded row keeps its own.
    - SEMI, ANTI: a left row counts as often as it did; a match only switches it.
    - MARK: every left row stays; its mark flips with its matches.
    - SINGLE: as LEFT; a second match of a left row raises Spark's error.
    - NULL_AWARE_ANTI: a NULL on the right removes every left row, a NULL on the left all but over
      nothing. Only equalities of the correlated condition confine a change.

    A LEFT join with rows x and y on the left, of keys 1 and 2, when key 1 gets a first match p:

        gathered           of key 1 alone: x on the left; nothing, then p on the right
        before and after   (x, NULL), then (x, p); y is not read
        change             (x, NULL) -1, (x, p) +1
    """

    def delta(self, rel: Join, builder: Builder) -> Frame | None:
        """The changes of the join's output."""
        return _join_delta(rel, builder)


def _join_delta(rel: Join, builder: Builder) -> Frame | None:
    left, right = _sides(rel, builder)
    if left.changes is None and right.changes is None:
        return None
    if right.changes is None and rel.kind in _KEEPS_LEFT:
        return _one_driver(rel, left, right, builder)
    if left.changes is None and rel.kind is JoinKind.RIGHT:
        return _one_driver(rel, right, left, builder)
    # Where both sides change, these two have left rows that are gone meet right rows that are new.
    pairs_transient_rows = left.changes is not None and fails_on_pairs(rel)
    if rel.kind in _KEEPS_LEFT and not pairs_transient_rows:
        redo = _touched_by_right if left.key.hashed else _matching_rows
        return redo(rel, left, right, builder)
    fresh = Fresh(rel)
    one, other = _held(rel, left, right, builder), _held(rel, right, left, builder)
    new, old = _joined(rel, one.new, other.new, fresh), _joined(rel, one.old, other.old, fresh)
    both = difference(new, old, fresh)
    return compute_changes(rel, "delta", consolidated(both, fresh), builder)


def _touched_by_right(rel: Join, left: _Side, right: _Side, builder: Builder) -> Frame:
    """D(f(L, R)) = f(D(L), R after) + f(M, R after) - f(M, R before).

    M are the left rows as before the run under the keys that changed on the right.
    """
    rows = _held(rel, right, left, builder)
    kept = _held(rel, replace(left, changes=None), right, builder)
    return _redone(rel, left, kept.old, rows, builder)


def _matching_rows(rel: Join, left: _Side, right: _Side, builder: Builder) -> Frame:
    """The left rows as before the run that match a changed row of R: M in the formula above.

    The change may have added or removed that row; all other left rows match what they did before.
    """
    fresh = Fresh(rel)
    rows = _held(rel, right, left, builder)
    changes = read_changes(right.rel, _known(right.changes), fresh)
    names = (*positions(right.rel), WEIGHT)
    net = builder.compute(rel, "right_net", consolidated(changes, fresh), names)
    kept = builder.state_rows(rel, "left_before", left.key.state)
    before = read_changes(left.rel, kept, fresh)
    changed = read_changes(right.rel, net, fresh)
    matched = Join(JoinKind.SEMI, before, changed, residual=match_condition(rel))
    matching = builder.compute(rel, "left_matching", matched, (*positions(left.rel), WEIGHT))
    return _redone(rel, left, _Rows(left.rel, matching), rows, builder)


def _redone(rel: Join, left: _Side, touched: _Rows, rows: _Held, builder: Builder) -> Frame:
    """Touched left rows joined as the right side is, less as it was; and the left changes."""
    fresh = Fresh(rel)
    new, old = _joined(rel, touched, rows.new, fresh), _joined(rel, touched, rows.old, fresh)
    both = difference(new, old, fresh)
    if left.changes is not None:
        own = _Rows(left.rel, left.changes, signed=True)
        both = added((both, _joined(rel, own, rows.new, fresh)), fresh)
    return compute_changes(rel, "delta", consolidated(both, fresh), builder)


def _one_driver(rel: Join, driver: _Side, other: _Side, builder: Builder) -> Frame:
    """Only the side that decides which rows there are has changed: join its changes."""
    beside = _held(rel, other, driver, builder).new
    changes = _Rows(driver.rel, _known(driver.changes), signed=True)
    pair = (changes, beside) if driver.part == "left" else (beside, changes)
    return compute_changes(rel, "delta", _joined(rel, *pair, Fresh(rel)), builder)


def _known(changes: Frame | None) -> Frame:
    if changes is None:
        raise ValueError("a side without changes drives a join")
    return changes


def _sides(rel: Join, builder: Builder) -> tuple[_Side, _Side]:
    settles = fails_on_rows(rel)
    changes = [settled(each, builder) if settles else builder.delta(each) for each in rel.inputs]
    left, right = side_keys(rel)
    return (
        _Side(rel.left, "left", changes[0], left),
        _Side(rel.right, "right", changes[1], right),
    )


def _held(rel: Join, side: _Side, other: _Side, builder: Builder) -> _Held:
    """The rows under the hashes that either side's changes touch; without a key all there are."""
    if side.key.hashed:
        rows = _gathered(rel, side, other, builder)
        return _Held(_Rows(side.rel, rows, OLD), _Rows(side.rel, rows, NEW))
    beside = other.changes if side.changes is None else None
    before = builder.state_rows(rel, f"{side.part}_before", side.key.state, beside)
    after = before
    if side.changes is not None:
        whole = Whole(side.rel, side.key.state, before, side.changes)
        after = rows_after(rel, f"{side.part}_", whole, builder)
    return _Held(_Rows(side.rel, before), _Rows(side.rel, after))


def _gathered(rel: Join, side: _Side, other: _Side, builder: Builder) -> Frame:
    """All rows of a side under the hashes that either side's changes touch."""
    fresh = Fresh(rel)
    parts: list[Rel] = []
    if side.changes is not None:
        parts.append(hashed_changes(side.rel, side.changes, side.key.state, fresh))
    if other.changes is not None:
        theirs = read_changes(other.rel, other.changes, fresh)
        nothing = [Literal(None, column.dtype) for column in side.rel.columns]
        marks = (hash_over(other.key.hashed, theirs.columns[:-1]), *nothing, number(0))
        parts.append(Project(theirs, fresh.outputs(marks)))
    names = (HASH, *positions(side.rel), WEIGHT)
    marked = builder.compute(rel, f"{side.part}_touched", added(parts, fresh), names)
    return builder.gather(rel, f"{side.part}_rows", marked, side.key.state)


def _joined(rel: Join, left: _Rows, right: _Rows, fresh: Fresh) -> Rel:
    """The ordinary join of two weighted relations."""
    one, other = left.table(fresh), right.table(fresh)
    if rel.kind is JoinKind.SINGLE:
        other = _copied(other, fresh)
    joined = replace(rel, left=one, right=other)
    if rel.mark is not None:
        return _marked(joined, rel.columns, weight_of(one), fresh)
    weight = _weight(joined, weight_of(one), weight_of(other))
    return reweighted(joined, rel.columns, weight, fresh)


def _marked(rel: Join, columns: tuple[Column, ...], weight: Column, fresh: Fresh) -> Rel:
    """The left rows with a match and those without one.

    EXISTS as a column says the same, but below a union Spark's optimizer loses its columns when
    a condition on the mark is moved there.
    """
    parts = []
    for kind, mark in ((JoinKind.SEMI, TRUE), (JoinKind.ANTI, FALSE)):
        found = replace(rel, kind=kind, mark=None)
        marks = fresh.outputs((mark,))
        kept = tuple(map(pass_through, columns[:-1]))
        parts.append(Project(found, (*kept, *marks, pass_through(weight))))
    return added(parts, fresh)


def _copied(table: Rel, fresh: Fresh) -> Rel:
    """A second match is an error in a SINGLE join, so a row that counts twice appears twice."""
    copies = call("explode", call("sequence", number(1), weight_of(table).ref()))
    made = Generate(table, copies, False, (fresh.column("copy"),))
    return Project(made, tuple(map(pass_through, table.columns)))


def _weight(joined: Join, one: Column, other: Column) -> Expr:
    """The weight of a pair; a row that is padded with NULLs keeps its own."""

    def known(column: Column) -> Expr:
        return call("coalesce", joined.column(column.id).ref(), number(1))

    match joined.kind:
        case JoinKind.LEFT:
            return call("*", one.ref(), known(other))
        case JoinKind.RIGHT:
            return call("*", known(one), other.ref())
        case JoinKind.FULL:
            return call("*", known(one), known(other))
        case _:
            return one.ref()
