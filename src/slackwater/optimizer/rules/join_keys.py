"""The equalities of a join as hash keys of its two sides."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operators import Join, JoinKey, JoinKind
from slackwater.algebra.rel import Rel
from slackwater.expr.build import all_of
from slackwater.expr.functions import call
from slackwater.expr.nodes import Call, Expr
from slackwater.expr.properties import conjuncts, may_raise, referenced_columns
from slackwater.optimizer.rules.arrangement_keys import contents, over_stored, whole_row
from slackwater.plan.arrangements import Arrangement, hashable
from slackwater.plan.view_plan import KeptState
from slackwater.types import same_type


@dataclass(frozen=True, slots=True)
class SideKey:
    """The key that one side is hashed by, over its stored columns, and the state indexed by it."""

    hashed: tuple[Expr, ...]
    state: Arrangement


def side_keys(rel: Join) -> tuple[SideKey, SideKey]:
    """The keys whose values hash alike on both sides whenever the join calls them equal.

    Without an equality nothing is hashed, and rows are found by reading all of them.
    """
    pairs = []
    for key in equalities(rel):
        left = hashable(over_stored(rel.left, key.left))
        right = hashable(over_stored(rel.right, key.right))
        if same_type(key.left.dtype, key.right.dtype) and left is not None and right is not None:
            pairs.append((left, right))
    left_hash = tuple(left for left, _ in pairs)
    right_hash = tuple(right for _, right in pairs)
    return (
        SideKey(left_hash, _state(rel.left, left_hash)),
        SideKey(right_hash, _state(rel.right, right_hash)),
    )


def _state(rel: Rel, hashed: tuple[Expr, ...]) -> Arrangement:
    """A side by its key; row by row without one, since no worker can hold all rows at once."""
    return contents(rel, hashed) if hashed else whole_row(rel)


def fails_on_pairs(rel: Join) -> bool:
    """Tell if the join might raise an error about a pair of rows."""
    return rel.kind is JoinKind.SINGLE or (rel.residual is not None and may_raise(rel.residual))


def fails_on_rows(rel: Join) -> bool:
    """Tell if the join might raise an error about a row, by itself or as one of a pair."""
    keys = (side for key in rel.keys for side in (key.left, key.right))
    return fails_on_pairs(rel) or any(map(may_raise, keys))


def join_state(rel: Join) -> tuple[KeptState, ...]:
    """Both sides by the join key."""
    (left, right), settled = side_keys(rel), fails_on_rows(rel)
    return KeptState(left.state, rel.left, settled), KeptState(right.state, rel.right, settled)


def match_condition(rel: Join) -> Expr:
    """The condition for two rows to match: equal keys and the residual condition."""
    keys = [_equal(key, rel.kind) for key in rel.keys]
    return all_of((*keys, *(() if rel.residual is None else (rel.residual,))))


def _equal(key: JoinKey, kind: JoinKind) -> Expr:
    equality = call("<=>" if key.null_safe else "=", key.left, key.right)
    if kind is JoinKind.NULL_AWARE_ANTI:
        return call("or", equality, call("isnull", equality))
    return equality


def equalities(rel: Join) -> tuple[JoinKey, ...]:
    """The equalities every match must satisfy.

    The keys of NOT IN are none: they also match where the comparison is NULL. What its
    residual condition compares are.
    """
    if rel.kind is not JoinKind.NULL_AWARE_ANTI:
        return rel.keys
    found = []
    for part in conjuncts(rel.residual) if rel.residual is not None else ():
        match part:
            case Call(function="=", args=(one, other)):
                if _reads_only(one, rel.left) and _reads_only(other, rel.right):
                    found.append(JoinKey(one, other))
                elif _reads_only(one, rel.right) and _reads_only(other, rel.left):
                    found.append(JoinKey(other, one))
    return tuple(found)


def _reads_only(expr: Expr, rel: Rel) -> bool:
    read = referenced_columns(expr)
    return bool(read) and read <= {column.id for column in rel.columns}
