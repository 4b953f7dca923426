"""Rewrites joins into forms whose changes concern few rows."""

from __future__ import annotations

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Project,
    Union,
)
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Literal
from slackwater.expr.properties import referenced_columns
from slackwater.optimizer.ids import Ids
from slackwater.optimizer.rules.join_keys import side_keys
from slackwater.types import BIGINT, BOOLEAN

_ZERO = Literal("0", BIGINT)
_ONE = Literal("1", BIGINT)


def spell_out_not_in(rel: Rel, ids: Ids) -> Rel:
    """x NOT IN (R): no match, and R is empty, or holds no NULL and x is none.

    The two facts about R are one row that seldom changes, so that a change of R concerns the
    rows it matches and no others.
    """
    if not isinstance(rel, Join) or rel.kind is not JoinKind.NULL_AWARE_ANTI:
        return rel
    if len(rel.keys) != 1 or rel.residual is not None:
        return rel
    (key,) = rel.keys
    facts = _facts_about(rel.right, key.right, ids)
    empty, holds_null = facts.columns
    unmatched = Join(JoinKind.ANTI, rel.left, rel.right, rel.keys)
    paired = Join(JoinKind.CROSS, unmatched, facts)
    known = call("and", call("not", holds_null.ref()), call("isnotnull", key.left))
    kept = Filter(paired, call("or", empty.ref(), known))
    return Project(kept, tuple(pass_through(column) for column in rel.columns))


def _facts_about(rel: Rel, key: Expr, ids: Ids) -> Project:
    """One row: whether a relation is empty, and whether its key is NULL anywhere."""
    rows, nulls = aggregate("count", _ONE), aggregate("count", _ONE, where=call("isnull", key))
    counted = Aggregate(
        rel, (), (Output(ids.column("rows", rows), rows), Output(ids.column("nulls", nulls), nulls))
    )
    total, missing = (column.ref() for column in counted.columns)
    empty, holds_null = call("=", total, _ZERO), call(">", missing, _ZERO)
    return Project(
        counted,
        (
            Output(Column(ids.column("empty", empty).id, "empty", BOOLEAN, empty.nullable), empty),
            Output(ids.column("holds_null", holds_null), holds_null),
        ),
    )


def drive_from_left(rel: Rel, ids: Ids) -> Rel:
    """A join without an equality keeps the rows of its left side only.

    Which rows a change concerns is then found from one side. A right join changes sides; a full
    join is the left join and, besides, the rows of the right side without a match.
    """
    if not isinstance(rel, Join) or rel.kind not in (JoinKind.RIGHT, JoinKind.FULL):
        return rel
    if side_keys(rel)[0].hashed:
        return rel
    turned = tuple(JoinKey(key.right, key.left, key.null_safe) for key in rel.keys)
    if rel.kind is JoinKind.RIGHT:
        left = Join(JoinKind.LEFT, rel.right, rel.left, turned, rel.residual)
        return Project(left, tuple(pass_through(column) for column in rel.columns))
    matched = Join(JoinKind.LEFT, rel.left, rel.right, rel.keys, rel.residual)
    alone = Join(JoinKind.ANTI, rel.right, rel.left, turned, rel.residual)
    nulls = (Literal(None, column.dtype) for column in rel.left.columns)
    padding = tuple(Output(ids.column("missing", null), null) for null in nulls)
    padded = Project(alone, (*padding, *map(pass_through, rel.right.columns)))
    return Union((matched, padded), rel.columns)


def pad_apart(rel: Rel, ids: Ids) -> Rel:
    """L ⟕ R is L ⋈ R and, besides, the rows of L whose key R does not have, padded with NULL.

    Which keys R has seldom changes, however many rows it has under each; a change of R is then
    looked up in L, and the rows of R beside it are left alone. Where R has one row a key, there is
    nothing to gain.
    """
    if not isinstance(rel, Join) or rel.kind is not JoinKind.LEFT or rel.residual is not None:
        return rel
    if not side_keys(rel)[0].hashed or _one_row_a_key(rel):
        return rel
    values = tuple(Output(ids.column("key", key.right), key.right) for key in rel.keys)
    distinct = Aggregate(
        Project(rel.right, values), tuple(pass_through(value.column) for value in values), ()
    )
    absent = tuple(
        JoinKey(key.left, column.ref(), key.null_safe)
        for key, column in zip(rel.keys, distinct.columns, strict=True)
    )
    alone = Join(JoinKind.ANTI, rel.left, distinct, absent)
    nulls = (Literal(None, column.dtype) for column in rel.right.columns)
    padding = tuple(Output(ids.column("missing", null), null) for null in nulls)
    padded = Project(alone, (*map(pass_through, rel.left.columns), *padding))
    matched = Join(JoinKind.INNER, rel.left, rel.right, rel.keys)
    return Union((matched, padded), rel.columns)


def _one_row_a_key(rel: Join) -> bool:
    """Tell if the right side is grouped by what it is joined by."""
    right = rel.right
    while isinstance(right, Filter | Project):
        right = right.input
    if not isinstance(right, Aggregate):
        return False
    joined = {column for key in rel.keys for column in referenced_columns(key.right)}
    return {key.column.id for key in right.keys} <= joined
